// agtmux-run in real panes: the same terminal, signals and exit status as without it, and a crash told from an orderly end
// by the status alone. The agent is a script that an adapter file describes.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createAdapterSource,
  type OwnedAdapterSource,
} from "../../adapters/declarative/createAdapterSource.ts";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { createSystemClock } from "../../core/daemon/systemClock.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";

const execFileAsync = promisify(execFile);
const WRAPPER = fileURLToPath(new URL("../../resources/hooks/agtmux-run", import.meta.url));

const ADAPTER = {
  agent_type: "toy",
  display_name: "Toy",
  process: { names: ["toyagent"] },
  screens: [
    { name: "works", pattern: "^working$", lines: 1, state: "running", reason: "tool", steady: true },
    { name: "asks", pattern: "^run (?<title>.*)\\? y/n$", lines: 1, state: "waiting_approval" },
    { name: "at its prompt", pattern: "^ready>$", lines: 1, state: "idle" },
  ],
};
/** Shows each line that it reads as its screen; `exit N` ends it with that status. */
const AGENT = `#!/bin/sh
echo "ready>"
while read -r line; do
  case $line in exit*) exit "\${line#exit }" ;; esac
  printf '\\033[2J\\033[H%s\\n' "$line"
done
`;

let tmux: PrivateTmux;
let root: string;
let agent: string;
let source: OwnedAdapterSource;
let daemon: TestDaemon;

beforeAll(async () => {
  tmux = createPrivateTmux();
  await tmux.newSession("base");
  root = mkdtempSync(join(tmpdir(), "agtmux-run-"));
  agent = join(root, "toyagent");
  await writeFile(agent, AGENT);
  await chmod(agent, 0o755);
  source = await createAdapterSource({
    dir: join(root, "adapters"),
    builtIn: createAdapterRegistry().list(),
    clock: createSystemClock(),
    logger: SILENT_LOGGER,
  });
  daemon = await startTestDaemon({ sockets: [tmux.socketPath], adapters: source });
});
afterAll(async () => {
  await daemon.close();
  await source.close();
  await tmux.close();
  await rm(root, { recursive: true, force: true });
});

/** A pane whose shell runs the wrapper with the agent. */
const start = async (): Promise<string> => {
  const pane = await tmux.run(
    "new-window",
    "-P",
    "-F",
    "#{pane_id}",
    "-e",
    `AGTMUX_HOME=${daemon.paths.home}`,
    `sh -c '${WRAPPER} -- ${agent}; echo "status $?"; exec cat'`,
  );
  return pane;
};
const say = (pane: string, text: string) => tmux.run("send-keys", "-t", pane, text, "Enter");
/** What was told of its agent last; then the pane is told of, without one. */
const endOf = (pane: string) =>
  daemon.feed.findLast(
    (entry) =>
      (entry.kind === "state" && entry.pane.identity.pane_id === pane && entry.pane.state !== null) ||
      entry.kind === "removed",
  );

describe("an adapter file", () => {
  it("makes an agent known in panes that are there already, and its rules its states", async () => {
    const pane = await start();
    expect(daemon.rows().find((row) => row.identity.pane_id === pane)?.agent ?? null).toBeNull();
    await writeFile(join(root, "adapters", "toy.json"), JSON.stringify(ADAPTER));
    await daemon.untilState(pane, "idle", 10_000);
    await say(pane, "run make? y/n");
    const row = await daemon.untilState(pane, "waiting_approval", 10_000);
    expect([row.agent_name, row.request?.title]).toEqual(["Toy", "make"]);

    const tried = await daemon.daemon.service.adapterTry({ ref: row.identity.pane_ref, file: null });
    const toy = tried.trials.find((trial) => trial.agent_type === "toy");
    expect([toy?.source, toy?.identifies?.sign, toy?.matches.map((match) => match.rule)]).toEqual([
      "file",
      'process name "toyagent"',
      ["asks"],
    ]);

    const changed = { ...ADAPTER, display_name: "Toy Two" };
    await writeFile(join(root, "adapters", "toy.json"), JSON.stringify(changed));
    await daemon.until(pane, ({ agent_name }) => agent_name === "Toy Two", 10_000);
    await say(pane, "exit 0");
    await daemon.untilGone(pane, 10_000);
  });
});

