// Since when each working agent has shown nothing new: its screen to the last character (a spinner's seconds prove life), its
// state, and what it is doing. After a start the time counts from there: too late is better than too early.
import type { PaneView } from "../../../core/model/view.ts";

interface Signs {
  /** It works, or worked when its signs became stale. */
  isWorking: boolean;
  signAt: number;
  screen: string | null;
  /** What the row told of the work. */
  doing: string;
}

const doingOf = ({ state, reason_code, progress, activity }: PaneView): string =>
  JSON.stringify([state, reason_code, progress, activity]);

export class LifeSigns {
  private readonly known = new Map<string, Signs>();

  noteScreen(runtimeId: string, lines: readonly string[], now: number): void {
    const signs = this.known.get(runtimeId);
    if (signs === undefined) return;
    const screen = lines.join("\n");
    if (signs.screen !== null && signs.screen !== screen) signs.signAt = now;
    signs.screen = screen;
  }

  noteRow(row: PaneView, now: number): void {
    const { runtime_id } = row.identity;
    if (runtime_id === null) return;
    const before = this.known.get(runtime_id);
    const isStale = row.state === "unknown" && row.reason_code === "stale_signal";
    // That its signs became too old is no sign.
    if (before !== undefined && isStale) return;
    const doing = doingOf(row);
    const isWorking = row.state === "running";
    if (before === undefined) this.known.set(runtime_id, { isWorking, signAt: now, screen: null, doing });
    else {
      if (before.doing !== doing || before.isWorking !== isWorking) before.signAt = now;
      before.isWorking = isWorking;
      before.doing = doing;
    }
  }

  /** A pane without an agent: it counts as working as long as it is watched. */
  notePane(key: string, now: number): void {
    if (!this.known.has(key)) this.known.set(key, { isWorking: true, signAt: now, screen: null, doing: "" });
  }

  /** All of them gave a sign now. */
  restart(now: number): void {
    for (const signs of this.known.values()) signs.signAt = now;
  }

  /** How long it takes until the first of those that work was silent for so long; null: none will be that was not already. */
  soonest(forMs: number, now: number): number | null {
    let soonest: number | null = null;
    for (const { isWorking, signAt } of this.known.values()) {
      const left = signAt + forMs - now;
      if (isWorking && left > 0) soonest = Math.min(soonest ?? left, left);
    }
    return soonest;
  }

  forget(runtimeId: string): void {
    this.known.delete(runtimeId);
  }

  /** Epoch ms; null: it does not work, or nothing is known of it. */
  silentSince(runtimeId: string): number | null {
    const signs = this.known.get(runtimeId);
    return signs?.isWorking === true ? signs.signAt : null;
  }
}
