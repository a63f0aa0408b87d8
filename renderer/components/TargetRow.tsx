// One target: its health and the reason, when it was last heard of, and what to do.
import type { TargetView } from "../../core/model/view.ts";
import { displayLine, displaySentence } from "../../ui/text/displayText.ts";
import { targetWord } from "../../ui/text/healthText.ts";
import { machineKind, serverText } from "../../ui/text/placeText.ts";
import { Age, TimeLeft } from "./Age.tsx";
import { rowAttributes, type RowProps } from "./rowProps.ts";
import styles from "./TargetRow.module.css";

export const TargetRow = ({ target, ...row }: RowProps & { target: TargetView }) => {
  const word = targetWord(target);
  const health = target.enabled ? target.health : "off";
  const nextAt = target.next_attempt_at === null ? Number.NaN : Date.parse(target.next_attempt_at);
  return (
    <div
      className={styles.target}
      role="group"
      {...rowAttributes("target", row)}
      aria-label={`${displayLine(target.target)}, ${word}`}
    >
      <p className={styles.head}>
        <span className={styles.name}>{displayLine(target.target)}</span>
        <span className={styles.kind}>{machineKind(target)}</span>
        <span className={styles.health} data-health={health}>
          {word}
        </span>
      </p>
      {target.health_reason !== null && <p>{displayLine(target.health_reason)}</p>}
      {target.remedy !== null && <p>{displaySentence(target.remedy)}</p>}
      <p className={styles.quiet}>
        {target.last_seen_at === null ? (
          target.kind === "local" ? null : (
            "Never reached."
          )
        ) : (
          <>
            Last seen <Age since={target.last_seen_at} suffix=" ago" />.
          </>
        )}
        {target.rtt_ms !== null && ` Answers in ${Math.round(target.rtt_ms)} ms.`}
        {!Number.isNaN(nextAt) && (
          <>
            {" "}
            Next attempt <TimeLeft until={nextAt} />.
          </>
        )}
      </p>
      <ul className={styles.servers} aria-label="tmux servers">
        {target.servers.map((server) => (
          <li key={server.tmux_server} data-status={server.status}>
            {serverText(server)}
          </li>
        ))}
      </ul>
    </div>
  );
};
