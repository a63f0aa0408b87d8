// What an agent asks, to the letter and as text: the command, the file with its difference, the plan, the question, and how
// long the agent itself waits.
import type { RequestView } from "../../core/model/request.ts";
import { remarkText, requestHeading } from "../../core/model/requestWords.ts";
import { displayText } from "../../ui/text/displayText.ts";
import { boundPart, type CardPart } from "../../ui/actions/cardView.ts";
import { COLUMNS } from "../../ui/text/requestText.ts";
import { TimeLeft } from "./Age.tsx";
import styles from "./RequestText.module.css";

/** How much of a long request is shown before it is unfolded. */
const FOLDED_ROWS = 6;

const FOLDED_REMARK_ROWS = 2;

/** A diff keeps its signs; colour only repeats them. */
const lineTone = (line: string): string | undefined =>
  line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : undefined;

/** Neighbouring lines of one tone: a long edit is then not thousands of elements. */
const runsOf = (content: string): { tone: string | undefined; text: string }[] => {
  const runs: { tone: string | undefined; text: string }[] = [];
  for (const line of content.split("\n")) {
    const tone = lineTone(line);
    const last = runs.at(-1);
    if (last !== undefined && last.tone === tone) last.text += `${line}\n`;
    else runs.push({ tone, text: `${line}\n` });
  }
  return runs;
};

const Difference = ({ content }: { content: string }) =>
  runsOf(content).map(({ tone, text }, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- lines have no identity but their place
    <span key={index} className={styles.diffLine} data-tone={tone}>
      {text}
    </span>
  ));

interface RequestTextProps {
  request: RequestView;
  /** All of it is shown; otherwise its beginning. */
  isWhole: boolean;
}

/** The text or its beginning, as it is drawn. */
const partOf = (part: CardPart, isWhole: boolean): string =>
  isWhole ? displayText(part.text) : `${boundPart(part, { rows: FOLDED_ROWS, columns: COLUMNS }).text}…`;

const Body = ({ request, isWhole }: RequestTextProps) => {
  const { body, kind } = request;
  const content = request.content ?? null;
  return (
    <>
      {body !== null && (
        <pre
          className={styles.body}
          data-prose={kind === "plan" || kind === "question"}
          data-part={content === null ? "all" : "path"}
          aria-label={isWhole ? "Full text of the request" : "Beginning of the request"}
        >
          {partOf({ kind: "command", text: body }, isWhole || content !== null)}
        </pre>
      )}
      {content !== null && (
        <pre
          className={styles.body}
          data-part="content"
          aria-label={isWhole ? "All that it writes" : "Beginning of what it writes"}
        >
          <Difference content={partOf({ kind: "change", text: content }, isWhole)} />
        </pre>
      )}
    </>
  );
};

export const RequestText = ({ request, isWhole }: RequestTextProps) => {
  const heading = requestHeading(request);
  const remark = remarkText(request);
  return (
    <>
      {heading !== "" && <p className={styles.heading}>{heading}</p>}
      <Body request={request} isWhole={isWhole} />
      {remark !== "" && (
        <p className={styles.quiet} data-part="remark">
          {isWhole
            ? displayText(remark)
            : boundPart({ kind: "remark", text: remark }, { rows: FOLDED_REMARK_ROWS, columns: COLUMNS })
                .text}
        </p>
      )}
      {request.expires_at !== null && (
        <p className={styles.quiet}>
          The agent goes on without an answer <TimeLeft until={Date.parse(request.expires_at)} />
        </p>
      )}
    </>
  );
};
