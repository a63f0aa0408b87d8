// Since when each working agent has shown nothing new: its screen to the last character (a spinner's seconds prove life), its
// state, and what it is doing. After a start the time counts from there: too late is better than too early.
import type { PaneView } from "../../../core/model/view.ts";

/** So long after the last sign a screen stands still: working agents draw every second. */
const STANDS_AFTER_MS = 5_000;

interface Signs {
  /** It works, or worked when its signs became stale, or its screen stands as it stood at work. */
  isWorking: boolean;
  /** What it does now is not known, and its screen stands as it stood while it worked. */
  isHeld: boolean;
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
    if (signs.screen !== null && signs.screen !== screen) {
      signs.signAt = now;
      if (signs.isHeld) signs.isWorking = false;
      signs.isHeld = false;
    }
    signs.screen = screen;
  }

  noteRow(row: PaneView, now: number): void {
    const { runtime_id } = row.identity;
    if (runtime_id === null) return;
    const before = this.known.get(runtime_id);
    const isStale = row.state === "unknown" && row.reason_code === "stale_signal";
    // That its signs became too old is no sign.
    if (before !== undefined && isStale) return;
    // Nor is it one that its state is not known any more, while its screen goes on to stand still: an agent that hangs shows what it
    // showed. One that came to an end has drawn that just before.
    const stoodStill = before !== undefined && now - before.signAt >= STANDS_AFTER_MS;
    if (before?.isWorking === true && row.state === "unknown" && stoodStill) {
      before.isHeld = true;
      return;
    }
    const doing = doingOf(row);
    const isWorking = row.state === "running";
    if (before === undefined)
      this.known.set(runtime_id, { isWorking, isHeld: false, signAt: now, screen: null, doing });
    else {
      if (before.doing !== doing || before.isWorking !== isWorking) before.signAt = now;
      before.isWorking = isWorking;
      before.isHeld = false;
      before.doing = doing;
    }
  }

  /** A pane without an agent: it counts as working as long as it is watched. */
  notePane(key: string, now: number): void {
    if (!this.known.has(key))
      this.known.set(key, { isWorking: true, isHeld: false, signAt: now, screen: null, doing: "" });
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
