// What was done to panes and what came of it, one status per pane, for React. It runs one action of a pane at a time, and
// tells what was refused from what nobody knows.
import type { ActionResult } from "../../core/model/actionView.ts";
import type { ActionKind, ActionStatus, Failure } from "../../ui/actions/actionStatus.ts";

export interface ActionDeskDeps {
  toFailure(error: unknown): Failure;
  /** Monotonic milliseconds. */
  now(): number;
}

/** What an action that types or signals answers; null for those that show nothing when they succeed. */
type Call = () => Promise<ActionResult | null>;

export interface ShownPrompt {
  ref: string;
  fingerprint: string | null;
}

/** By pane reference. */
type ActionStatuses = ReadonlyMap<string, ActionStatus>;

/** Codes after which it is not known whether the action took place. */
const OPEN_ENDED: ReadonlySet<string | null> = new Set([
  null,
  "E_INTERNAL",
  "E_DAEMON_UNAVAILABLE",
  "E_TARGET_UNREACHABLE",
]);
/** These can be repeated without harm: for them a failure is only a failure. */
const HARMLESS: ReadonlySet<ActionKind> = new Set(["attach", "dismiss"]);

/** A prompt that took the place of another cannot have been read in less. */
const READING_MS = 400;

export class ActionDesk {
  private readonly deps: ActionDeskDeps;
  private statuses: ActionStatuses = new Map();
  private readonly listeners = new Set<() => void>();
  private shown: ReadonlyMap<string, { fingerprint: string | null; changedAt: number }> = new Map();

  constructor(deps: ActionDeskDeps) {
    this.deps = deps;
  }

  readonly getStatuses = (): ActionStatuses => this.statuses;
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Resolves with the status that remains, or null when the action shows nothing or another one is under way. */
  async run(ref: string, action: ActionKind, call: Call): Promise<ActionStatus | null> {
    if (this.isSending(ref)) return action === "attach" ? this.runBeside(ref, call) : null;
    this.set(ref, { kind: "sending", action });
    try {
      const result = await call();
      const status: ActionStatus | null =
        result === null
          ? null
          : { kind: "done", action, outcome: result.outcome, detail: result.detail, notes: result.notes };
      this.set(ref, status);
      return status;
    } catch (error) {
      const failure = this.deps.toFailure(error);
      const isKnown = HARMLESS.has(action) || !OPEN_ENDED.has(failure.code);
      const status: ActionStatus = { kind: isKnown ? "refused" : "lost", action, failure };
      this.set(ref, status);
      return status;
    }
  }

  /** Opening a pane waits for nothing that is done to it. What it fails of is told unless the other has not ended yet. */
  private async runBeside(ref: string, call: Call): Promise<ActionStatus | null> {
    try {
      await call();
      return null;
    } catch (error) {
      const status: ActionStatus = {
        kind: "refused",
        action: "attach",
        failure: this.deps.toFailure(error),
      };
      if (!this.isSending(ref)) this.set(ref, status);
      return status;
    }
  }

  private isSending(ref: string): boolean {
    return this.statuses.get(ref)?.kind === "sending";
  }

  /** Refuses without asking the daemon. */
  refuse(ref: string, action: ActionKind, message: string): void {
    if (this.isSending(ref)) return;
    this.set(ref, { kind: "refused", action, failure: { message, remedy: null, code: null } });
  }

  /** Takes the status away; one that is still under way stays. */
  readonly clear = (ref: string): void => {
    if (!this.isSending(ref)) this.set(ref, null);
  };

  /** To be told which rows can be answered now, with the prompt that each shows. */
  noteShown(rows: readonly ShownPrompt[]): void {
    const before = this.shown;
    this.shown = new Map(
      rows.map(({ ref, fingerprint }) => {
        const known = before.get(ref);
        if (known?.fingerprint === fingerprint) return [ref, known];
        return [ref, { fingerprint, changedAt: known === undefined ? -Infinity : this.deps.now() }];
      }),
    );
  }

  /** False while a prompt has only just taken the place of another: the key or click was meant for that one. */
  wasRead(ref: string): boolean {
    const shown = this.shown.get(ref);
    return shown === undefined || this.deps.now() - shown.changedAt >= READING_MS;
  }

  /** Forgets what was done to panes that are gone: another may come to bear the same reference. */
  prune(isThere: (ref: string) => boolean): void {
    for (const ref of this.statuses.keys()) if (!isThere(ref)) this.clear(ref);
  }

  private set(ref: string, status: ActionStatus | null): void {
    const statuses = new Map(this.statuses);
    if (status === null) statuses.delete(ref);
    else statuses.set(ref, status);
    this.statuses = statuses;
    for (const listener of this.listeners) listener();
  }
}
