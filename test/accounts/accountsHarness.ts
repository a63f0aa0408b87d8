// Two configuration folders of Claude Code, a process at its place that stands for the agent, and a daemon on real tmux.
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { agentFile } from "../harness/agentFile.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";

export let tmux: PrivateTmux;
export let daemon: TestDaemon;
/** Another configuration folder of Claude Code. */
export let work: string;

/** To be called once in a test file: everything is new in each test. */
export const useAccounts = (): void => {
  beforeEach(async () => {
    tmux = createPrivateTmux();
    await tmux.newSession("base");
    daemon = await startTestDaemon({ sockets: [tmux.socketPath], env: { SHELL: "/bin/sh" } });
    work = join(daemon.home, "claude of work");
    mkdirSync(join(daemon.home, ".claude"), { recursive: true });
    mkdirSync(work);
  });
  afterEach(async () => {
    await daemon.close();
    await tmux.close();
  });
};

/** A program at Claude Code's place, in a pane of its own; gives the pane and its process. */
export const startClaude = async (environment: readonly string[] = []) => {
  const program = agentFile(daemon.home);
  if (!existsSync(program)) copyFileSync("/bin/sleep", program);
  const words = ["exec", "env", ...environment, program, "1000"].map((word) =>
    word === "exec" ? word : `'${word}'`,
  );
  const paneId = await tmux.newSession(`s${Math.random().toString(36).slice(2)}`, words.join(" "));
  const pid = Number(await tmux.run("display-message", "-p", "-t", paneId, "#{pane_pid}"));
  return { paneId, pid };
};
export const tell = (configDir: string, pid: number, status: Record<string, unknown>): void => {
  mkdirSync(join(configDir, "sessions"), { recursive: true });
  const file = { pid, startedAt: Date.now(), updatedAt: Date.now(), version: "2.1.329", ...status };
  writeFileSync(
    join(configDir, "sessions", `${pid}.json`),
    JSON.stringify({ sessionId: `s-${pid}`, ...file }),
  );
};
export const WAITS = { status: "waiting", waitingFor: "permission prompt" };
export const inWork = (): string[] => [`CLAUDE_CONFIG_DIR=${work}`];
export const settingsOf = (configDir: string): string =>
  existsSync(join(configDir, "settings.json")) ? readFileSync(join(configDir, "settings.json"), "utf8") : "";
export const claudeFolders = async (): Promise<string[]> =>
  (await daemon.daemon.service.integrationList({}))
    .filter(({ agent }) => agent === "claude")
    .map(({ folder }) => folder);