describe("the wrapper", () => {
  it("proves a crash by a failing status in the middle of a turn", async () => {
    const pane = await start();
    await daemon.untilState(pane, "idle", 10_000);
    await say(pane, "working");
    await daemon.untilState(pane, "running", 10_000);
    await say(pane, "exit 3");
    const row = await daemon.untilState(pane, "error", 10_000);
    expect(row.reason_code).toBe("crashed");
    // The wrapper tells of the crash before it ends, and its shell writes the status after that.
    await expect
      .poll(() => tmux.run("capture-pane", "-p", "-t", pane), { timeout: 5_000 })
      .toContain("status 3");
  });

  it("makes no crash of a failing status at the prompt, nor of an orderly end in mid-turn", async () => {
    for (const [screen, state, status] of [
      ["ready>", "idle", 3],
      ["working", "running", 0],
    ] as const) {
      const pane = await start();
      await daemon.untilState(pane, "idle", 10_000);
      await say(pane, screen);
      await daemon.untilState(pane, state, 10_000);
      await say(pane, `exit ${status}`);
      await daemon.untilGone(pane, 10_000);
      expect(endOf(pane)?.kind).toBe("removed");
    }
  });

  it.each(["where agtmux is", "nowhere"])(
    "hands over terminal, arguments, environment and exit status, with a home %s",
    async (where) => {
      const home = where === "nowhere" ? join(root, where) : daemon.paths.home;
      const out = join(root, `out-${where.length}`);
      const look = `test -t 0 && test -t 1 && test -t 2 && echo "$1|$2|$TOKEN" >${out}; exit 7`;
      const go = join(root, `go-${where.length}`);
      await writeFile(
        go,
        `AGTMUX_HOME=${home} TOKEN=t ${WRAPPER} -- sh -c '${look}' sh 'a b' ''\necho "$?" >>${out}\ntmux wait-for -S done-${where.length}\n`,
      );
      const done = tmux.run("wait-for", `done-${where.length}`);
      await tmux.run("new-window", `sh ${go}`);
      await done;
      expect(await readFile(out, "utf8")).toBe("a b||t\n7\n");
    },
  );

  it("leaves Ctrl-C to the agent and lives on until it has ended", async () => {
    const home = join(root, "h");
    await mkdir(join(home, "bin"), { recursive: true });
    await mkdir(join(home, "spool", "tmp"), { recursive: true });
    await mkdir(join(home, "spool", "new"), { recursive: true });
    const event = fileURLToPath(new URL("../../resources/hooks/agtmux-event", import.meta.url));
    await execFileAsync("cp", [event, join(home, "bin", "agtmux-event")]);
    const child = spawn(
      WRAPPER,
      ["sh", "-c", "trap 'echo caught; exit 9' INT; echo up; while :; do sleep 0.05; done"],
      {
        env: { ...process.env, AGTMUX_HOME: home, TMUX_PANE: "%1", TMUX: "/tmp/x,1,0" },
        stdio: ["ignore", "pipe", "inherit"],
        detached: true,
      },
    );
    let output = "";
    child.stdout.on("data", (chunk) => (output += String(chunk)));
    while (!output.includes("up")) await once(child.stdout, "data");
    const exited = once(child, "close");
    // To the whole group, as the terminal does.
    process.kill(-(child.pid ?? 0), "SIGINT");
    expect((await exited)[0]).toBe(9);
    expect(output).toContain("caught");
    const events = await readdir(join(home, "spool", "new"));
    const texts = await Promise.all(events.map((name) => readFile(join(home, "spool", "new", name), "utf8")));
    expect(texts.map((text) => /^event=(.*)$/m.exec(text)?.[1] ?? "").toSorted()).toEqual([
      "wrapper.exit",
      "wrapper.start",
    ]);
    const payloads = texts.map((text) => JSON.parse(text.slice(text.indexOf("\n\n"))));
    expect(payloads.find((payload) => payload.status !== undefined)).toEqual({
      pid: payloads[0].pid,
      status: 9,
    });
    expect(existsSync(join(home, "spool", "tmp", `run-${child.pid}`))).toBe(false);
  });
});
