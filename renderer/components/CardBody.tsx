// What a card asks and the buttons that answer it, as the view model has them: the command, the difference, the question with its
// options, the error. A request that is too long is cut at first, and while it is cut no
// button allows it.
import type { ReactNode } from "react";
import type { PaneView } from "../../core/model/view.ts";
import { cardView, type CardOption, type CardView } from "../../ui/actions/cardView.ts";
import type { ActionContext } from "../../ui/actions/disabledReasons.ts";
import { chooseOption, notPossible, type PaneAction } from "../../ui/actions/paneActions.ts";
import { displayLine, displayText } from "../../ui/text/displayText.ts";
import { boundPart, expiryText, type RequestPart } from "../../ui/text/requestText.ts";
import { usePopover } from "../state/popover.ts";
import { askedOf, isOfCard } from "../state/readGate.ts";
import { TimeText } from "./Age.tsx";
import { ActionButton } from "./Buttons.tsx";
import styles from "./CardBody.module.css";

interface CardBodyProps {
  pane: PaneView;
  context: ActionContext;
  /** An action on the pane is running. */
  isBusy: boolean;
}

interface CardProps extends CardBodyProps {
  view: CardView;
  /** Runs what a button of the card stands for, if the card was read. */
  run: (action: PaneAction) => void;
}

const Option = ({
  option: { number, label, description, reason, isTicked },
  isBusy,
  onChoose,
}: {
  option: CardOption;
  isBusy: boolean;
  onChoose: (number: number) => void;
}) => {
  const words = (
    <span className={styles.label}>
      {isTicked !== null && <span aria-hidden="true">{isTicked ? "☑" : "☐"}</span>}
      {label}
      {description !== "" && <small className={styles.description}>{description}</small>}
    </span>
  );
  return reason === null ? (
    <button
      type="button"
      className={styles.option}
      aria-pressed={isTicked ?? undefined}
      aria-disabled={isBusy}
      onClick={() => isBusy || onChoose(number)}
    >
      <kbd className={styles.number}>{number}</kbd>
      {words}
    </button>
  ) : (
    <span className={styles.option} title={`Not available: ${reason}`}>
      <span className={styles.number}>{number}</span>
      {words}
    </span>
  );
};

/** The last one is a text of the person's own, where the prompt takes one. */
const Options = ({ pane, view: { options, answers }, isBusy, run }: CardProps) => {
  const { gate, surface } = usePopover();
  const reply = answers.find(({ id }) => id === "reply");
  if (options.length === 0 && reply === undefined) return null;
  const choose = (number: number) => {
    if (!gate.dropsKey(pane.identity.pane_ref, askedOf(pane))) chooseOption(pane, number, surface);
  };
  return (
    <ol className={styles.options} aria-label="Options">
      {options.map((option) => (
        <li key={option.number}>
          <Option option={option} isBusy={isBusy} onChoose={choose} />
        </li>
      ))}
      {reply !== undefined && (
        <li>
          <button
            type="button"
            className={styles.option}
            aria-keyshortcuts={reply.key}
            onClick={() => run(reply)}
          >
            <kbd className={styles.number}>{reply.key.toUpperCase()}</kbd>
            <span className={styles.label}>{reply.name}</span>
          </button>
        </li>
      )}
    </ol>
  );
};

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

interface PartProps {
  part: RequestPart;
  /** All of it is shown; otherwise its beginning. */
  isWhole: boolean;
  /** It stands above what is written to it. */
  isPath: boolean;
}

const Part = ({ part, isWhole, isPath }: PartProps) => {
  if (part.kind === "remark")
    return (
      <p className={styles.quiet} data-part="remark">
        {isWhole ? displayText(part.text) : boundPart(part, FOLDED_REMARK_ROWS)}
      </p>
    );
  const text = isWhole || isPath ? displayText(part.text) : `${boundPart(part, FOLDED_ROWS)}…`;
  return part.kind === "change" ? (
    <pre
      className={styles.body}
      data-part="content"
      aria-label={isWhole ? "Everything it writes" : "Start of what it writes"}
    >
      <Difference content={text} />
    </pre>
  ) : (
    <pre
      className={styles.body}
      data-prose={part.kind === "prose"}
      data-part={isPath ? "path" : "all"}
      aria-label={isWhole ? "Full text of the request" : "Start of the request"}
    >
      {text}
    </pre>
  );
};

