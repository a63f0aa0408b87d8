// What a person reads of an evaluation, as Markdown. Pure.
import { VARIATION_KINDS } from "./variations.ts";
import { CANONICAL_STATES } from "../../core/model/state.ts";
import { NO_AGENT, type Corpus } from "./corpus.ts";
import type { Evaluation } from "./evaluate.ts";
import { MODES, type Mode } from "./playback.ts";
import type { Approval } from "./ruleAnswers.ts";
import { OUTCOMES, type Outcome, type Scored } from "./score.ts";

export interface ReportInput {
  corpusFolder: string;
  corpus: Corpus;
  evaluation: Evaluation;
  tookMs: number;
}

const STATES: readonly string[] = [...CANONICAL_STATES, NO_AGENT];
/** Neither right nor explained by what the witnesses can know. */
const isMiss = ({ outcome }: Scored): boolean =>
  !(["right", "also", "no_event", "left_wait", "no_wait"] as Outcome[]).includes(outcome);

const HEARD: Readonly<Record<Mode, string>> = {
  events: "events only",
  screen: "screen only",
  both: "events and screen",
};

/** Table cells hold recorded screens and agents' words: no pipes, no control characters, no line breaks. */
const cell = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}]+/gu, " ")
    .replaceAll("|", "\\|")
    .slice(0, 200)
    .trim();

const row = (cells: readonly (string | number)[]): string =>
  `| ${cells.map((one) => cell(String(one))).join(" | ")} |`;

const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [row(head), `|${"---|".repeat(head.length)}`, ...rows.map(row)].join("\n");

const count = (scored: readonly Scored[], isCounted: (one: Scored) => boolean): number =>
  scored.filter(isCounted).length;

const shownState = (one: Scored): string => one.atFrame?.state ?? NO_AGENT;

const confusion = (scored: readonly Scored[]): string => {
  const used = STATES.filter((state) =>
    scored.some((one) => one.label.state === state || shownState(one) === state),
  );
  return table(
    ["truth \\ shown", ...used],
    used
      .filter((state) => scored.some((one) => one.label.state === state))
      .map((truth) => [
        truth,
        ...used.map((state) => {
          const both = scored.filter((one) => one.label.state === truth && shownState(one) === state);
          const varied = count(both, (one) => one.variation !== null);
          return both.length === 0 ? "" : varied === 0 ? both.length : `${both.length - varied} + ${varied}`;
        }),
      ]),
  );
};

const matrices = ({ scored }: Evaluation): string =>
  Array.from(
    Map.groupBy(scored, (one) => `${one.agent}: ${one.version}`),
    ([title, ofAgent]) =>
      [
        `### ${title}`,
        ...MODES.map((mode) => {
          const ofMode = ofAgent.filter((one) => one.mode === mode);
          return `${HEARD[mode]}\n\n${confusion(ofMode)}`;
        }),
      ].join("\n\n"),
  ).join("\n\n");

const misses = (scored: readonly Scored[]): string =>
  scored.length === 0
    ? "None."
    : table(
        ["frame", "variation", "heard", "truth", "shown", "counts as", "fails", "rule and evidence"],
        scored.map((one) => [
          `${one.agent}/${one.frame}`,
          one.variation ?? "",
          HEARD[one.mode],
          one.label.state,
          one.got,
          one.outcome.replace("_", " "),
          one.isFailure ? "yes" : "",
          one.atFrame?.rule ?? "",
        ]),
      );

const outcomesTable = ({ scored }: Evaluation): string => {
  const kinds = [null, ...VARIATION_KINDS];
  const used = OUTCOMES.filter((outcome) => scored.some((one) => one.outcome === outcome));
  return table(
    ["screens", "heard", ...used.map((outcome) => outcome.replace("_", " "))],
    kinds.flatMap((kind) =>
      MODES.flatMap((mode) => {
        const cases = scored.filter((one) => one.kind === kind && one.mode === mode);
        const counts = used.map((outcome) => count(cases, (one) => one.outcome === outcome));
        return cases.length === 0 ? [] : [[kind ?? "recorded", HEARD[mode], ...counts]];
      }),
    ),
  );
};

const reasons = ({ scored }: Evaluation): string => {
  const rated = scored.filter((one) => one.isReasonRight !== null && one.variation === null);
  const wrong = rated.filter((one) => one.isReasonRight === false);
  const lines = MODES.map((mode) => {
    const ofMode = rated.filter((one) => one.mode === mode);
    return `- ${HEARD[mode]}: ${count(ofMode, (one) => one.isReasonRight === true)} of ${ofMode.length} right`;
  });
  const list = table(
    ["frame", "heard", "truth", "shown"],
    wrong.map((one) => [
      `${one.agent}/${one.frame}`,
      HEARD[one.mode],
      `${one.label.state}/${one.label.reason_code}`,
      `${shownState(one)}/${one.atFrame?.reasonCode}`,
    ]),
  );
  return [lines.join("\n"), ...(wrong.length === 0 ? [] : [list])].join("\n\n");
};

const names = (scored: readonly Scored[]): string =>
  scored.length === 0
    ? "None."
    : scored.map((one) => `- ${one.agent}/${one.frame}: ${one.label.state}, shown ${one.got}`).join("\n");

