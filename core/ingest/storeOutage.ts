// A store that cannot be written (full disk, read-only folder): since when, why, when to try again, and from when on the last
// stored states are no longer true. It decides nothing else and touches nothing.
import { AgtmuxError } from "../model/errors.ts";
import { describeOutage } from "../ports/storeFailure.ts";

const RETRY_MS = 1_000;
/** Shorter than any freshness limit of a state: until then the last decision still holds. */
const STALE_AFTER_MS = 5_000;
/**
 * On an almost full disk a small commit succeeds now and then: if writing fails again so soon, the store was unavailable all
 * the time.
 */
const RELAPSE_MS = 10_000;

export class StoreOutage {
  private since: number | null = null;
  private last: { since: number; endedAt: number } | null = null;
  private triedAt = 0;
  private isTold = false;
  private why = "";
  private cause: unknown = null;

  /** A sentence for a person; null: nothing is in the way. */
  get reason(): string | null {
    return this.since === null ? null : `nothing can be stored: ${this.why}`;
  }

  /** Fails at once when it was tried a moment ago. `now`: epoch ms. */
  check(now: number): void {
    if (this.since === null || now - this.triedAt >= RETRY_MS) return;
    throw new AgtmuxError("E_INTERNAL", this.reason ?? "", { cause: this.cause });
  }

  note(error: unknown, now: number): void {
    const before = this.last !== null && now - this.last.endedAt <= RELAPSE_MS ? this.last.since : null;
    this.since ??= before ?? now;
    this.triedAt = now;
    this.why = describeOutage(error);
    this.cause = error;
  }

  /** True when the store was unavailable until now. */
  end(now: number): boolean {
    if (this.since === null) return false;
    this.last = { since: this.since, endedAt: now };
    this.since = null;
    this.isTold = false;
    return true;
  }

  isDue(now: number): boolean {
    return this.since !== null && now - this.triedAt >= RETRY_MS;
  }

  isStale(now: number): boolean {
    return this.since !== null && now - this.since > STALE_AFTER_MS;
  }

  /** True once for each outage. */
  becameStale(now: number): boolean {
    if (this.isTold || !this.isStale(now)) return false;
    this.isTold = true;
    return true;
  }
}