/** All of what is asked but its title, to the letter. */
export const Parts = ({ parts, isWhole }: { parts: CardView["parts"]; isWhole: boolean }) => {
  const isEdit = parts.some(({ kind }) => kind === "change");
  return parts.map((part) => (
    <Part key={part.kind} part={part} isWhole={isWhole} isPath={isEdit && part.kind !== "change"} />
  ));
};

const Asked = (props: CardProps) => {
  const { pane, view } = props;
  const { request } = pane;
  if (request === null) return null;
  const { heading, parts, isShownWhole } = view;
  return (
    <div data-asked={pane.prompt_fingerprint ?? ""}>
      {heading !== "" && <p className={styles.heading}>{heading}</p>}
      <Parts parts={parts} isWhole={isShownWhole} />
      {request.expires_at !== null && (
        <p className={styles.quiet}>
          <TimeText textAt={(now) => expiryText(request, now)} />
        </p>
      )}
      <Options {...props} />
    </div>
  );
};

/** Why it cannot be answered from here; what is only folded says so by its button. */
const Missing = ({ pane, context, view: { note, isShownWhole } }: CardProps) => {
  if (note !== "") return <p className={styles.part}>{note}</p>;
  if (!isShownWhole) return null;
  return notPossible(pane, context, ({ isAnswer }) => isAnswer === true).map((sentence) => (
    <p key={sentence} className={styles.missing}>
      {displayLine(sentence)}
    </p>
  ));
};

/** So short that the answers stay in one row. */
const AttachSign = () => (
  <svg className={styles.sign} viewBox="0 0 16 16" aria-hidden="true">
    <path d="M6.5 3.5h-3v9h9v-3M9 3.5h3.5V7m0-3.5-5 5" fill="none" stroke="currentColor" strokeWidth="1.5" />
  </svg>
);

/** What stands on a button in place of its name. */
const SHORT: Readonly<Record<string, ReactNode>> = {
  attach: <AttachSign />,
  rule: "Rule…",
};

/** A line or a place of its own stands for them, or a button of the row's detail. */
const ELSEWHERE: ReadonlySet<string> = new Set(["reply", "attach", "denyBecause"]);

const Buttons = ({ pane, view, isBusy, run }: CardProps) => {
  const { list } = usePopover();
  const button = (action: PaneAction) => (
    <ActionButton
      key={action.id}
      tone={action.tone ?? "plain"}
      shortcut={action.key}
      {...(SHORT[action.id] === undefined ? {} : { label: action.name })}
      {...(action.id === "attach" ? {} : { isDisabled: isBusy })}
      onClick={() => run(action)}
    >
      {SHORT[action.id] ?? action.name}
    </ActionButton>
  );
  return (
    <div className={styles.buttons} role="group" aria-label="Answers">
      {!view.isShownWhole && (
        <ActionButton shortcut="ArrowRight" onClick={() => list.showWhole(pane)}>
          Show all {view.lineCount} lines
        </ActionButton>
      )}
      {view.answers.filter(({ id }) => !ELSEWHERE.has(id)).map(button)}
      <span className={styles.summary}>{view.summary}</span>
      {view.answers.filter(({ id }) => id === "attach").map(button)}
    </div>
  );
};

export const CardBody = (props: CardBodyProps) => {
  const { pane, context } = props;
  const { gate, surface } = usePopover();
  const run = (action: PaneAction) => {
    const card = [pane.identity.pane_ref, askedOf(pane)] as const;
    const isRead = isOfCard(action)
      ? gate.letsClick(...card)
      : action.isAnswer !== true || !gate.dropsKey(...card);
    if (isRead) action.run(pane, surface);
  };
  const card = { ...props, view: cardView(pane, context), run };
  return (
    <>
      <Asked {...card} />
      <Missing {...card} />
      <Buttons {...card} />
    </>
  );
};
