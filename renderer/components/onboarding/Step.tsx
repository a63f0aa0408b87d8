// The frame of a step: what it proves, how it went, and what to do next.
import type { ReactNode } from "react";
import type { StepResult } from "../../state/onboarding.ts";
import styles from "./onboarding.module.css";

interface StepProps {
  number: number;
  title: string;
  isCurrent: boolean;
  result: StepResult | undefined;
  onOpen: () => void;
  children: ReactNode;
}

const RESULT_WORDS: Readonly<Record<StepResult, string>> = {
  done: "proved",
  failed: "needs attention",
  skipped: "skipped",
};
const MARKS: Readonly<Record<StepResult, string>> = { done: "✓", failed: "!", skipped: "·" };

export const Step = ({ number, title, isCurrent, result, onOpen, children }: StepProps) => (
  <li className={styles.step} data-current={isCurrent}>
    <h2 className={styles.stepTitle}>
      <button type="button" className={styles.head} aria-expanded={isCurrent} onClick={onOpen}>
        <span className={styles.number} data-result={result ?? "open"} aria-hidden="true">
          {result === undefined ? number : MARKS[result]}
        </span>
        <span className={styles.headText}>{title}</span>
        {result !== undefined && (
          <span className={styles.result} data-result={result}>
            {RESULT_WORDS[result]}
          </span>
        )}
      </button>
    </h2>
    {isCurrent && <div className={styles.content}>{children}</div>}
  </li>
);
