// When targets and states were last seen, for the store: memory knows the exact moment, the disk is updated about once a
// minute.
import type { UnitOfWork } from "./unitOfWork.ts";
import { confirmedAt } from "./view.ts";

const WRITE_MS = 60_000;

export class LastSeen {
  private readonly unitOfWork: UnitOfWork;
  private writtenAt: number;

  constructor(unitOfWork: UnitOfWork) {
    this.unitOfWork = unitOfWork;
    this.writtenAt = unitOfWork.deps.clock.now();
  }

  /** A look at the target succeeded. */
  sawTarget(targetId: string): void {
    const { liveState, deps } = this.unitOfWork;
    const target = liveState.targets.get(targetId);
    if (target !== undefined) liveState.targets.set(targetId, { ...target, lastSeenAt: deps.clock.now() });
  }

  isDue(now: number): boolean {
    return now - this.writtenAt >= WRITE_MS;
  }

  /** Inside a commit. What was not seen since the last time is left as it is. */
  write(now: number): void {
    const { liveState, deps } = this.unitOfWork;
    const since = this.writtenAt;
    this.writtenAt = now;
    for (const target of liveState.targets.values())
      if ((target.lastSeenAt ?? 0) > since) deps.store.upsertTarget(target);
    deps.store.seeStates(
      [...liveState.liveRuntimes()].flatMap((entry) => {
        const pane = liveState.paneOf(entry.runtime);
        const lastSeenAt = pane === undefined ? null : confirmedAt(entry, pane);
        return lastSeenAt === null || lastSeenAt <= since
          ? []
          : [{ runtimeId: entry.runtime.runtimeId, lastSeenAt }];
      }),
    );
  }
}
