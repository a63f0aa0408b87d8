// When targets and states were last seen, for the store: memory knows it of every moment, the disk is told about once a minute.
import type { Ledger } from "./ledger.ts";
import { confirmedAt } from "./view.ts";

const WRITE_MS = 60_000;

export class LastSeen {
  private readonly ledger: Ledger;
  private writtenAt: number;

  constructor(ledger: Ledger) {
    this.ledger = ledger;
    this.writtenAt = ledger.deps.clock.now();
  }

  /** A look at the target succeeded. */
  sawTarget(targetId: string): void {
    const { world, deps } = this.ledger;
    const target = world.targets.get(targetId);
    if (target !== undefined) world.targets.set(targetId, { ...target, lastSeenAt: deps.clock.now() });
  }

  isDue(now: number): boolean {
    return now - this.writtenAt >= WRITE_MS;
  }

  /** Inside a commit. What was not seen since the last time is left as it is. */
  write(now: number): void {
    const { world, deps } = this.ledger;
    const since = this.writtenAt;
    this.writtenAt = now;
    for (const target of world.targets.values())
      if ((target.lastSeenAt ?? 0) > since) deps.store.upsertTarget(target);
    deps.store.seeStates(
      [...world.liveRuntimes()].flatMap((entry) => {
        const pane = world.paneOf(entry.runtime);
        const lastSeenAt = pane === undefined ? null : confirmedAt(entry, pane);
        return lastSeenAt === null || lastSeenAt <= since
          ? []
          : [{ runtimeId: entry.runtime.runtimeId, lastSeenAt }];
      }),
    );
  }
}
