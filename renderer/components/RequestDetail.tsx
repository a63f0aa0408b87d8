// What an agent asks, in full and as text: the command, the file or diff, the plan, the question with its options, and how
// long the agent itself waits. Options that can be chosen from here are buttons.
import type { PaneView } from "../../core/model/view.ts";
import type { Abilities } from "../state/abilities.ts";
import { displayLine, displayText } from "../text/displayText.ts";
import { TimeLeft } from "./Age.tsx";
import styles from "./RequestDetail.module.css";

type Request = NonNullable<PaneView["request"]>;

const HEADINGS: Readonly<Record<Request["kind"], string>> = {
  command: "Asks to run",
  edit: "Asks to edit",
  plan: "Plan to approve",
  trust: "Asks for trust",
  tool: "Asks to use a tool",
  question: "Question",
  other: "Asks for",
};

const DIFF_LINE = /^(?:\+(?!\+\+)|-(?!--))/;

/** A diff keeps its signs; colour only repeats them. */
const lineTone = (line: string): string | undefined =>
  DIFF_LINE.test(line) ? (line.startsWith("+") ? "added" : "removed") : undefined;

const looksLikeDiff = (text: string): boolean =>
  /^@@ .*@@/m.test(text) || text.split("\n").filter((line) => DIFF_LINE.test(line)).length > 1;

const Body = ({ request: { kind, body } }: { request: Request }) => {
  const text = displayText(body ?? "");
  const isDiff = kind === "edit" && looksLikeDiff(text);
  return (
    // The box scrolls, so the keyboard must reach it.
    <pre
      className={styles.body}
      data-prose={kind === "plan" || kind === "question"}
      tabIndex={0}
      aria-label="Full text of the request"
    >
      {isDiff
        ? text.split("\n").map((line, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- lines have no identity but their place
            <span key={index} className={styles.diffLine} data-tone={lineTone(line)}>
              {`${line}\n`}
            </span>
          ))
        : text}
    </pre>
  );
};

interface RequestDetailProps {
  request: Request;
  abilities: Abilities;
  onOption: (number: number) => void;
}

const Options = ({ request, abilities, onOption }: RequestDetailProps) => (
  <ol className={styles.options} aria-label="Options">
    {request.options.map((option, index) => {
      const number = index + 1;
      const label = displayLine(option.label);
      const hindrance = abilities.options[index] ?? null;
      return (
        // oxlint-disable-next-line react/no-array-index-key -- options have no identity but their place
        <li key={index}>
          {hindrance === null ? (
            <button type="button" className={styles.option} onClick={() => onOption(number)}>
              <kbd className={styles.number}>{number}</kbd>
              <span>{label}</span>
            </button>
          ) : (
            <span className={styles.option} title={`Not from here: ${hindrance}`}>
              <span className={styles.number}>{number}</span>
              <span>{label}</span>
            </span>
          )}
        </li>
      );
    })}
  </ol>
);

export const RequestDetail = (props: RequestDetailProps) => {
  const { request } = props;
  return (
    <section>
      <h2>
        {HEADINGS[request.kind]}
        {request.tool_name !== null && ` · ${displayLine(request.tool_name)}`}
      </h2>
      <p className={styles.title}>{displayLine(request.title)}</p>
      {request.body !== null && request.body !== request.title && <Body request={request} />}
      {request.options.length > 0 && <Options {...props} />}
      {request.expires_at !== null && (
        <p className={styles.quiet}>
          The agent goes on without an answer <TimeLeft until={Date.parse(request.expires_at)} />
        </p>
      )}
    </section>
  );
};
