// The approval rules of the file: what each is about, whether it is armed, what it did last; and arming and disarming it. A rule is
// armed where it is certain who asks: in the app, or at a terminal.
import { useState } from "react";
import type { RulesView, RuleView } from "../../core/model/ruleView.ts";
import { displayLine, displaySentence } from "../../ui/text/displayText.ts";
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
} from "../../ui/text/ruleText.ts";
import { moveFocus } from "../hooks/moveFocus.ts";
import { useAskAutomation } from "../hooks/useAskAutomation.ts";
import { usePopover } from "../state/popover.ts";
import { ActionButton } from "./ActionButton.tsx";
import { Age, TimeText } from "./Age.tsx";
import { ConfirmDialog } from "./ConfirmDialog.tsx";
import list from "./HistoryView.module.css";
import styles from "./JobsView.module.css";

/** Makes a change; `item` selects the row that gets the focus if what had it goes away. */
export type Change = (call: () => Promise<unknown>, item: string | null) => void;

const itemOf = (name: string): string => `[data-rule="${CSS.escape(name)}"]`;

const ArmDialog = ({ rule, onArm, onClose }: { rule: RuleView; onArm: () => void; onClose: () => void }) => (
  <ConfirmDialog
    title={`Arm the rule ${displayLine(rule.name)}?`}
    confirmLabel="Arm it"
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
  const ask = useAskAutomation();
  // Nobody can tell who is at a browser.
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
          In shadow it presses no key. Arm it at a terminal:{" "}
          <code>agtmux rule arm {displayLine(rule.name)}</code>
        </p>
      )}
      {((isArmable(rule) && isApp) || isDisarmable(rule)) && (
        <div className={list.buttons} role="group" aria-label="Actions">
          {isArmable(rule) && <ActionButton onClick={() => setAsking(true)}>Arm…</ActionButton>}
          {isDisarmable(rule) && (
            <ActionButton onClick={() => change(() => ask.ruleDisarm(rule.name), item)}>Disarm</ActionButton>
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
          onArm={() => change(() => ask.ruleArm(rule), item)}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
};

export const RulesList = ({
  view,
  rows,
  change,
}: {
  view: RulesView;
  rows: readonly RuleView[];
  change: Change;
}) => {
  const [openName, setOpenName] = useState<string | null>(null);
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
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys are those of the buttons in it */}
      <ul className={list.list} aria-label="Rules" onKeyDown={moveFocus}>
        {rows.map((rule) => {
          const isOpen = rule.name === openName;
          return (
            <li key={rule.name} className={list.item}>
              <button
                type="button"
                className={list.row}
                data-rule={rule.name}
                data-mode={rule.mode}
                aria-expanded={isOpen}
                onClick={() => setOpenName(isOpen ? null : rule.name)}
              >
                <bdi className={list.title}>{ruleTitle(rule)}</bdi>
                <span className={list.age}>{ruleStatus(rule)}</span>
                <span className={list.place}>{rulePlace(rule)}</span>
              </button>
              {isOpen && <Detail rule={rule} change={change} />}
            </li>
          );
        })}
      </ul>
    </>
  );
};
