// What a card asks and the buttons that answer it: the command, the difference, the question with its options, the error. What
// is too long is cut at first, and then has no button that allows it.
import { type DisabledReason, optionReasons, type ActionContext } from "../../ui/actions/disabledReasons.ts";
import { displayLine, displayText } from "../../ui/text/displayText.ts";
import { type ListedOption, boundPart, type CardPart, listedOptions } from "../../ui/actions/cardView.ts";
import { COLUMNS, lineCount } from "../../ui/text/requestText.ts";
import type { RequestView } from "../../core/model/request.ts";
import { remarkText, requestHeading, changeSummary } from "../../core/model/words.ts";
import { TimeLeft } from "./Age.tsx";
import type { PaneView } from "../../core/model/view.ts";
import {
  actionOf,
  answerPrompt,
  notPossible,
  type PaneAction,
  type PaneActionId,
} from "../../ui/actions/paneActions.ts";
import { askedOf, isOfCard } from "../state/readGate.ts";
import { usePopover } from "../state/popover.ts";
import { ActionButton } from "./Buttons.tsx";
import styles from "./CardBody.module.css";

// The options of a prompt, each with what the agent says about it; those that can be chosen from here are buttons. The last one
// is a text of the person's own, where the prompt takes one.

interface OptionsProps {
  /** Those that no other button stands for. */
  listed: readonly ListedOption[];
  /** The reasons why options cannot be chosen, by the option's place. */
  reasons: readonly DisabledReason[];
  /** An action on the pane is running. */
  isBusy: boolean;
  onOption: (number: number) => void;
  /** Null: the prompt takes no text. */
  onType: (() => void) | null;
}

const Label = ({ option: { label, description } }: ListedOption) => (
  <span className={styles.label}>
    {displayLine(label)}
    {(description ?? "") !== "" && (
      <small className={styles.description}>{displayLine(description ?? "")}</small>
    )}
  </span>
);

const Options = ({ listed, reasons, isBusy, onOption, onType }: OptionsProps) => {
  if (listed.length === 0 && onType === null) return null;
  return (
    <ol className={styles.options} aria-label="Options">
      {listed.map((one) => {
        const reason = reasons[one.number - 1] ?? null;
        return (
          <li key={one.number}>
            {reason === null ? (
              <button
                type="button"
                className={styles.option}
                aria-disabled={isBusy}
                onClick={() => isBusy || onOption(one.number)}
              >
                <kbd className={styles.number}>{one.number}</kbd>
                <Label {...one} />
              </button>
            ) : (
              <span className={styles.option} title={`Not from here: ${reason}`}>
                <span className={styles.number}>{one.number}</span>
                <Label {...one} />
              </span>
            )}
          </li>
        );
      })}
      {onType !== null && (
        <li>
          <button type="button" className={styles.option} aria-keyshortcuts="r" onClick={onType}>
            <kbd className={styles.number}>R</kbd>
            <span className={styles.label}>Type an answer…</span>
          </button>
        </li>
      )}
    </ol>
  );
};

// What an agent asks, to the letter and as text: the command, the file with its difference, the plan, the question, and how
// long the agent itself waits.

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

interface CardBodyProps {
  pane: PaneView;
  context: ActionContext;
  /** An action on the pane is running. */
  isBusy: boolean;
}

const ANSWERS: readonly PaneActionId[] = ["approve", "deny", "dismiss", "rule", "goOn"];

/** Why it cannot be answered from here; what is only folded says so by its button. */
const Missing = ({ pane, context }: Omit<CardBodyProps, "isBusy">) => {
  const isFolded = pane.request !== null && !context.isShownWhole(pane);
  const sentences = isFolded ? [] : notPossible(pane, context, ({ isAnswer }) => isAnswer === true);
  const isPart = pane.request !== null && !pane.request.is_whole;
  if (isPart)
    return <p className={styles.part}>Not shown whole: a part of it could not be read. Attach to read it.</p>;
  return (
    <>
      {sentences.map((sentence) => (
        <p key={sentence} className={styles.missing}>
          {displayLine(sentence)}
        </p>
      ))}
    </>
  );
};

const Buttons = ({ pane, context, isBusy }: CardBodyProps) => {
  const { list, gate, surface } = usePopover();
  const { request } = pane;
  const isFolded = request !== null && !context.isShownWhole(pane);
  const run = (action: PaneAction) => {
    const card = [pane.identity.pane_ref, askedOf(pane)] as const;
    const isRead = isOfCard(action)
      ? gate.letsClick(...card)
      : action.isAnswer !== true || !gate.dropsKey(...card);
    if (isRead) action.run(pane, surface);
  };
  return (
    <div className={styles.buttons} role="group" aria-label="Answers">
      {isFolded && (
        <ActionButton shortcut="ArrowRight" onClick={() => list.showWhole(pane)}>
          Show all {lineCount(request)} lines
        </ActionButton>
      )}
      {ANSWERS.map(actionOf)
        .filter((action) => action.disabledReason(pane, context) === null)
        .map((action) => (
          <ActionButton
            key={action.id}
            tone={action.tone ?? "plain"}
            shortcut={action.key}
            isDisabled={isBusy}
            onClick={() => run(action)}
          >
            {action.name}
          </ActionButton>
        ))}
      <span className={styles.summary}>
        {(request?.content ?? null) !== null && changeSummary(request?.content ?? "")}
      </span>
      {actionOf("attach").disabledReason(pane, context) === null && (
        <ActionButton shortcut="Enter" onClick={() => actionOf("attach").run(pane, surface)}>
          Attach
        </ActionButton>
      )}
    </div>
  );
};

export const CardBody = ({ pane, context, isBusy }: CardBodyProps) => {
  const { surface, gate } = usePopover();
  const { request } = pane;
  const onOption = (number: number) => {
    if (!gate.dropsKey(pane.identity.pane_ref, askedOf(pane)))
      answerPrompt(pane, { kind: "option", number }, surface);
  };
  const canType = request !== null && actionOf("reply").disabledReason(pane, context) === null;
  return (
    <>
      {request !== null && (
        <div data-asked={pane.prompt_fingerprint ?? ""}>
          <RequestText request={request} isWhole={context.isShownWhole(pane)} />
          <Options
            listed={listedOptions(request)}
            reasons={optionReasons(pane, context)}
            isBusy={isBusy}
            onOption={onOption}
            onType={canType ? () => actionOf("reply").run(pane, surface) : null}
          />
        </div>
      )}
      <Missing pane={pane} context={context} />
      <Buttons pane={pane} context={context} isBusy={isBusy} />
    </>
  );
};
