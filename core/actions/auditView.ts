// The audit as clients see it: each action with what followed it.
import type { AuditList } from "../model/actionView.ts";
import { SCHEMA_VERSION } from "../model/view.ts";
import type { Aftermath, Store } from "../ports/store.ts";

const toIso = (at: number): string => new Date(at).toISOString();

const toFollower = ({ kind, at, version, what, why }: Aftermath) => ({
  kind,
  at: toIso(at),
  state_version: version,
  what,
  why,
});

/** The newest `limit` actions, newest first. */
export const auditList = (
  store: Pick<Store, "listAudit" | "listAftermath">,
  limit: number,
  now: number,
): AuditList => {
  const entries = store.listAudit(limit);
  const aftermath = Map.groupBy(
    store.listAftermath(entries.map(({ actionId }) => actionId)),
    ({ actionId }) => actionId,
  );
  return {
    schema_version: SCHEMA_VERSION,
    generated_at: toIso(now),
    items: entries.map((entry) => ({
      action_id: entry.actionId,
      at: toIso(entry.at),
      surface: entry.surface,
      action: entry.action,
      ref: entry.ref,
      runtime_id: entry.runtimeId,
      snapshot_id: entry.snapshotId,
      outcome: entry.outcome,
      prompt_fingerprint: entry.promptFingerprint,
      text_length: entry.textLength,
      followed_by: (aftermath.get(entry.actionId) ?? []).map(toFollower),
    })),
  };
};