const seenFromStart = (scored: readonly Scored[]): string => {
  const led = scored.filter((one) => one.hasLead && one.mode === "both" && one.variation === null);
  return led.length === 0 ? "None." : led.map(({ agent, frame }) => `${agent}/${frame}`).join(", ");
};

const wrongApprovals = ({ scored, toldRequests }: Evaluation): number =>
  count(scored, (one) => one.approval === "outside") +
  toldRequests.reduce((sum, { outside }) => sum + outside.length, 0);

const approvals = ({ scored, toldRequests }: Evaluation): string => {
  const of = (approval: Approval, kind: Scored["kind"]): number =>
    count(scored, (one) => one.approval === approval && one.kind === kind);
  const head = ["plays", "approved", "approved outside of what was asked"];
  const own = table(
    ["screens", ...head],
    [null, ...VARIATION_KINDS].map((kind) => [
      kind ?? "recorded",
      count(scored, (one) => one.kind === kind),
      of("exact", kind),
      of("outside", kind),
    ]),
  );
  const told = table(
    ["screens behind the events of", ...head],
    toldRequests.map(({ agent, teller, screens, exact, outside }) => [
      `${agent}/${teller}`,
      screens,
      exact,
      outside.length,
    ]),
  );
  return [
    own,
    told,
    ...toldRequests.flatMap(({ outside }) => outside.map((one) => `WRONG ${cell(one)}`)),
  ].join("\n\n");
};

const bullets = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join("\n");

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** One line; the last of the report. */
export const summaryLine = ({ corpus, evaluation, tookMs }: ReportInput): string => {
  const { scored, withoutAdapter, tooOftenUnknown, broken, isPassed } = evaluation;
  const of = (outcome: Outcome): number => count(scored, (one) => one.outcome === outcome);
  const frames = new Set(scored.map((one) => `${one.agent}/${one.frame}`));
  const agents = new Set(scored.map((one) => one.agent));
  return [
    `${isPassed ? "PASS" : "FAIL"}: ${counted(frames.size, "frame")} of ${counted(agents.size, "agent")}`,
    `${counted(scored.length, "run")} in ${(tookMs / 1_000).toFixed(1)} s`,
    counted(of("false_wait"), "false wait"),
    counted(of("missed_wait"), "missed wait"),
    counted(
      count(scored, (one) => one.isFailure),
      "failure",
    ),
    counted(wrongApprovals(evaluation), "approval") + " by rules outside of what was asked",
    counted(of("unknown") + of("unread") + of("no_room"), "unrecognised screen"),
    ...(tooOftenUnknown.length === 0
      ? []
      : [`too often unknown: ${tooOftenUnknown.map(({ agent }) => agent).join(", ")}`]),
    ...(withoutAdapter.length === 0
      ? []
      : [`no adapter: ${withoutAdapter.map(({ agent }) => agent).join(", ")}`]),
    ...(broken.length === 0 ? [] : [`${counted(broken.length, "frame")} broke the run`]),
    ...(corpus.problems.length === 0 ? [] : [counted(corpus.problems.length, "file problem")]),
  ].join("; ");
};

export const toMarkdown = (input: ReportInput): string => {
  const { corpusFolder, corpus, evaluation } = input;
  const { scored, withoutAdapter, tooOftenUnknown, broken } = evaluation;
  const problems = [
    ...broken.map(({ frame, problem }) => `${frame}: threw ${cell(problem)}`),
    ...corpus.problems.map(({ file, problem }) => `${file}: ${cell(problem)}`),
  ];
  const missed = scored.filter(isMiss);
  return `# Detection

Corpus: ${corpusFolder}, ${counted(corpus.frames.length, "labelled frame")}. Each goes through the registry, Ingest over a real
store and sustained screen reads, as in production. Variations are made of the recorded screens.

## Outcomes

${outcomesTable(evaluation)}

${
  tooOftenUnknown.length === 0
    ? "No agent's recorded screens are too often unknown."
    : bullets(
        tooOftenUnknown.map(
          ({ agent, unknown, frames }) =>
            `${agent}: ${unknown} of ${frames} recorded screens are unknown; too many`,
        ),
      )
}

## Approvals by rules

Rules that name whatever is asked, by the judge and the doubts of the product. One is right where just that command was recorded as
asked for, and stands on the screen as a whole, in one row. Below, every screen of an agent is shown behind the events of a request
that can be approved.

${approvals(evaluation)}

## Seen from the start

No event was recorded of these frames. Where both witnesses are heard, the pane was first read at the agent's recorded fresh
prompt, as a daemon that was there from the start would have.

${seenFromStart(scored)}

## Misses of recorded frames

${misses(missed.filter((one) => one.variation === null))}

## Misses of variations

${misses(missed.filter((one) => one.variation !== null))}

## Reasons

${reasons(evaluation)}

## Told by no event

${names(scored.filter((one) => one.outcome === "no_event"))}

## Waits that a person ended without an event

${names(scored.filter((one) => one.outcome === "left_wait"))}

## Confusion, recorded + varied

${matrices(evaluation)}

## Not evaluated

${withoutAdapter.length === 0 ? "Every agent has an adapter." : bullets(withoutAdapter.map(({ agent, frames }) => `${agent}: no adapter, ${counted(frames, "frame")} left out`))}
${problems.length === 0 ? "" : `\n${bullets(problems)}\n`}
${summaryLine(input)}
`;
};
