// Messages between the header and the list: a lost connection and targets that cannot be read.
import type { Connection } from "../../ui/lists/feedReducer.ts";
import type { Problem } from "../../ui/lists/groups.ts";
import { displayLine, displaySentence } from "../../ui/text/displayText.ts";
import { Countdown } from "./Age.tsx";
import styles from "./Banners.module.css";

export const ConnectionBanner = ({
  connection,
  onRetry,
}: {
  connection: Connection;
  onRetry: () => void;
}) => {
  if (connection.kind !== "lost") return null;
  return (
    <div className={styles.notice} data-kind="lost">
      <p role="status">
        <strong>Not connected.</strong> What you see may be old. {displaySentence(connection.message)}
      </p>
      <button type="button" className={styles.button} onClick={onRetry}>
        {connection.retryAt === null ? (
          "Try again"
        ) : (
          <>
            Retry <Countdown until={connection.retryAt} />
          </>
        )}
      </button>
    </div>
  );
};

/** The view of targets shows the rest. */
const MAX_PROBLEMS = 2;

interface ProblemBannerProps {
  problems: readonly Problem[];
  onMore: () => void;
}

export const ProblemBanner = ({ problems, onMore }: ProblemBannerProps) => {
  if (problems.length === 0) return null;
  const more = problems.length - MAX_PROBLEMS;
  return (
    <div className={styles.notice} data-kind="problem">
      <div className={styles.problems} role="status" aria-label="Problems">
        <ul>
          {problems.slice(0, MAX_PROBLEMS).map((problem) => (
            <li key={problem.key}>{displayLine(problem.text)}</li>
          ))}
        </ul>
      </div>
      {more > 0 && (
        <button type="button" className={styles.button} onClick={onMore}>
          {more} more
        </button>
      )}
    </div>
  );
};
