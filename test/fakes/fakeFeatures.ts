// What a fake daemon's features answer the popover when a row is opened: that there is nothing. A daemon without them refuses the
// call, and browsers write each refusal into their console.
import { DOCUMENTS_CALLS } from "../../features/documents/calls.ts";
import type { FeatureAnswers } from "../../core/ports/feature.ts";

export const FAKE_FEATURES: readonly FeatureAnswers[] = [
  { name: "documents", calls: DOCUMENTS_CALLS, answer: () => [] },
];
