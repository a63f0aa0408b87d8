// The approval rules of the file: what each is about, whether it is armed, what it did last; arming and disarming it; and the
// dialog that makes a rule of a request. A rule is armed only where it is certain who asks: in the app, or at a terminal.
import { SURFACE } from "../state/connectHost.ts";
import { useState } from "react";
import type { RulesView, RuleView, RuleDraft } from "../../core/model/rule.ts";
import { displayLine, displaySentence, displayText } from "../../ui/text/displayText.ts";
import {
  armingText,
  hasRecord,
  isArmable,
  isDisarmable,
  noteText,
  ruleLast,
  rulePlace,
  ruleProblems,
  ruleStatus,
  ruleTitle,
  addedText,
  DRAFT_VERDICTS,
  DRAFT_WORDS,
  draftInput,
  draftSentence,
  type DraftVerdict,
} from "../../ui/text/ruleText.ts";
import { usePopover } from "../state/popover.ts";
import { ActionButton, Radios, useCopy } from "./Buttons.tsx";
import { Age, TimeText } from "./Age.tsx";
import { ConfirmDialog, Dialog } from "./Dialog.tsx";
import { OpenableList } from "./OpenableList.tsx";
import list from "./HistoryView.module.css";
import styles from "./JobsView.module.css";
import type { PaneView } from "../../core/model/view.ts";
import { agentName } from "../../ui/text/rowText.ts";
import { FailureText } from "./fields.tsx";
import { useAsk, useTask } from "../hooks/useAsk.ts";
import command from "./ActionDialogs.module.css";

/** Makes a change; `item` selects the row that gets the focus if what had it goes away. */
export type Change = (call: () => Promise<unknown>, item: string | null) => void;

const itemOf = (name: string): string => `[data-rule="${CSS.escape(name)}"]`;

const ArmDialog = ({ rule, onArm, onClose }: { rule: RuleView; onArm: () => void; onClose: () => void }) => (
  <ConfirmDialog
    title={`Arm the rule ${displayLine(rule.name)}?`}
    confirmLabel="Arm it"
    tone="primary"
    onConfirm={onArm}
    onClose={onClose}
  >
    {armingText(rule).map((line, index) => (
      // oxlint-disable-next-line react/no-array-index-key -- two lines may be the same
      <p key={index}>{line}</p>
    ))}
  </ConfirmDialog>
);

