// An evaluation as one JSON document, for programs. Pure.
import { summaryLine, type ReportInput } from "./report.ts";
import type { Scored } from "./score.ts";

const toJsonCase = (one: Scored) => ({
  agent: one.agent,
  agent_version: one.version,
  frame: one.frame,
  variation: one.variation,
  mode: one.mode,
  expected: {
    state: one.label.state,
    reason_code: one.label.reason_code ?? null,
    also: one.label.also ?? [],
  },
  got:
    one.atFrame === null
      ? null
      : { agent: one.atFrame.agent, state: one.atFrame.state, reason_code: one.atFrame.reasonCode },
  outcome: one.outcome,
  seen_from_start: one.hasLead && one.mode === "both",
  approval: one.approval,
  is_failure: one.isFailure,
  is_reason_right: one.isReasonRight,
  rule: one.atFrame?.rule ?? null,
});

export const toJson = (input: ReportInput) => ({
  schema_version: "1.0",
  corpus: input.corpusFolder,
  passed: input.evaluation.isPassed,
  summary: summaryLine(input),
  took_ms: Math.round(input.tookMs),
  too_often_unknown: input.evaluation.tooOftenUnknown,
  without_adapter: input.evaluation.withoutAdapter,
  broken: input.evaluation.broken,
  told_requests: input.evaluation.toldRequests,
  problems: input.corpus.problems,
  cases: input.evaluation.scored.map(toJsonCase),
});
