// Which action a runtime is under right now: while one runs, and for a moment after it, what is learned of the runtime names
// its id. That something followed an action is all that this says; nothing is decided by it.

export class ActionWindows {
  private readonly open = new Map<string, { actionId: string; until: number }>();

  /** Of two actions on one runtime the one that began last counts. */
  begin(runtimeId: string, actionId: string): void {
    this.open.set(runtimeId, { actionId, until: Number.POSITIVE_INFINITY });
  }

  /** The window closes at `until` (epoch ms). */
  close(runtimeId: string, actionId: string, until: number): void {
    if (this.open.get(runtimeId)?.actionId === actionId) this.open.set(runtimeId, { actionId, until });
  }

  actionOf(runtimeId: string, now: number): string | null {
    const window = this.open.get(runtimeId);
    if (window === undefined) return null;
    if (now <= window.until) return window.actionId;
    this.open.delete(runtimeId);
    return null;
  }
}
