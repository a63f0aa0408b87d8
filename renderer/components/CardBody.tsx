// What a card asks and the buttons that answer it: the command, the difference, the question with its options, the error. What
// is too long is cut at first, and then has no button that allows it.
import type { PaneView } from "../../core/model/view.ts";
import { optionReasons, type ActionContext } from "../../ui/actions/disabledReasons.ts";
import {
  actionOf,
  answerPrompt,
  notPossible,
  type PaneAction,
  type PaneActionId,
} from "../../ui/actions/paneActions.ts";
import { displayLine } from "../../ui/text/displayText.ts";
import { changeSummary } from "../../core/model/requestWords.ts";
import { listedOptions } from "../../ui/actions/cardView.ts";
import { lineCount } from "../../ui/text/requestText.ts";
import { askedOf, isOfCard } from "../state/readGate.ts";
import { usePopover } from "../state/popover.ts";
import { ActionButton } from "./ActionButton.tsx";
import { Options } from "./Options.tsx";
import { RequestText } from "./RequestText.tsx";
import styles from "./CardBody.module.css";

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
