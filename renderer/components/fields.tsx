// The frame of a settings page, and its fields: native controls with a label, a hint, and the reason if a value was refused.
import { useEffect, useRef, type ReactNode, useId, useState } from "react";
import { BackButton, ActionButton } from "./Buttons.tsx";
import styles from "./settings.module.css";
import type { Failure } from "../../ui/actions/actionStatus.ts";
import { displaySentence } from "../../ui/text/displayText.ts";
import fields from "./fields.module.css";

interface PageProps {
  title: string;
  /** Where the way back leads. */
  backLabel: string;
  onBack: () => void;
  aside?: ReactNode;
  /** The page holds text rather than controls: then the text itself can be focused, so that the keyboard can scroll it. */
  isText?: boolean;
  children: ReactNode;
}

/** The heading takes the focus when the page opens, so that the tab key continues from there and a screen reader names the page. */
export const Page = ({ title, backLabel, onBack, aside, isText = false, children }: PageProps) => {
  const headingRef = useRef<HTMLHeadingElement>(null);
  useEffect(() => headingRef.current?.focus(), []);
  return (
    <main className={styles.page} aria-label={title}>
      <header className={styles.bar}>
        <BackButton label={backLabel} onClick={onBack} />
        <h1 ref={headingRef} className={styles.title} tabIndex={-1}>
          {title}
        </h1>
        {aside}
      </header>
      <div
        className={styles.body}
        {...(isText ? { tabIndex: 0, role: "region", "aria-label": `${title}, text` } : {})}
      >
        {children}
      </div>
    </main>
  );
};

export const FailureText = ({ failure }: { failure: Failure | null }) =>
  failure === null ? null : (
    <p className={styles.failure} role="alert">
      {displaySentence(failure.message)}
      {failure.remedy !== null && ` ${displaySentence(failure.remedy)}`}
    </p>
  );

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

/** A request that failed, and the button that repeats it. */
export const RetryFailure = ({ failure, reload }: { failure: Failure | null; reload: () => void }) =>
  failure === null ? null : (
    <div className={styles.notice}>
      <FailureText failure={failure} />
      <ActionButton onClick={reload}>Try again</ActionButton>
    </div>
  );

interface FieldProps {
  label: string;
  hint?: ReactNode;
}

const Field = ({ label, hint, children }: FieldProps & { children: (hintId?: string) => ReactNode }) => {
  const hintId = useId();
  return (
    <div className={styles.field}>
      <label className={styles.line}>
        <span className={styles.label}>{label}</span>
        {children(hint === undefined ? undefined : hintId)}
      </label>
      {hint !== undefined && (
        <p id={hintId} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  );
};

export const Toggle = (props: FieldProps & { isOn: boolean; onChange: (isOn: boolean) => void }) => (
  <Field {...props}>
    {(hintId) => (
      <input
        type="checkbox"
        role="switch"
        className={fields.switch}
        checked={props.isOn}
        aria-describedby={hintId}
        onChange={(event) => props.onChange(event.target.checked)}
      />
    )}
  </Field>
);

interface ChoiceProps extends FieldProps {
  /** For screen readers, which do not read the text above it; begins with the label. */
  fullLabel?: string;
  value: string;
  options: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
}

export const Choice = (props: ChoiceProps) => (
  <Field {...props}>
    {(hintId) => (
      <select
        className={fields.select}
        aria-label={props.fullLabel}
        value={props.value}
        aria-describedby={hintId}
        onChange={(event) => props.onChange(event.target.value)}
      >
        {props.options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    )}
  </Field>
);

interface TextFieldProps extends FieldProps {
  value: string;
  type?: "text" | "number" | "time";
  unit?: string;
  /** On its own line, for long values. */
  isWide?: boolean;
  /** Called when the person leaves the field or presses Enter, but only if the value changed. */
  onCommit: (value: string) => void;
}

/** Shows `value` again whenever it changes; text that the person is typing is kept until it is committed. */
export const TextField = (props: TextFieldProps) => {
  const [typed, setTyped] = useState<string | null>(null);
  const commit = () => {
    if (typed !== null && typed !== props.value) props.onCommit(typed);
    setTyped(null);
  };
  const type = props.type ?? "text";
  return (
    <Field {...props}>
      {(hintId) => (
        <span className={fields.measure} data-wide={props.isWide}>
          <input
            className={fields.input}
            data-type={type}
            type={type}
            value={typed ?? props.value}
            spellCheck={false}
            autoComplete="off"
            aria-describedby={hintId}
            onChange={(event) => setTyped(event.target.value)}
            onBlur={commit}
            onKeyDown={(event) => {
              if (event.key === "Enter") commit();
            }}
          />
          {props.unit !== undefined && <span className={fields.unit}>{props.unit}</span>}
        </span>
      )}
    </Field>
  );
};

/** What cannot be chosen here, and why. */
export const Absent = ({ children }: { children: ReactNode }) => <p className={styles.absent}>{children}</p>;
