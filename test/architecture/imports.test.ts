// Which packages each room may import, and where a room may import less of another one than its tsconfig.json lets it. Which room sees
// which at all, tsc itself says: each is a project whose references are those of docs/architecture.md.
import { describe, expect, it } from "vitest";
import { readSources, type Import } from "./sources.ts";

const NODE = "node:*";
/** `node:*` stands for all of Node. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  "core/model": ["zod"],
  "core/engine": [],
  "core/files": [NODE],
  "core/pattern": [NODE, "safe-regex2"],
  "core/ports": [],
  "core/store": [NODE, "better-sqlite3", "zod"],
  "core/targets": [NODE, "execa", "ssh2", "zod"],
  "core/tmux": [NODE],
  "core/collect": [NODE],
  "core/ingest": [],
  "core/api": ["@trpc/server", "zod"],
  "core/rpc": [NODE, "@trpc/server", "@trpc/client", "better-sqlite3", "zod"],
  "core/config": [NODE, "zod"],
  "core/connections": [],
  "core/actions": [NODE],
  "core/integrations": [NODE, "diff"],
  "core/doctor": [NODE],
  "core/daemon": [NODE, "pino", "zod"],
  // TOML, in which one agent keeps its settings.
  adapters: [NODE, "smol-toml", "zod"],
  "features/documents": [NODE, "better-sqlite3", "diff", "smol-toml", "yaml", "yjs", "zod"],
  "editors/vscode": [NODE, "vscode"],
  "features/awake": [NODE],
  "features/automation": [NODE, "croner", "unbash", "zod"],
  "features/releases": [NODE, "zod"],
  "features/history": [NODE, "better-sqlite3", "zod"],
  "features/workspaces": [NODE, "smol-toml", "zod"],
  cli: [NODE, "commander", "log-update", "string-width"],
  main: [NODE, "electron", "electron-menubar", "electron-store", "electron-updater", "zod"],
  preload: ["electron"],
  // Words that differ within a changed line.
  ui: ["diff"],
  renderer: ["react", "react-dom", "@trpc/client", "@trpc/server", "zod"],
};

/** Room → what it sees → all that it may import of that: paths, `type` alone, or a path for one place of its own. */
const NARROWER: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "core/actions": { "core/api": ["type"] },
  "core/integrations": { "core/api": ["type"] },
  "editors/vscode": { features: ["features/documents/model", "type:features/documents/ipc"] },
  cli: {
    "core/api": ["type", "core/api/paneFilter.ts"],
    "core/connections": ["core/connections/localTmux.ts"],
    "core/daemon": ["cli/host/daemon.ts:core/daemon"],
    adapters: ["cli/host/daemon.ts:adapters", "cli/doc:adapters/index.ts"],
    features: [
      "type",
      "cli/host/daemon.ts:features",
      "cli/doc:features/documents",
      "cli/verbs/upgrade.ts:features/releases",
      "cli/verbs/archiveUpgrade.ts:features/releases",
      "cli/verbs/packs.ts:features/releases",
    ],
  },
  main: {
    "core/actions": ["core/actions/attach.ts"],
    adapters: ["main/compose.ts:adapters"],
    features: ["main/compose.ts:features", "main/appUpdate.ts:features/releases"],
  },
  renderer: {
    "core/api": ["type"],
    "core/rpc": ["type", "core/rpc/messageLink.ts", "core/rpc/wire.ts"],
    features: ["type"],
  },
};

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
const isOurs = ({ to }: Import): boolean =>
  /^(core|adapters|editors|features|cli|main|preload|renderer|ui|test|e2e|bench|scripts)\//.test(to);

const isAllowed = (rules: readonly string[], from: string, { to, isType }: Import): boolean =>
  rules.some((rule) => {
    const [first = "", rest] = rule.split(":");
    if (rest === undefined) return first === "type" ? isType : isWithin(to, first);
    return isWithin(to, rest) && (first === "type" ? isType : isWithin(from, first));
  });

describe("imports", () => {
  it.each(Object.entries(PACKAGES))("of %s are of the packages that it may have", (room, packages) => {
    const sources = readSources(room);
    expect(sources.length).toBeGreaterThan(0);
    const isMeant = ({ to }: Import): boolean =>
      // A package's own parts, and files beside a source (styles).
      packages.some((name) => isWithin(to, name) || (name === NODE && to.startsWith("node:"))) ||
      to.endsWith(".css");
    const wrong = sources.flatMap(({ path, imports }) =>
      imports.filter((one) => !isOurs(one) && !isMeant(one)).map(({ to }) => `${path} imports ${to}`),
    );
    expect(wrong, "move the code, or let a port pass what is needed").toEqual([]);
  });

  it.each(Object.entries(NARROWER))(
    "of %s take no more of a room than they are meant to",
    (room, narrower) => {
      const wrong = readSources(room).flatMap(({ path, imports }) =>
        imports
          .filter((one) =>
            Object.entries(narrower).some(
              ([seen, rules]) =>
                isWithin(one.to, seen) && !isWithin(one.to, room) && !isAllowed(rules, path, one),
            ),
          )
          .map(({ to }) => `${path} imports ${to}`),
      );
      expect(wrong, "move the code, or let a port pass what is needed").toEqual([]);
    },
  );

  it("are seen in every form in which they are written", () => {
    const lists = readSources("cli").find(({ path }) => path === "cli/grammar/lists.ts");
    expect(lists?.imports).toContainEqual({ to: "cli/verbs/list.ts", isType: false });
    expect(lists?.imports).toContainEqual({ to: "cli/command/context.ts", isType: true });
    expect(isAllowed(["type"], "cli/x.ts", { to: "core/api/router.ts", isType: false })).toBe(false);
  });
});
