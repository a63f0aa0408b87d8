// What an agent asks, in full and as text: the command, the file or diff, the plan, the question with its options, and how
// long the agent itself waits. Options that can be chosen from here are buttons.
import type { PaneView } from "../../core/model/view.ts";
import type { DisabledReason } from "../../ui/actions/disabledReasons.ts";
import { displayLine, displayText } from "../../ui/text/displayText.ts";
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

/** A diff keeps its signs; colour only repeats them. */
const lineTone = (line: string): string | undefined =>
  line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : undefined;

/** A long text is folded into a box that scrolls, so the keyboard must reach it. */
const Text = ({ text, kind, isFolded }: { text: string; kind: Request["kind"]; isFolded: boolean }) => (
  <pre
    className={styles.body}
    data-prose={kind === "plan" || kind === "question"}
    data-folded={isFolded}
    {...(isFolded ? { tabIndex: 0 } : {})}
    aria-label={isFolded ? "Text of the request, folded" : "Full text of the request"}
  >
    {displayText(text)}
  </pre>
);

const Difference = ({ content, isFolded }: { content: string; isFolded: boolean }) => (
  <pre
    className={styles.body}
    data-folded={isFolded}
    {...(isFolded ? { tabIndex: 0 } : {})}
    aria-label={isFolded ? "What it writes, folded" : "All that it writes"}
  >
    {displayText(content)
      .split("\n")
      .map((line, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- lines have no identity but their place
        <span key={index} className={styles.diffLine} data-tone={lineTone(line)}>
          {`${line}\n`}
        </span>
      ))}
  </pre>
);

interface RequestDetailProps {
  request: Request;
  /** The reasons why options cannot be chosen, by the option's place. */
  optionReasons: readonly DisabledReason[];
  isShownWhole: boolean;
  onShowWhole: () => void;
  /** An action on the pane is running. */
  isBusy: boolean;
  onOption: (number: number) => void;
}

const Options = ({ request, optionReasons, isBusy, onOption }: RequestDetailProps) => (
  <ol className={styles.options} aria-label="Options">
    {request.options.map((option, index) => {
      const number = index + 1;
      const label = displayLine(option.label);
      const reason = optionReasons[index] ?? null;
      const description = (option.description ?? "") !== "" && (
        <small className={styles.description}>{displayLine(option.description ?? "")}</small>
      );
      return (
        // oxlint-disable-next-line react/no-array-index-key -- options have no identity but their place
        <li key={index}>
          {reason === null ? (
            <button
              type="button"
              className={styles.option}
              aria-disabled={isBusy}
              onClick={() => isBusy || onOption(number)}
            >
              <kbd className={styles.number}>{number}</kbd>
              <span>
                {label}
                {description}
              </span>
            </button>
          ) : (
            <span className={styles.option} title={`Not from here: ${reason}`}>
              <span className={styles.number}>{number}</span>
              <span>
                {label}
                {description}
              </span>
            </span>
          )}
        </li>
      );
    })}
  </ol>
);

export const RequestDetail = (props: RequestDetailProps) => {
  const { request, isShownWhole } = props;
  const { body, content = null } = request;
  const isFolded = !isShownWhole;
  return (
    <section>
      <h2>
        {HEADINGS[request.kind]}
        {request.tool_name !== null && ` · ${displayLine(request.tool_name)}`}
      </h2>
      <p className={styles.title}>{displayLine(request.title)}</p>
      {body !== null && body !== request.title && (
        <Text text={body} kind={request.kind} isFolded={isFolded} />
      )}
      {content !== null && <Difference content={content} isFolded={isFolded} />}
      {isFolded && (
        <button type="button" className={styles.whole} onClick={props.onShowWhole}>
          Show whole <kbd className={styles.number}>W</kbd>
        </button>
      )}
      {!request.is_whole && (
        <p className={styles.part}>Not shown whole: a part of it could not be read. Attach to read it.</p>
      )}
      {request.options.length > 0 && <Options {...props} />}
      {request.expires_at !== null && (
        <p className={styles.quiet}>
          The agent goes on without an answer <TimeLeft until={Date.parse(request.expires_at)} />
        </p>
      )}
    </section>
  );
};
