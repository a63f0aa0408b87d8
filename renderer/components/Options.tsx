// The options of a prompt, each with what the agent says about it; those that can be chosen from here are buttons. The last one
// is a text of the person's own, where the prompt takes one.
import type { DisabledReason } from "../../ui/actions/disabledReasons.ts";
import { displayLine } from "../../ui/text/displayText.ts";
import type { ListedOption } from "../../ui/actions/cardView.ts";
import styles from "./Options.module.css";

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

export const Options = ({ listed, reasons, isBusy, onOption, onType }: OptionsProps) => {
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
