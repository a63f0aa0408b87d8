// The buttons under a step: continue, skip it, or run it again.
import { ActionButton } from "../ActionButton.tsx";
import styles from "./onboarding.module.css";

/** The props of every step's body. */
export interface StepBodyProps {
  onFound: (isGood: boolean) => void;
  onNext: () => void;
  onSkip: () => void;
}

interface StepFootProps extends Omit<StepBodyProps, "onFound"> {
  /** Whether the step succeeded; otherwise it can only be skipped. */
  isProved: boolean;
  isLast?: boolean;
  onAgain?: () => void;
}

export const StepFoot = ({ isProved, isLast = false, onNext, onSkip, onAgain }: StepFootProps) => (
  <div className={styles.buttons}>
    {isProved && (
      <ActionButton tone="primary" onClick={onNext}>
        {isLast ? "Done" : "Next"}
      </ActionButton>
    )}
    {!isProved && (
      <ActionButton onClick={onSkip}>{isLast ? "Finish without" : "Skip this step"}</ActionButton>
    )}
    {onAgain !== undefined && <ActionButton onClick={onAgain}>Check again</ActionButton>}
  </div>
);
