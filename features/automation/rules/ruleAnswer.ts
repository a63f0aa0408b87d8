// An answer that a rule would give, what it is about, and how it goes on record.
import { RUN_BEGUN, type RuleRun } from "../../../core/model/ruleRun.ts";
import type { ToldRequest } from "../../../core/model/toldRequest.ts";
import type { PaneView } from "../../../core/model/view.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import type { Judged } from "./judgeRequest.ts";
import type { Rule } from "./ruleFile.ts";

/** One asking of one agent. */
export interface Standing {
  readonly fingerprint: string;
  readonly since: number;
  /** Not before then. */
  notBefore: number;
  tries: number;
  /** Rules that noted or told it, by hash. */
  readonly noted: Set<string>;
  /** Nothing more is done about it. */
  isOver: boolean;
  /** What a rule in shadow would do now, for the row; null: none would do anything. */
  shadow: string | null;
}

export const newStanding = (fingerprint: string, now: number, stoodMs: number): Standing => ({
  fingerprint,
  since: now,
  notBefore: now + stoodMs,
  tries: 0,
  noted: new Set(),
  isOver: false,
  shadow: null,
});

/** A rule that would press a key. */
export interface Answer {
  readonly rule: Rule;
  readonly hash: string;
  readonly verdict: "approve" | "deny";
}

export const answerOf = ({ verdict, rule, hash }: Judged): Answer | null =>
  rule !== null && hash !== null && (verdict === "approve" || verdict === "deny")
    ? { rule, hash, verdict }
    : null;

export interface About {
  readonly row: PaneView;
  readonly request: ToldRequest;
  readonly standing: Standing;
}

/** The record of it before its first key. */
export const runOf = (
  { clock, redact }: Pick<FeatureContext, "clock" | "redact">,
  { rule, hash }: Answer,
  verdict: RuleRun["verdict"],
  { row, request, standing }: About,
): Omit<RuleRun, "runRow"> => {
  const text = (request.command ?? request.kind).replaceAll(/\s+/g, " ").slice(0, 2_000);
  return {
    rule: rule.name,
    hash,
    at: clock.now(),
    runtimeId: request.runtimeId,
    ref: row.identity.pane_ref,
    fingerprint: standing.fingerprint,
    verdict,
    command: redact(text).slice(0, 500),
    outcome: RUN_BEGUN,
    actionId: null,
  };
};
