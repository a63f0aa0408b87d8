// One private tmux server with the pane that is acted on and its neighbour, used for one race after another. The programs
// that tmux starts put the terminal into raw mode and wait; who they are and what they ask is played by RealPane.
import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { ProcessTree } from "../../../core/ports/targetExecutor.ts";
import { createPrivateTmux, type PrivateTmux } from "../../harness/privateTmux.ts";
import { until } from "../../setup/realClock.ts";
import { NEIGHBOUR, TARGET } from "../model/events.ts";
import type { SceneName } from "../model/kinds.ts";
import { screenOf, type Program } from "../model/tmuxModel.ts";
import { RealPane, type Arrival } from "./realPane.ts";

const LIMIT_MS = 20_000;
const WAIT = "sleep 100000";
const FORMAT = "#{pane_id}\t#{pane_pid}\t#{pane_tty}\t#{session_name}";
/** What stands in for the shell that a pane returns to, and for an agent of another kind. */
const OTHER = "tail -f /dev/null";

export class Lane {
  readonly tmux: PrivateTmux = createPrivateTmux();
  readonly panes = new Map<string, RealPane>();
  isRunning = false;
  arrivals: Arrival[] = [];
  private starts = 0;
  private runtimes = 0;
  private readonly processes: ProcessTree;
  private readonly name: string;

  constructor(name: string, processes: ProcessTree) {
    this.name = name;
    this.processes = processes;
  }

  /** Shell text for a pane: raw mode, a mark that it is ready, and then what waits there. */
  private program(scene: SceneName, mark: string): string {
    const raw = `stty raw -echo; : > ${mark}`;
    const agent = `sh -c 'echo $$ > ${mark}.pid; exec ${WAIT}'`;
    return scene === "agent in a shell" ? `set -m; ${raw}; ${agent}; exec ${OTHER}` : `${raw}; exec ${WAIT}`;
  }

  private mark(): string {
    return join(this.tmux.folder, `m${(this.starts += 1)}`);
  }

  private async started(row: string, scene: SceneName, mark: string): Promise<RealPane> {
    const [paneId = "", pid = "", tty = "", sessionName = ""] = row.split("\t");
    await until(() => existsSync(mark), `${paneId} is ready`, LIMIT_MS);
    const first = await this.identify(Number(pid), scene === "agent");
    const front = scene === "agent in a shell" ? await this.identify(await this.childOf(mark), true) : first;
    this.panes.get(paneId)?.close();
    const pane = new RealPane({ paneId, sessionName, tty }, { first, front }, this.arrivals);
    this.panes.set(paneId, pane);
    return pane;
  }

  private async childOf(mark: string): Promise<number> {
    const read = (): number => (existsSync(`${mark}.pid`) ? Number(readFileSync(`${mark}.pid`, "utf8")) : 0);
    await until(() => read() > 0, "the agent in the shell has started", LIMIT_MS);
    return read();
  }

  private async identify(pid: number, isAgent: boolean): Promise<Program> {
    // Until the program has taken the place of the shell that started it.
    const find = async () => (await this.processes.ofPanes([pid])).get(pid)?.find((one) => one.pid === pid);
    await until(async () => !isAgent || (await find())?.comm === "sleep", `process ${pid}`, LIMIT_MS);
    const process = await find();
    const runtimeId = isAgent ? `rt_${this.name}_${(this.runtimes += 1)}` : null;
    return { pid, startedAt: process?.startedAt ?? 0, command: process?.comm ?? "", runtimeId };
  }

  /** Two fresh panes under the same ids as before, in sessions of their old names. */
  async open(scene: SceneName): Promise<RealPane> {
    this.arrivals = [];
    if (!(await this.hasBoth())) await this.restart(scene);
    else {
      const names = await this.tmux.run("list-sessions", "-F", "#{session_id}");
      const [first = "", second = ""] = names.split("\n");
      await this.tmux.run("rename-session", "-t", second, "x", ";", "rename-session", "-t", first, "base");
      await this.tmux.run("rename-session", "-t", second, "other");
      await this.respawn(TARGET, scene);
      await this.respawn(NEIGHBOUR, "agent");
    }
    const target = this.panes.get(TARGET);
    if (target === undefined) throw new Error("the lane has no pane");
    return target;
  }

  private async hasBoth(): Promise<boolean> {
    if (!this.isRunning) return false;
    const ids = await this.tmux.run("list-panes", "-a", "-F", "#{pane_id}").catch(() => "");
    return ids.split("\n").toSorted().join() === [TARGET, NEIGHBOUR].toSorted().join();
  }

  /** Another program in a pane; null when the pane is gone. */
  async respawn(paneId: string, scene: SceneName): Promise<RealPane | null> {
    const mark = this.mark();
    const program = this.program(scene, mark);
    const ask = ["display-message", "-p", "-t", paneId, FORMAT];
    const row = await this.tmux
      .run("respawn-pane", "-k", "-t", paneId, program, ";", ...ask)
      .catch((error: unknown) => {
        if (/can't find (pane|session)|no server|\(No such file/.test(String(error))) return null;
        throw error;
      });
    return row === null ? null : this.started(row, scene, mark);
  }

  async stop(): Promise<void> {
    if (this.isRunning) await this.tmux.run("kill-server").catch(() => "");
    this.isRunning = false;
    for (const pane of this.panes.values()) pane.close();
    this.panes.clear();
    await rm(this.tmux.socketPath, { force: true });
  }

  /** A new life of the server: the ids begin again. */
  async restart(scene: SceneName): Promise<void> {
    await this.stop();
    for (const [name, kind] of [
      ["base", scene],
      ["other", "agent"],
    ] as const) {
      const mark = this.mark();
      const size = ["-x", "100", "-y", "20"];
      const program = this.program(kind, mark);
      const row = await this.tmux.run("new-session", "-d", "-P", "-F", FORMAT, ...size, "-s", name, program);
      this.isRunning = true;
      await this.started(row, kind, mark);
    }
  }

  /** Asks tmux about a pane until the answer fits; at once when the pane is gone. */
  private async see(ask: readonly string[], fits: (answer: string) => boolean): Promise<void> {
    const look = async (): Promise<boolean> => {
      const answer = await this.tmux.run(...ask).catch(() => null);
      // tmux answers with nothing where display-message finds no pane.
      return answer === null || answer === "" || fits(answer);
    };
    await until(look, `${this.name}: ${ask.join(" ")}`, LIMIT_MS);
  }

  /** Resolves once tmux shows what the pane's program shows: from then on every command sees it. */
  async drawn(pane: RealPane): Promise<void> {
    pane.draw();
    const trimmed = (rows: readonly string[]): string =>
      rows
        .map((row) => row.trimEnd())
        .join("\n")
        .trimEnd();
    await this.see(["capture-pane", "-p", "-t", pane.paneId], (screen) => {
      if (trimmed(screen.split("\n")) === trimmed(screenOf(pane))) return true;
      // A shell whose job was ended may have written over it.
      pane.draw();
      return false;
    });
  }

  /** Resolves once tmux takes another program for the one in front. */
  async handedOver(pane: RealPane, command: string): Promise<void> {
    const ask = ["display-message", "-p", "-t", pane.paneId, "#{pane_current_command}"];
    await this.see(ask, (name) => name === command);
  }

  async close(): Promise<void> {
    await this.stop();
    await this.tmux.close();
  }
}