const Detail = ({ rule, change }: { rule: RuleView; change: Change }) => {
  const { automation } = usePopover().host.api;
  // In a browser it is not certain who asks.
  const isApp = usePopover().host.desktop !== null;
  const [isAsking, setAsking] = useState(false);
  const item = itemOf(rule.name);
  const did = <TimeText textAt={(now) => displaySentence(ruleLast(rule, now))} />;
  return (
    <div className={list.detail}>
      {hasRecord(rule) && <p className={list.quiet}>{did}</p>}
      {rule.notes.map((note) => (
        <p key={note} className={list.quiet}>
          {noteText(note)}
        </p>
      ))}
      {isArmable(rule) && !isApp && (
        <p className={list.quiet}>
          A dry run presses no keys. Arm it in a terminal:{" "}
          <code>agtmux rule arm {displayLine(rule.name)}</code>
        </p>
      )}
      {((isArmable(rule) && isApp) || isDisarmable(rule)) && (
        <div className={list.buttons} role="group" aria-label="Actions">
          {isArmable(rule) && <ActionButton onClick={() => setAsking(true)}>Arm…</ActionButton>}
          {isDisarmable(rule) && (
            <ActionButton
              onClick={() =>
                change(() => automation.ruleDisarm.mutate({ name: rule.name, surface: SURFACE }), item)
              }
            >
              Disarm
            </ActionButton>
          )}
        </div>
      )}
      {rule.armed_at !== null && (
        <p className={list.quiet}>
          Armed <Age since={rule.armed_at} suffix=" ago" /> · {displayLine(rule.armed_by ?? "")}
        </p>
      )}
      {isAsking && isApp && (
        <ArmDialog
          rule={rule}
          onArm={() =>
            change(
              () => automation.ruleArm.mutate({ name: rule.name, hash: rule.hash, surface: SURFACE }),
              item,
            )
          }
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
};

interface RulesListProps {
  view: RulesView;
  rows: readonly RuleView[];
  change: Change;
}

export const RulesList = ({ view, rows, change }: RulesListProps) => {
  const open = useState<string | null>(null);
  const problems = ruleProblems(view);
  if (rows.length + problems.length === 0) return null;
  return (
    <>
      <h2 className={styles.heading}>Rules</h2>
      {problems.map((problem) => (
        <p key={problem} className={styles.problem}>
          {problem}
        </p>
      ))}
      <OpenableList
        label="Rules"
        open={open}
        rows={rows.map((rule) => ({
          key: rule.name,
          attributes: { "data-rule": rule.name, "data-mode": rule.mode },
          title: ruleTitle(rule),
          age: ruleStatus(rule),
          place: rulePlace(rule),
          detail: <Detail rule={rule} change={change} />,
        }))}
      />
    </>
  );
};

interface RuleDialogProps {
  pane: PaneView;
  onClose: () => void;
}

/** The rule in words; its JSON, behind a link, says the same. Where words cannot say all of it, the JSON is open. */
const Drafted = ({ draft, verdict, pane }: { draft: RuleDraft; verdict: DraftVerdict; pane: PaneView }) => {
  const sentence = draftSentence(draft, pane);
  const { copied, copy } = useCopy(draft.text);
  return (
    <>
      {sentence !== null && (
        <p className={styles.sentence} aria-label="In words">
          {sentence.map(({ text, isField }, index) =>
            // oxlint-disable-next-line react/no-array-index-key -- the parts of a sentence have no identity but their place
            isField ? <b key={index}>{text}</b> : <span key={index}>{text}</span>,
          )}
        </p>
      )}
      {draft.notes.map((note) => (
        <p key={note}>{noteText(note)}</p>
      ))}
      <p>{addedText(verdict)}</p>
      <details className={styles.json} open={sentence === null}>
        <summary>JSON of the rule</summary>
        <pre className={command.command} tabIndex={0} aria-label="Rule">
          {displayText(draft.text)}
        </pre>
        <ActionButton onClick={copy}>{copied === "yes" ? "Copied" : "Copy"}</ActionButton>
        <p role="status">{copied === "failed" && "Can't copy here; select the rule instead."}</p>
      </details>
    </>
  );
};

/** It is armed right here, by whoever reads all of it once more. */
const Added = ({ rule, onClose }: { rule: RuleView; onClose: () => void }) => {
  const { list, host } = usePopover();
  const { automation } = host.api;
  const task = useTask();
  const [isAsking, setAsking] = useState(false);
  const [isArmed, setArmed] = useState(false);
  const arm = () =>
    void task.run(async () => {
      await automation.ruleArm.mutate({ name: rule.name, hash: rule.hash, surface: SURFACE });
      setArmed(true);
    });
  return (
    <Dialog
      title={isArmed ? "Rule armed" : "Rule added"}
      onClose={onClose}
      buttons={
        <>
          <ActionButton hasFocus onClick={onClose}>
            Close
          </ActionButton>
          {host.desktop !== null && isArmable(rule) && !isArmed && (
            <ActionButton isDisabled={task.isBusy} onClick={() => setAsking(true)}>
              Arm…
            </ActionButton>
          )}
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
      <p role="status">{isArmed ? "It answers from now on." : addedText(rule.then)}</p>
      <FailureText failure={task.failure} />
      {isAsking && <ArmDialog rule={rule} onArm={arm} onClose={() => setAsking(false)} />}
    </Dialog>
  );
};

/** Makes a rule of a request: shows it in words and as it would be in the file, and puts it there. Adding it arms nothing. */
export const RuleDialog = ({ pane, onClose }: RuleDialogProps) => {
  const { automation } = usePopover().host.api;
  const [verdict, setVerdict] = useState<DraftVerdict>("approve");
  const { value: draft, failure } = useAsk(`rule ${verdict}`, () =>
    automation.ruleDraft.query(draftInput(pane, verdict)),
  );
  const task = useTask();
  const [added, setAdded] = useState<RuleView | null>(null);
  if (added !== null) return <Added rule={added} onClose={onClose} />;
  const add = () =>
    void task.run(async () => {
      if (draft === null) return;
      setAdded(await automation.ruleAdd.mutate({ text: draft.text, surface: SURFACE }));
    });
  return (
    <Dialog
      title={`New rule for ${agentName(pane)}`}
      onClose={onClose}
      buttons={
        <>
          <ActionButton onClick={onClose}>Cancel</ActionButton>
          <ActionButton tone="primary" isDisabled={draft === null || task.isBusy} onClick={add}>
            {verdict === "leave" ? "Add" : "Add as dry run"}
          </ActionButton>
        </>
      }
    >
      <Radios
        legend="When asked"
        name="verdict"
        options={DRAFT_VERDICTS.map((value) => ({ value, words: DRAFT_WORDS[value] }))}
        chosen={verdict}
        hasFocus
        onChoose={setVerdict}
      />
      {draft === null ? (
        <p role="status">{failure === null ? "Reading…" : ""}</p>
      ) : (
        <Drafted draft={draft} verdict={verdict} pane={pane} />
      )}
      <FailureText failure={task.failure ?? failure} />
    </Dialog>
  );
};
