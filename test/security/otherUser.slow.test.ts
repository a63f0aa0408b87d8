// Another user of the same machine, as a process with another user id: nothing of a home can be seen, used, taken or
// prepared by him. Needs root to become somebody else; elsewhere the report says that these tests did not run.
import {
  chmodSync,
  chownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";
import { runtimePaths, type RuntimePaths } from "../../core/rpc/paths.ts";
import { connectSocket } from "../../core/rpc/socketClient.ts";
import { type Running, startProgram } from "../harness/commandLine.ts";
import { type DaemonProcess, spawnDaemon } from "../harness/daemonProcess.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer, type Player } from "../player/player.ts";
import { until } from "../setup/realClock.ts";
import { asNobody, isRoot, NOBODY } from "./otherUser.ts";
import { readAll } from "./secretsHarness.ts";

const RECORDINGS = fileURLToPath(new URL("../fixtures/recordings/claude", import.meta.url));
const GROUP_AND_OTHERS = 0o077;
/** Many processes are started one after the other, on machines that are busy with others. */
const LIMIT_MS = 60_000;
vi.setConfig({ testTimeout: 2 * LIMIT_MS, hookTimeout: 2 * LIMIT_MS });

/** Not the run's own temporary folder: others must be able to come as far as the home. */
const makePlace = (): string => {
  const folder = mkdtempSync("/tmp/agtmux-ou-");
  chmodSync(folder, 0o755);
  return folder;
};
const cli = (home: string, args: readonly string[], env: Record<string, string> = {}): Running =>
  startProgram(process.execPath, [CLI_ENTRY, ...args], { AGTMUX_HOME: home, AGTMUX_NO_START: "1", ...env });

/** Everything below a home, itself included, that group or others may touch. Sockets and links count as well. */
const openTo = (home: string): string[] =>
  ["", ...readdirSync(home, { recursive: true, encoding: "utf8" })]
    // Node's own compile cache; nobody comes there but through the home.
    .filter((path) => !path.startsWith("cache"))
    .filter((path) => (lstatSync(join(home, path)).mode & GROUP_AND_OTHERS) !== 0);

describe.each([0o000, 0o077])("a home after a session under the umask %i", (mask) => {
  let place: string;
  let paths: RuntimePaths;
  let tmux: PrivateTmux;
  let daemon: DaemonProcess | undefined;
  let player: Player | undefined;
  let ui: Running | undefined;

  beforeAll(async () => {
    place = makePlace();
    paths = runtimePaths(join(place, "home"));
    tmux = createPrivateTmux();
    await tmux.run("new-session", "-d", "-s", "base", "exec cat");
    const env = { HOME: place, AGTMUX_TMUX_SOCKETS: tmux.socketPath };
    const previous = process.umask(mask);
    try {
      daemon = await spawnDaemon({ home: paths.home, env });
      player = await createPlayer({
        tmux: { socketArgs: tmux.socketArgs, session: "base" },
        home: place,
        recordingsDir: RECORDINGS,
        eventScript: join(paths.binDir, "agtmux-event"),
      });
      await player.event("UserPromptSubmit");
      const at = { paths, version: "test", checkVersion: false, helloTimeoutMs: LIMIT_MS };
      const client = await connectSocket(at);
      const panes = async () => JSON.stringify(await client.call((api) => api.panes.query({})));
      await until(async () => (await panes()).includes('"running"'), "the agent is seen", LIMIT_MS);
      client.close();
      await cli(paths.home, ["list", "panes"], env).finished;
      const started = cli(paths.home, ["ui", "--json"], env);
      ui = started;
      const isOpen = () => started.stdout().includes("token=");
      await Promise.race([until(isOpen, "the page", LIMIT_MS), started.finished]);
    } finally {
      process.umask(previous);
    }
  });
  afterAll(async () => {
    // Also what a session left that did not come up.
    ui?.child.kill("SIGINT");
    await ui?.finished;
    await player?.close();
    await daemon?.stop();
    await tmux.close();
    rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  });

  it("has no bit for group or others on anything in it", () => {
    expect(openTo(paths.home)).toEqual([]);
    expect(statSync(paths.home).mode & 0o777).toBe(0o700);
    // The walk sees what it is about.
    const seen = readdirSync(paths.home, { recursive: true, encoding: "utf8" });
    expect(seen).toEqual(
      expect.arrayContaining([
        "agtmuxd.sock",
        "state.db",
        "state.db-wal",
        "owner.db",
        "spool/new",
        "bin/agtmux-event",
      ]),
    );
  });

  it("holds no token of the browser's page in any file", () => {
    const token = /token=([0-9a-f]{64})/.exec(ui?.stdout() ?? "")?.[1];
    if (token === undefined) return expect(ui?.stderr()).toContain("has not been built");
    const files = readAll(paths.home);
    expect(files.size).toBeGreaterThan(4);
    expect([...files].filter(([, bytes]) => bytes.includes(token)).map(([path]) => path)).toEqual([]);
  });

  it.runIf(isRoot)("can be listed, read, written, connected to and prepared by nobody else", async () => {
    const answers = await asNobody(
      `
      const [home] = words;
      const outcome = (work) => { try { work(); return "DONE"; } catch (error) { return error.code; } };
      const at = (name) => path.join(home, name);
      const connect = () => new Promise((resolve) => {
        const socket = net.connect(at("agtmuxd.sock"));
        socket.on("connect", () => resolve("DONE"));
        socket.on("error", (error) => resolve(error.code));
      });
      return JSON.stringify({
        reached: outcome(() => fs.statSync(path.dirname(home))),
        list: outcome(() => fs.readdirSync(home)),
        state: outcome(() => fs.readFileSync(at("state.db"))),
        log: outcome(() => fs.readFileSync(at("state.db-wal"))),
        config: outcome(() => fs.writeFileSync(at("config.json"), "{}")),
        event: outcome(() => fs.writeFileSync(at("spool/new/forged"), "agtmux-event 1\\n\\n{}")),
        bad: outcome(() => fs.readdirSync(at("spool/bad"))),
        lock: outcome(() => fs.writeFileSync(at("starting"), "1")),
        owner: outcome(() => fs.openSync(at("owner.db"), "r")),
        swap: outcome(() => fs.renameSync(home, home + "-gone")),
        remove: outcome(() => fs.unlinkSync(at("agtmuxd.sock"))),
        socket: await connect(),
      });`,
      paths.home,
    );
    const { reached, ...rest } = JSON.parse(answers) as Record<string, string>;
    // He comes as far as the folder around it.
    expect(reached).toBe("DONE");
    expect(Object.entries(rest).filter(([, code]) => code !== "EACCES" && code !== "EPERM")).toEqual([]);
  });

  it.runIf(isRoot)("is not shown to him by the browser's page", async () => {
    const port = /127\.0\.0\.1:(\d+)/.exec(ui?.stdout() ?? "")?.[1];
    if (port === undefined) return expect(ui?.stderr()).toContain("has not been built");
    const answer = await asNobody(
      `const answers = [];
       for (const path of ["/", "/trpc/panes", "/open?token=" + "0".repeat(64)])
         answers.push((await fetch("http://127.0.0.1:" + words[0] + path)).status);
       return answers.join();`,
      port,
    );
    expect(answer).toBe("403,403,403");
  });
});

describe.runIf(isRoot)("what another user prepared", () => {
  let place: string;
  let impostor: Server;
  let connections: number;
  beforeEach(() => {
    place = makePlace();
    connections = 0;
    impostor = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
  });
  afterEach(async () => {
    await new Promise((resolve) => impostor.close(resolve));
    rmSync(place, { recursive: true, force: true });
  });
  const listenAt = (path: string): Promise<void> =>
    new Promise((resolve) =>
      impostor.listen(path, () => {
        chmodSync(path, 0o777);
        resolve();
      }),
    );
  const give = (path: string): void => chownSync(path, NOBODY, NOBODY);

  const SQUATS: [string, (home: string) => Promise<void> | void][] = [
    [
      "a home of his with a socket in it",
      async (home) => {
        mkdirSync(home, { mode: 0o755 });
        await listenAt(join(home, "agtmuxd.sock"));
        give(join(home, "agtmuxd.sock"));
        give(home);
      },
    ],
    [
      "a link of his to a folder of ours",
      async (home) => {
        mkdirSync(join(place, "ours"), { mode: 0o700 });
        await listenAt(join(place, "ours", "agtmuxd.sock"));
        symlinkSync(join(place, "ours"), home);
        lchownSync(home, NOBODY, NOBODY);
      },
    ],
    [
      "the folder behind a link of ours",
      async (home) => {
        mkdirSync(join(place, "his"), { mode: 0o755 });
        await listenAt(join(place, "his", "agtmuxd.sock"));
        give(join(place, "his"));
        symlinkSync(join(place, "his"), home);
      },
    ],
    [
      "his socket in a home of ours",
      async (home) => {
        mkdirSync(home, { mode: 0o700 });
        await listenAt(join(home, "agtmuxd.sock"));
        give(join(home, "agtmuxd.sock"));
      },
    ],
    [
      "a home of ours that he may write to",
      async (home) => {
        mkdirSync(home);
        chmodSync(home, 0o777);
        await listenAt(join(home, "agtmuxd.sock"));
      },
    ],
    [
      "a home of ours in a folder in which he can swap it",
      async (home) => {
        chmodSync(place, 0o777);
        mkdirSync(home, { mode: 0o700 });
        await listenAt(join(home, "agtmuxd.sock"));
      },
    ],
    [
      "a home of ours in a folder in which his group can swap it",
      async (home) => {
        chownSync(place, 0, NOBODY);
        chmodSync(place, 0o775);
        mkdirSync(home, { mode: 0o700 });
        await listenAt(join(home, "agtmuxd.sock"));
      },
    ],
  ];
  it.each(SQUATS)("is refused and not connected to: %s", async (_what, prepare) => {
    const home = join(place, "home");
    await prepare(home);
    const commands: [string[], Record<string, string>][] = [
      [["list", "panes"], { AGTMUX_NO_START: "" }],
      [["daemon", "run"], {}],
    ];
    const ends = await Promise.all(commands.map(([args, env]) => cli(home, args, env).finished));
    for (const { code, stderr } of ends)
      expect([code, stderr]).toEqual([10, expect.stringContaining("[E_SOCKET_UNSAFE]")]);
    expect(connections).toBe(0);
  });
});
