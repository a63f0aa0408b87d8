// A session of Claude Code that no pane shows: its files and hooks as 2.1.329 writes them, a process with a terminal that stands for
// the agent's, a program `claude` that opens and ends it, and a daemon on real tmux.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { fileURLToPath } from "node:url";
import { loadRecording } from "../../adapters/testkit/recordings.ts";
import type { Dialog } from "../actions/dialogPane.ts";
import { actionGuardsSchema } from "../../core/model/action.ts";
import type { PaneView } from "../../core/model/view.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { dropEvent, eventText } from "../harness/eventFile.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";

export const ID = "1981d014";
export const SESSION = "1981d014-a958-4767-a95b-15811797f5e4";
export const PLACE = `bg-${ID}`;

export const DIALOGS = fileURLToPath(new URL("../actions/dialogAgent.mjs", import.meta.url));
const BOX = fileURLToPath(new URL("../actions/boxAgent.mjs", import.meta.url));
export const FIXTURES = fileURLToPath(new URL("../fixtures", import.meta.url));
export const OPTIONS = ["Yes", "Yes, and always", "Yes, and switch", "No"];

export let tmux: PrivateTmux;
/** The terminal of the session's process, as its supervisor gives it one. */
export let supervisor: PrivateTmux;
export let daemon: TestDaemon;
export let worker: { pid: number };

/** What its session file and its job say; written as the agent writes them. */
export const tell = (
  status: Record<string, unknown>,
  job: Record<string, unknown>,
  pid = worker.pid,
): void => {
  const claude = join(daemon.home, ".claude");
  mkdirSync(join(claude, "jobs", ID), { recursive: true });
  mkdirSync(join(claude, "sessions"), { recursive: true });
  const base = { intent: "RUN touch x.txt", name: "lab session", sessionId: SESSION };
  writeFileSync(join(claude, "jobs", ID, "state.json"), JSON.stringify({ ...base, ...job }));
  const file = { pid, sessionId: SESSION, cwd: daemon.home, startedAt: Date.now(), version: "2.1.329" };
  writeFileSync(
    join(claude, "sessions", `${pid}.json`),
    JSON.stringify({ ...file, kind: "bg", jobId: ID, ...status }),
  );
};
export const busy = (): void => tell({ status: "busy" }, { state: "working", tempo: "active" });
export const asks = (): void =>
  tell(
    { status: "waiting", waitingFor: "permission prompt" },
    { state: "working", tempo: "blocked", needs: "approve Bash: touch x.txt" },
  );
export const hook = (event: string, more: Partial<Parameters<typeof eventText>[0]> = {}): void =>
  void dropEvent(
    daemon.paths.spool,
    `${Date.now()}-${Math.random()}`,
    eventText({ event, sessionId: SESSION, ...more }),
  );
export const found = (condition: (row: PaneView) => boolean): Promise<PaneView> =>
  daemon.until(PLACE, condition);
export const acting = (row: PaneView) => ({
  ref: row.identity.pane_ref,
  guards: actionGuardsSchema.parse({}),
  surface: "test",
});

/** What `claude attach` shows: recorded dialogs, which a key ends; gives the file with what was chosen. */
export const showDialogs = async (dialogs: readonly Dialog[]): Promise<string> => {
  await installClaude();
  const chosen = join(daemon.home, "chosen");
  const rest = loadRecording(join(FIXTURES, "recordings", "claude"), "completed");
  const options = JSON.stringify({ dialogs, last: { text: rest.text, title: rest.title } });
  writeFileSync(join(daemon.home, "options.json"), options);
  const shown = `exec ${process.execPath} ${DIALOGS} ${chosen} "$(cat ${join(daemon.home, "options.json")})"`;
  writeFileSync(join(daemon.home, "bin", "claude"), `#!/bin/sh\n${shown}\n`);
  return chosen;
};
/** What `claude attach` shows: an input box, or `working` (a screen) until Escape is pressed; gives what it was sent. */
export const showBox = async (options: { working?: string } = {}): Promise<() => string> => {
  await installClaude();
  const received = join(daemon.home, "received");
  writeFileSync(join(daemon.home, "options.json"), JSON.stringify(options));
  const shown = `exec ${process.execPath} ${BOX} ${received} "$(cat ${join(daemon.home, "options.json")})"`;
  writeFileSync(join(daemon.home, "bin", "claude"), `#!/bin/sh\n${shown}\n`);
  return () => (existsSync(received) ? readFileSync(received, "utf8").trim() : "");
};
export const isAsked = { tool_name: "Bash", tool_use_id: "toolu_1", permission_mode: "default" };
export const askFor = async (command: string): Promise<PaneView> => {
  asks();
  await found(({ state }) => state === "waiting_approval");
  hook("PermissionRequest", { payload: { ...isAsked, tool_input: { command, description: "Lab command" } } });
  return found(({ prompt_fingerprint }) => prompt_fingerprint !== null);
};
export const approving = (row: PaneView) => ({
  ...acting(row),
  guards: actionGuardsSchema.parse({ ifPrompt: row.prompt_fingerprint }),
  choice: { kind: "approve" as const },
  idempotencyKey: null,
});

/** A program `claude` for the person's login shell; it notes its words, shows a session, and ends one. */
export const installClaude = async (): Promise<string> => {
  const bin = join(daemon.home, "bin");
  mkdirSync(bin, { recursive: true });
  const log = join(daemon.home, "called");
  const program = join(bin, "claude");
  writeFileSync(
    program,
    `#!/bin/sh\necho "$@" >>${log}\n[ "$1" = stop ] && kill -9 ${worker.pid} && exit 0\nexec sleep 1000\n`,
  );
  await chmod(program, 0o755);
  writeFileSync(join(daemon.home, ".profile"), `PATH=${bin}:$PATH\n`);
  return log;
};

/** To be called once in a test file: everything is new in each test. */
export const useBackground = (): void => {
  beforeEach(async () => {
    tmux = createPrivateTmux();
    await tmux.run("new-session", "-d", "-s", "base", "-x", "120", "-y", "40", "exec cat");
    daemon = await startTestDaemon({ sockets: [tmux.socketPath], env: { SHELL: "/bin/sh" } });
    supervisor = createPrivateTmux();
    await supervisor.run("new-session", "-d", "-s", "worker", "exec sleep 1000");
    worker = { pid: Number(await supervisor.run("display-message", "-p", "-t", "worker:", "#{pane_pid}")) };
  });
  afterEach(async () => {
    await daemon.close();
    await Promise.all([tmux.close(), supervisor.close()]);
  });
};
