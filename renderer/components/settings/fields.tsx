// The fields of the settings: native controls with a label, a hint, and what was refused right below.
import { useId, useState, type ReactNode } from "react";
import type { Failure } from "../../../ui/actions/actionStatus.ts";
import { displaySentence } from "../../../ui/text/displayText.ts";
import styles from "./settings.module.css";

export const FailureText = ({ failure }: { failure: Failure | null }) =>
  failure === null ? null : (
    <p className={styles.failure} role="alert">
      {displaySentence(failure.message)}
      {failure.remedy !== null && ` ${displaySentence(failure.remedy)}`}
    </p>
  );

/** Fields that belong together, under a heading. */
export const Group = ({ title, children }: { title: string; children: ReactNode }) => {
  const id = useId();
  return (
    <section className={styles.group} aria-labelledby={id}>
      <h2 id={id} className={styles.groupTitle}>
        {title}
      </h2>
      <div className={styles.card}>{children}</div>
    </section>
  );
};

interface FieldProps {
  label: string;
  hint?: ReactNode;
  isDisabled?: boolean;
}

export const Toggle = (props: FieldProps & { isOn: boolean; onChange: (isOn: boolean) => void }) => {
  const hintId = useId();
  return (
    <div className={styles.field}>
      <label className={styles.line}>
        <span className={styles.label}>{props.label}</span>
        <input
          type="checkbox"
          role="switch"
          className={styles.switch}
          checked={props.isOn}
          disabled={props.isDisabled}
          aria-describedby={props.hint === undefined ? undefined : hintId}
          onChange={(event) => props.onChange(event.target.checked)}
        />
      </label>
      {props.hint !== undefined && (
        <p id={hintId} className={styles.hint}>
          {props.hint}
        </p>
      )}
    </div>
  );
};

interface ChoiceProps extends FieldProps {
  /** For those who do not see what stands above it; begins with the label. */
  fullLabel?: string;
  value: string;
  options: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
}

export const Choice = ({ label, fullLabel, hint, value, options, isDisabled, onChange }: ChoiceProps) => {
  const hintId = useId();
  return (
    <div className={styles.field}>
      <label className={styles.line}>
        <span className={styles.label}>{label}</span>
        <select
          className={styles.select}
          aria-label={fullLabel}
          value={value}
          disabled={isDisabled}
          aria-describedby={hint === undefined ? undefined : hintId}
          onChange={(event) => onChange(event.target.value)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      </label>
      {hint !== undefined && (
        <p id={hintId} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  );
};

interface TextFieldProps extends FieldProps {
  value: string;
  type?: "text" | "number" | "time";
  unit?: string;
  placeholder?: string;
  /** On a line of its own, for what is long. */
  isWide?: boolean;
  /** Called when the person leaves the field or presses Enter, and only for another value. */
  onCommit: (value: string) => void;
}

/** Shows `value` anew whenever that changes; what is typed meanwhile is the person's until it is committed. */
export const TextField = (props: TextFieldProps) => {
  const hintId = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const commit = () => {
    if (typed !== null && typed !== props.value) props.onCommit(typed);
    setTyped(null);
  };
  return (
    <div className={styles.field}>
      <label className={styles.line}>
        <span className={styles.label}>{props.label}</span>
        <span className={styles.measure} data-wide={props.isWide}>
          <input
            className={styles.input}
            data-type={props.type ?? "text"}
            type={props.type ?? "text"}
            value={typed ?? props.value}
            disabled={props.isDisabled}
            placeholder={props.placeholder}
            spellCheck={false}
            autoComplete="off"
            aria-describedby={props.hint === undefined ? undefined : hintId}
            onChange={(event) => setTyped(event.target.value)}
            onBlur={commit}
            onKeyDown={(event) => {
              if (event.key === "Enter") commit();
            }}
          />
          {props.unit !== undefined && <span className={styles.unit}>{props.unit}</span>}
        </span>
      </label>
      {props.hint !== undefined && (
        <p id={hintId} className={styles.hint}>
          {props.hint}
        </p>
      )}
    </div>
  );
};

/** What cannot be chosen here, and why. */
export const Absent = ({ children }: { children: ReactNode }) => <p className={styles.absent}>{children}</p>;
