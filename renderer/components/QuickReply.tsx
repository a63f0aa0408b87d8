// Writes to an agent: several lines, Enter sends, Shift+Enter breaks the line, Esc leaves. The text is kept until its arrival
// was seen, even when the popover is closed and opened.
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type KeyboardEvent } from "react";
import type { PaneView } from "../../core/model/view.ts";
import { isSettled } from "../../ui/actions/actionStatus.ts";
import { isLaterOffered, laterReason, type ActionContext } from "../../ui/actions/disabledReasons.ts";
import {
  actionOf,
  LATER_WORDS,
  repliesToPrompt,
  sendLater,
  sendReply,
} from "../../ui/actions/paneActions.ts";
import { displaySentence } from "../../ui/text/displayText.ts";
import { paneName } from "../../ui/text/rowText.ts";
import { MAX_DRAFT_CHARACTERS } from "../state/stored.ts";
import { usePopover } from "../state/popover.ts";
import { useStore } from "../state/store.ts";
import { ActionButton } from "./Buttons.tsx";
import styles from "./QuickReply.module.css";

interface QuickReplyProps {
  pane: PaneView;
  isSending: boolean;
  context: ActionContext;
}

/** What the reply is for: the prompt that was open when the person began to write, or the agent at its own prompt. */
const subjectOf = (pane: PaneView) => ({
  pane,
  isAnswer: repliesToPrompt(pane),
  fingerprint: repliesToPrompt(pane) ? pane.prompt_fingerprint : null,
});

export const QuickReply = (props: QuickReplyProps) => {
  const { pane, isSending, context } = props;
  const { list, drafts, hold, gate, surface } = usePopover();
  const ref = pane.identity.pane_ref;
  const draft = useStore(drafts, (all) => all.get(ref));
  const now = subjectOf(pane);
  const [begun, setSubject] = useState(now);
  // Nothing was written yet, so nothing was meant for an earlier prompt.
  const subject = draft === undefined ? now : begun;
  const hasMoved =
    !isSending && (now.isAnswer !== subject.isAnswer || now.fingerprint !== subject.fingerprint);
  const boxRef = useRef<HTMLTextAreaElement>(null);
  const partRef = useRef<HTMLElement>(null);
  // What is said of the text stands below its box, which grows with it.
  const showAll = () => partRef.current?.scrollIntoView({ block: "nearest" });
  useEffect(() => {
    const box = boxRef.current;
    box?.focus();
    partRef.current?.scrollIntoView({ block: "nearest" });
    box?.setSelectionRange(box.value.length, box.value.length);
  }, []);

  const isLeavingRef = useRef(false);
  // The box disappeared while the person was writing in it.
  const lose = useEffectEvent(() => {
    if (!isLeavingRef.current) hold.hold();
  });
  useLayoutEffect(() => {
    const box = boxRef.current;
    return () => {
      if (box !== null && document.activeElement === box) lose();
    };
  }, []);

  const whyNotLater = laterReason(pane, context);
  const mayWait = !hasMoved && !subject.isAnswer && whyNotLater === null;
  const isLaterShown = !hasMoved && isLaterOffered(pane);
  const send = async (isLater: boolean) => {
    if (isLater && !mayWait) return;
    if (draft === undefined || draft.text.trim() === "" || isSending || hasMoved) return;
    const { isAnswer } = subject;
    if (isAnswer && !gate.letsText(ref, subject.fingerprint)) return;
    const status = await (isLater
      ? sendLater(pane, draft.text, surface)
      : sendReply(isAnswer ? subject.pane : pane, { ...draft, isAnswer }, surface));
    if (status === null || !isSettled(status)) return;
    // A text that was written elsewhere meanwhile is another draft and is kept. The box stays open, so that further typing does
    // not reach the list.
    if (drafts.getState().get(ref)?.key === draft.key) drafts.write(ref, "");
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") {
      event.preventDefault();
      isLeavingRef.current = true;
      list.endReply(ref);
    }
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      void send(event.altKey);
    }
  };
  return (
    <section ref={partRef} className={styles.reply} aria-busy={isSending}>
      <textarea
        ref={boxRef}
        className={styles.box}
        aria-label={subject.isAnswer ? `Answer to ${paneName(pane)}` : `Reply to ${paneName(pane)}`}
        aria-describedby={isLaterShown ? "reply-hint reply-later" : "reply-hint"}
        placeholder={subject.isAnswer ? "Answer the question" : "Message the agent"}
        rows={2}
        maxLength={MAX_DRAFT_CHARACTERS}
        readOnly={isSending}
        spellCheck={false}
        value={draft?.text ?? ""}
        onChange={(event) => {
          if (draft === undefined) setSubject(now);
          drafts.write(ref, event.target.value);
          requestAnimationFrame(showAll);
        }}
        onKeyDown={onKeyDown}
      />
      {hasMoved && (
        <p className={styles.moved} role="alert">
          {now.isAnswer ? "The agent is now asking something else." : "The agent is no longer asking this."}{" "}
          Your text was kept, not sent.{" "}
          {actionOf("reply").disabledReason(pane, context) === null && (
            <button type="button" className={styles.link} onClick={() => setSubject(now)}>
              {now.isAnswer ? "Answer the new question" : "Send as a message"}
            </button>
          )}
        </p>
      )}
      <div className={styles.foot}>
        <span id="reply-hint" className={styles.hint}>
          Shift+Enter: new line · Esc: close
        </span>
        {!hasMoved && (draft?.text.trim() ?? "") !== "" && (
          <>
            {isLaterShown && mayWait && (
              <ActionButton shortcut="Alt+Enter" isDisabled={isSending} onClick={() => void send(true)}>
                When ready
              </ActionButton>
            )}
            <ActionButton tone="primary" isDisabled={isSending} onClick={() => void send(false)}>
              {isLaterShown && mayWait ? "Send now" : "Send"}
            </ActionButton>
          </>
        )}
      </div>
      {isLaterShown && (
        <p id="reply-later" className={styles.hint}>
          When ready: {whyNotLater === null ? LATER_WORDS : displaySentence(whyNotLater)}
        </p>
      )}
    </section>
  );
};
