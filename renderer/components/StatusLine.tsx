// The result of the last action on a pane. A success disappears after a while; everything else stays until it was seen.
import { useEffect, useEffectEvent, useRef } from "react";
import { isSettled, outcomeText, type ActionStatus } from "../../ui/actions/actionStatus.ts";
import { useTick } from "./Age.tsx";
import styles from "./StatusLine.module.css";

/** Long enough to read a sentence. */
const SUCCESS_MS = 8_000;

/** The time does not run while the popover is hidden. */
const LeaveLater = ({ onLeave }: { onLeave: () => void }) => {
  const now = useTick();
  const firstRef = useRef(now);
  useEffect(() => {
    if (now - firstRef.current >= SUCCESS_MS) onLeave();
  }, [now, onLeave]);
  return null;
};

export const StatusLine = ({ status, onClose }: { status: ActionStatus; onClose: () => void }) => {
  const { head, detail } = outcomeText(status);
  const isBad = status.kind === "refused" || status.kind === "lost";
  const tone = status.kind === "done" ? status.outcome : status.kind;
  const ref = useRef<HTMLDivElement>(null);
  // Shown at once, unless that would move something below the pointer, or what went well would move the selected card away.
  const isShown = useEffectEvent((line: Element) => isBad || line.closest("[data-selected=true]") !== null);
  useEffect(() => {
    const line = ref.current;
    if (line?.closest("main")?.matches(":hover") === false && isShown(line))
      line.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <div ref={ref} className={styles.line} data-tone={tone}>
      <p role={isBad ? "alert" : "status"}>
        {head !== "" && <strong>{head}</strong>} {detail}
      </p>
      <button type="button" className={styles.close} aria-label="Close this message" onClick={onClose}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="m4.5 4.5 7 7m0-7-7 7" fill="none" stroke="currentColor" strokeWidth="1.6" />
        </svg>
      </button>
      {isSettled(status) && <LeaveLater onLeave={onClose} />}
    </div>
  );
};
