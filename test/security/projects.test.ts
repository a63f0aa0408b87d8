// A project is looked at by agents, never run by agtmux: programs, settings and environment files that lie in the folder
// where an agent works, or where a command is typed, are not used.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { runtimePaths } from "../../core/rpc/paths.ts";
import { connectSocket } from "../../core/rpc/socketClient.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer } from "../player/player.ts";
import { until } from "../setup/realClock.ts";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";

const RECORDINGS = fileURLToPath(new URL("../fixtures/recordings/claude", import.meta.url));

const LIMIT_MS = 60_000;
vi.setConfig({ testTimeout: 2 * LIMIT_MS, hookTimeout: 2 * LIMIT_MS });

let root: string;
let project: string;
let traps: string;
let tmux: PrivateTmux;

const trap = (path: string, name: string): void => {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, `#!/bin/sh\ntouch '${traps}/${name}'\n`);
  chmodSync(path, 0o755);
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "agtmux-pro-"));
  project = join(root, "project");
  traps = join(root, "traps");
  mkdirSync(join(project, ".agtmux"), { recursive: true, mode: 0o700 });
  mkdirSync(traps);
  for (const program of ["tmux", "ps", "sh", "ssh", "node", "claude", "env", "git", "uname", "id"]) {
    trap(join(project, program), `cwd-${program}`);
    trap(join(project, "node_modules", ".bin", program), `bin-${program}`);
  }
  const script = `require("node:fs").writeFileSync(${JSON.stringify(join(traps, "script"))}, "")`;
  for (const file of ["agtmux.config.js", ".agtmuxrc.js", "index.js", "node_modules/commander/index.js"]) {
    mkdirSync(join(project, file, ".."), { recursive: true });
    writeFileSync(join(project, file), script);
  }
  writeFileSync(join(project, ".tmux.conf"), `run-shell "touch ${traps}/tmux-conf"\n`);
  writeFileSync(
    join(project, ".env"),
    `NODE_OPTIONS=--require=${project}/index.js\nAGTMUX_HOME=${project}/.agtmux\n`,
  );
  writeFileSync(join(project, ".npmrc"), `node-options=--require=${project}/index.js\n`);
  writeFileSync(
    join(project, ".agtmux", "config.json"),
    JSON.stringify({ tmux_path: join(project, "tmux") }),
  );
  tmux = createPrivateTmux();
});
afterEach(async () => {
  await tmux.close();
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
});

it("is not run, nor read as settings, wherever a command or an agent is", async () => {
  await tmux.run("new-session", "-d", "-s", "base", "-c", project, "exec cat");
  const home = join(root, "a");
  const { TMUX: _tmux, TMUX_PANE: _pane, ...outer } = process.env;
  const start = (args: readonly string[], folder: string) =>
    spawn(process.execPath, [CLI_ENTRY, ...args], {
      cwd: folder,
      env: {
        ...outer,
        HOME: root,
        AGTMUX_HOME: home,
        AGTMUX_TMUX_SOCKETS: tmux.socketPath,
        // Entries that mean the folder of the moment.
        PATH: `:.:node_modules/.bin:${process.env["PATH"] ?? ""}:`,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
  const output = async (args: readonly string[]): Promise<string> => {
    const child = start(args, project);
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => (text += part));
    await once(child, "close");
    return text;
  };
  /** "" while no daemon answers. */
  const panes = async (): Promise<string> => {
    const at = { paths: runtimePaths(home), version: "test", checkVersion: false, helloTimeoutMs: LIMIT_MS };
    const client = await connectSocket(at).catch(() => null);
    if (client === null) return "";
    const listed = await client.call((api) => api.panes.query({}));
    client.close();
    return JSON.stringify(listed);
  };
  const daemon = start(["daemon", "run", "--foreground"], project);
  const player = await createPlayer({
    tmux: { socketArgs: tmux.socketArgs, session: "base" },
    home: root,
    cwd: project,
    recordingsDir: RECORDINGS,
    eventScript: join(home, "bin", "agtmux-event"),
  });
  try {
    await until(async () => (await panes()).includes('"claude"'), "the agent", LIMIT_MS);
    await output(["doctor"]);
    await player.event("UserPromptSubmit");
    await until(async () => (await panes()).includes('"running"'), "its state", LIMIT_MS);
    expect(await output(["list", "panes", "--json"])).toContain('"running"');
    expect(readdirSync(traps)).toEqual([]);
    // They would have been found: a shell in that folder runs them.
    execFileSync("/bin/sh", ["-c", "ps"], { cwd: project, env: { PATH: ":/usr/bin:/bin" } });
    expect(readdirSync(traps)).toEqual(["cwd-ps"]);
    expect(readdirSync(join(project, ".agtmux"))).toEqual(["config.json"]);
  } finally {
    await player.close();
    daemon.kill("SIGTERM");
    await once(daemon, "close");
  }
});
