// One candidate for the state of a runtime, on its way through the rules.
import type { PromptRequest } from "../../model/request.ts";
import type { Verdict } from "../../model/resolution.ts";
import type { Confidence, Status } from "../../model/state.ts";
import type { ActivityEvidence, ObservationEvidence, RequestEvidence } from "../facts.ts";

export interface Candidate {
  evidence: ActivityEvidence | RequestEvidence | ObservationEvidence;
  lane: string;
  status: Status;
  confidence: Confidence;
  since: number;
  request: PromptRequest | null;
  requestId: string | null;
  /** Of a request: when it was answered, epoch ms; absent where that is not known. */
  answeredAt?: number | null;
  outcome: Verdict["outcome"] | "survives";
  rule: string;
  /** When time alone will change this candidate, or null. */
  changesAt: number | null;
}

/** What the person should see of a finished turn that is no longer fresh, and of an error that was dismissed. */
export const AT_ITS_PROMPT: Status = { state: "idle", reasonCode: "demoted" };
