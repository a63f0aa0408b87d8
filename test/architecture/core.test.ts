// What the product's code must not contain: agents' names, calls that stop the serving loop, and work left for later.
import { describe, expect, it } from "vitest";
import { readSources } from "./sources.ts";

const AGENTS = /claude|codex|gemini|copilot|opencode|oh-my-pi|\bomp\b|gjc|gajae|arcane|cursor-?agent|aider/i;

/** File system and process calls that block, and waiting itself. */
const BLOCKING =
  /^(access|append|chmod|chown|close|copyFile|cp|exec|execFile|exists|fchmod|fdatasync|fstat|fsync|ftruncate|glob|link|lstat|lutimes|mkdir|mkdtemp|open|opendir|read|readdir|readFile|readlink|realpath|rename|rm|rmdir|spawn|stat|statfs|symlink|truncate|unlink|utimes|write|writeFile)v?Sync$|^Atomics$/;

/** Where a blocking call is right: before anything is served, or in a process that serves nobody. */
const MAY_BLOCK: Readonly<Record<string, string>> = {
  "core/collect/spoolDrain.ts":
    "a small file that was just written, and its time, are read faster than the thread pool takes them on; in pieces of 3 ms",
  "core/rpc/paths.ts": "the home is checked once at start, before the lock is taken",
  "core/rpc/socketServer.ts": "a dead socket is removed once at start, by the owner of the home",
  "core/rpc/connect.ts": "runs in a command that starts a daemon, not in the daemon",
  "core/rpc/ownership.ts": "a lock file of noise is emptied once, before the home is owned",
  "core/rpc/webBridge.ts": "the popover's few files are read once, before the bridge listens",
  "core/targets/executors/localExecutor.ts":
    "the folder of a process is the kernel's memory and no disk: two microseconds",
  "core/store/durableStore.ts":
    "the log is checked once, before the database is opened; one that cannot be used is moved aside, one that was deleted put back, before anything goes on",
  "core/store/openStore.ts": "the database is opened at start",
  "core/store/migrate.ts": "migrations and their backup run at start",
};

const core = readSources("core");
const features = readSources("features");
const surfaces = ["cli", "ui", "renderer", "main", "preload", "editors"].flatMap((folder) =>
  readSources(folder),
);

/** Where an agent is named all the same. */
const MAY_NAME_AGENTS: Readonly<Record<string, string>> = {
  "cli/doc/documentConfig.ts": "the agent that a document has without any setting, as agent-doc has it",
  "cli/doc/project.ts": "files of a project that agent-doc writes, by its own documents",
  "cli/doc/route.ts": "the variable by which agent-doc knows that an agent runs it",
  "cli/grammar/agents.ts": "examples of the help",
  "cli/grammar/automation.ts": "an example of the help, and a default that it shows",
  "cli/grammar/doc.ts": "help that tells these defaults",
  "cli/grammar/history.ts": "examples of the help",
  "cli/grammar/lists.ts": "an example of the help",
};

describe("core", () => {
  it("has its sources read", () => {
    expect(core.length).toBeGreaterThan(80);
    expect(core.some(({ words }) => words.some(({ text }) => text === "createDaemon"))).toBe(true);
  });

  it("makes no blocking call on the serving loop: use node:fs/promises or the target's executor", () => {
    const blocking = [...core, ...features].flatMap(({ path, words }) =>
      path in MAY_BLOCK
        ? []
        : words.filter(({ text }) => BLOCKING.test(text)).map(({ text, line }) => `${path}:${line}: ${text}`),
    );
    expect(blocking).toEqual([]);
  });

  it("allows a blocking call only where there is one", () => {
    const idle = Object.keys(MAY_BLOCK).filter(
      (path) =>
        core.find((file) => file.path === path)?.words.some(({ text }) => BLOCKING.test(text)) !== true,
    );
    expect(idle, "take it off the list").toEqual([]);
  });
});

describe("the product's sources", () => {
  const named = [...core, ...features, ...surfaces].flatMap(({ path, words }) =>
    words.filter(({ text }) => AGENTS.test(text)).map(({ text, line }) => ({ path, line, text })),
  );

  it("name no agent outside of adapters/: what is an agent's own belongs there", () => {
    expect(named.filter(({ path }) => !(path in MAY_NAME_AGENTS))).toEqual([]);
  });

  it("may name agents only where they do", () => {
    const idle = Object.keys(MAY_NAME_AGENTS).filter((one) => !named.some(({ path }) => path === one));
    expect(idle, "take it off the list").toEqual([]);
  });

  it("leave no work for later: do it, or open an issue", () => {
    const mark = /\b(TODO|FIXME|XXX|HACK)\b/;
    const left = ["core", "adapters", "features", "cli", "main", "preload", "renderer", "ui"].flatMap(
      (folder) =>
        readSources(folder).flatMap(({ path, text }) =>
          text.split("\n").flatMap((line, index) => (mark.test(line) ? [`${path}:${index + 1}`] : [])),
        ),
    );
    expect(left).toEqual([]);
  });
});
