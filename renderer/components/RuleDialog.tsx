// Makes a rule of what an agent asks: shows it as it would stand in the file, lets it be copied, or puts it there. It arms nothing.
import { useState } from "react";
import type { RuleDraft } from "../../core/model/ruleView.ts";
import type { PaneView } from "../../core/model/view.ts";
import { displayText } from "../../ui/text/displayText.ts";
import { agentName, paneName } from "../../ui/text/paneText.ts";
import {
  addedText,
  DRAFT_VERDICTS,
  DRAFT_WORDS,
  noteText,
  type DraftVerdict,
} from "../../ui/text/ruleText.ts";
import { useAskAutomation } from "../hooks/useAskAutomation.ts";
import { useCopy } from "../hooks/useCopy.ts";
import { usePopover } from "../state/popover.ts";
import { ActionButton } from "./ActionButton.tsx";
import { Dialog } from "./Dialog.tsx";
import { FailureText } from "./settings/fields.tsx";
import { useAsk } from "./settings/useAsk.ts";
import { useTask } from "./settings/useTask.ts";
import command from "./ActionDialogs.module.css";
import signals from "./KillDialog.module.css";

interface RuleDialogProps {
  pane: PaneView;
  onClose: () => void;
}

const Verdicts = ({
  verdict,
  onChange,
}: {
  verdict: DraftVerdict;
  onChange: (one: DraftVerdict) => void;
}) => (
  <fieldset className={signals.signals}>
    <legend>When this is asked</legend>
    {DRAFT_VERDICTS.map((one) => (
      <label key={one} className={signals.signal}>
        <input
          type="radio"
          name="verdict"
          value={one}
          checked={verdict === one}
          data-first-focus={verdict === one}
          onChange={() => onChange(one)}
        />
        <span>{DRAFT_WORDS[one]}</span>
      </label>
    ))}
  </fieldset>
);

const Drafted = ({ draft: { text, notes }, verdict }: { draft: RuleDraft; verdict: DraftVerdict }) => (
  <>
    <pre className={command.command} tabIndex={0} aria-label="Rule">
      {displayText(text)}
    </pre>
    {notes.map((note) => (
      <p key={note}>{noteText(note)}</p>
    ))}
    <p>{addedText(verdict)}</p>
  </>
);

const Added = ({ verdict, onClose }: { verdict: DraftVerdict; onClose: () => void }) => {
  const { list } = usePopover();
  return (
    <Dialog
      title="The rule is in the file"
      onClose={onClose}
      buttons={
        <>
          <ActionButton hasFocus onClick={onClose}>
            Close
          </ActionButton>
          <ActionButton
            onClick={() => {
              onClose();
              list.go("armed");
            }}
          >
            Show it
          </ActionButton>
        </>
      }
    >
      <p role="status">{addedText(verdict)}</p>
    </Dialog>
  );
};

export const RuleDialog = ({ pane, onClose }: RuleDialogProps) => {
  const ask = useAskAutomation();
  const [verdict, setVerdict] = useState<DraftVerdict>("approve");
  const { value: draft, failure } = useAsk(`rule ${verdict}`, () => ask.ruleDraft(pane, verdict));
  const { copied, copy } = useCopy(draft?.text ?? "");
  const task = useTask();
  const [isAdded, setAdded] = useState(false);
  if (isAdded) return <Added verdict={verdict} onClose={onClose} />;
  const add = () =>
    void task.run(async () => {
      if (draft === null) return;
      await ask.ruleAdd(draft.text);
      setAdded(true);
    });
  return (
    <Dialog
      title={`A rule about what ${agentName(pane)} asks in ${paneName(pane)}`}
      onClose={onClose}
      buttons={
        <>
          <ActionButton onClick={onClose}>Cancel</ActionButton>
          <ActionButton isDisabled={draft === null} onClick={copy}>
            {copied === "yes" ? "Copied" : "Copy"}
          </ActionButton>
          <ActionButton tone="primary" isDisabled={draft === null || task.isBusy} onClick={add}>
            {verdict === "leave" ? "Add it" : "Add it in shadow"}
          </ActionButton>
        </>
      }
    >
      <Verdicts verdict={verdict} onChange={setVerdict} />
      {draft === null ? (
        <p role="status">{failure === null ? "Reading…" : ""}</p>
      ) : (
        <Drafted draft={draft} verdict={verdict} />
      )}
      <FailureText failure={task.failure ?? failure} />
      <p role="status">{copied === "failed" && "Copying is not allowed here: select the rule instead."}</p>
    </Dialog>
  );
};
