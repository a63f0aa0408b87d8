// Gives ingest what it leaves to the daemon: the store, how runtimes get their ids, and how secrets are taken out.
import { createHash } from "node:crypto";
import { createPromptFingerprint } from "../actions/fingerprint.ts";
import { Ingest } from "../ingest/ingest.ts";
import type { IngestDeps } from "../ingest/ledger.ts";
import type { DurableStore } from "../store/durableStore.ts";
import { redactEvidence } from "../store/redactEvidence.ts";
import { redactText } from "../store/redactText.ts";

export interface OpenIngestDeps extends Pick<
  IngestDeps,
  "clock" | "ids" | "logger" | "timing" | "adapterOf"
> {
  store: DurableStore;
}

const hashId = (parts: readonly string[]): string =>
  `rt_${createHash("sha256").update(parts.join("\u0000")).digest("hex").slice(0, 16)}`;

/** With what the store holds in memory; a store that loses its file later gets the present from it. */
export const openIngest = (deps: OpenIngestDeps): Ingest => {
  const ingest = new Ingest({
    ...deps,
    runtimeIdOf: hashId,
    redact: redactEvidence,
    redactText,
    fingerprintOf: createPromptFingerprint(),
  });
  deps.store.onReplaced(() => ingest.afterLoss());
  return ingest;
};
