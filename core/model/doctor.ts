// The doctor: the report with its findings, one per link of the chain from the agent's hook to the person's screen, and how one
// check is run. What is checked is in core/doctor and in the command line.
import * as z from "zod";
import { SCHEMA_VERSION } from "./view.ts";
import { endsWithin } from "./endsWithin.ts";
import type { AgtmuxError } from "./errors.ts";

/** `warning`: it works, but less well than it could. `skipped`: there was nothing to check, and why. */
const findingStatusSchema = z.enum(["ok", "warning", "problem", "skipped"]);
export type FindingStatus = z.infer<typeof findingStatusSchema>;

const findingGroupSchema = z.enum(["client", "home", "daemon", "target", "agent"]);
type FindingGroup = z.infer<typeof findingGroupSchema>;

/** `check` is stable; `summary` is one sentence; `evidence` what was seen; `remedy` what to do, a command where there is one. */
const findingSchema = z.object({
  check: z.string(),
  group: findingGroupSchema,
  target: z.string().nullable(),
  tmux_server: z.string().nullable(),
  agent: z.string().nullable(),
  status: findingStatusSchema,
  summary: z.string(),
  evidence: z.string().nullable(),
  remedy: z.string().nullable(),
});
export type Finding = z.infer<typeof findingSchema>;

export const doctorReportSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  generated_at: z.string(),
  filters: z.object({ target: z.string().nullable() }),
  summary: z.record(findingStatusSchema, z.number().int()),
  findings: z.array(findingSchema),
});
export type DoctorReport = z.infer<typeof doctorReportSchema>;

// Running a check: each has its own time limit, and an error becomes a finding too, so that no check can stop another. The daemon
// and the command line use this, so it must load fast.

/** Characters of a text that a check quotes. */
const MAX_TEXT = 2_000;

/** What one check says. A problem and a warning name what to do. */
export type Diagnosis =
  | { status: Extract<FindingStatus, "ok" | "skipped">; summary: string; evidence?: string; remedy?: string }
  | {
      status: Extract<FindingStatus, "warning" | "problem">;
      summary: string;
      evidence?: string;
      remedy: string;
    };

/** What a check is about; a missing field does not apply. */
export interface Place {
  group: FindingGroup;
  target?: string;
  server?: string;
  agent?: string;
}

export interface Check {
  /** Stable name, dotted: what scripts look for. */
  name: string;
  place: Place;
  /** Longest time in ms; a check that takes longer is not awaited. */
  limitMs: number;
  /** Null: nothing to say. */
  run: () => Promise<Diagnosis | readonly Diagnosis[] | null> | Diagnosis | readonly Diagnosis[] | null;
}

/** Calls back once after `delayMs`; returns a cancel function. */
export type SetTimer = (delayMs: number, callback: () => void) => () => void;

const bounded = (text: string | undefined): string | null =>
  text === undefined || text === "" ? null : text.slice(0, MAX_TEXT);

const toFinding = ({ name, place }: Check, diagnosis: Diagnosis): Finding => ({
  check: name,
  group: place.group,
  target: place.target ?? null,
  tmux_server: place.server ?? null,
  agent: place.agent ?? null,
  status: diagnosis.status,
  summary: diagnosis.summary.slice(0, MAX_TEXT),
  evidence: bounded(diagnosis.evidence),
  remedy: bounded(diagnosis.remedy),
});

/** Recognised by its shape, because a bundle may hold a copy of the class. */
const isAgtmuxError = (error: unknown): error is AgtmuxError =>
  error instanceof Error && error.name === "AgtmuxError" && "remedy" in error;

/** An error that says what to do, as a problem. */
export const toProblem = (error: unknown, summary: string): Diagnosis => ({
  status: "problem",
  summary,
  evidence: error instanceof Error ? error.message : String(error),
  remedy: isAgtmuxError(error)
    ? error.remedy
    : "See the daemon's log and report it with 'agtmux doctor --json'.",
});

const runOne = async (check: Check, setTimer: SetTimer): Promise<Finding[]> => {
  try {
    const running = Promise.resolve().then(check.run);
    const said: Awaited<typeof running> = (await endsWithin(running, check.limitMs, { setTimer }))
      ? await running
      : {
          status: "problem",
          summary: `The check did not end within ${check.limitMs / 1_000} s.`,
          remedy: "Run 'agtmux doctor' again when the machine is less busy.",
        };
    if (said === null) return [];
    return (Array.isArray(said) ? said : [said]).map((diagnosis: Diagnosis) => toFinding(check, diagnosis));
  } catch (error) {
    return [toFinding(check, toProblem(error, "The check failed."))];
  }
};

/** Runs all checks side by side; findings come in the order of the checks. Never rejects. */
export const runChecks = async (checks: readonly Check[], setTimer: SetTimer): Promise<Finding[]> =>
  (await Promise.all(checks.map((check) => runOne(check, setTimer)))).flat();

/** A finding with secrets taken out of its texts, because evidence quotes programs, files and errors. */
export const redactFinding = (finding: Finding, redact: (text: string) => string): Finding => ({
  ...finding,
  summary: redact(finding.summary),
  evidence: finding.evidence === null ? null : redact(finding.evidence),
  remedy: finding.remedy === null ? null : redact(finding.remedy),
});
