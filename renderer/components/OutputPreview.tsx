// What the pane shows, live: it follows the end unless the person scrolled up. Escape sequences are gone before it gets here;
// what is left of control characters becomes visible marks.
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { OutputSource } from "../../core/model/actionView.ts";
import type { PaneView } from "../../core/model/view.ts";
import type { Api } from "../connection/connectHost.ts";
import { useOutput } from "../hooks/useOutput.ts";
import { displaySentence, displayText } from "../../ui/text/displayText.ts";
import { ActionButton } from "./ActionButton.tsx";
import styles from "./OutputPreview.module.css";

/** Counts as the end, in CSS pixels. */
const NEAR_END = 24;

/** Screens end with empty lines, which push what is worth seeing out of the box. */
const textOf = (lines: readonly string[]): string => displayText(lines.join("\n")).trimEnd();

const Screen = ({ text, label }: { text: string; label: string }) => {
  const ref = useRef<HTMLPreElement>(null);
  const isAtEndRef = useRef(true);
  useLayoutEffect(() => {
    const box = ref.current;
    if (box !== null && isAtEndRef.current) box.scrollTop = box.scrollHeight;
  });
  return (
    <pre
      ref={ref}
      className={styles.screen}
      tabIndex={0}
      aria-label={label}
      onScroll={({ currentTarget: box }) => {
        isAtEndRef.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END;
      }}
    >
      {text === "" ? "(empty)" : text}
    </pre>
  );
};

interface FollowedProps {
  api: Api;
  pane: PaneView;
  source: OutputSource;
  onSource: (source: OutputSource) => void;
}

const Followed = ({ api, pane, source, onSource }: FollowedProps) => {
  const state = useOutput(api, pane, source);
  const output = state.kind === "loading" ? null : state.output;
  // Whoever asked for it sees it: the row grew below what was in view. Once, or it would tear the list about.
  const sectionRef = useRef<HTMLElement>(null);
  const wasShownRef = useRef(false);
  const isThere = output !== null;
  useEffect(() => {
    if (!isThere || wasShownRef.current) return;
    wasShownRef.current = true;
    sectionRef.current?.scrollIntoView({ block: "nearest" });
  }, [isThere]);
  const offersTranscript = output?.transcript_offered === true || source === "transcript";
  return (
    <section ref={sectionRef} className={styles.preview}>
      <div className={styles.head}>
        <h2>Output</h2>
        {offersTranscript && (
          <div role="group" aria-label="What is shown" className={styles.sources}>
            <ActionButton isPressed={source === "screen"} onClick={() => onSource("screen")}>
              Screen
            </ActionButton>
            <ActionButton isPressed={source === "transcript"} onClick={() => onSource("transcript")}>
              Transcript
            </ActionButton>
          </div>
        )}
      </div>
      {state.kind === "loading" && <p className={styles.quiet}>Reading…</p>}
      {state.kind === "failed" && (
        <p className={styles.quiet} role="status">
          Cannot be read. {displaySentence(state.failure.message)}
        </p>
      )}
      {output !== null && (
        <Screen text={textOf(output.lines)} label={source === "screen" ? "Screen" : "Transcript"} />
      )}
    </section>
  );
};

export const OutputPreview = ({ api, pane }: { api: Api; pane: PaneView }) => {
  const [source, setSource] = useState<OutputSource>("screen");
  const { pane_ref: ref, runtime_id: runtimeId } = pane.identity;
  return (
    <Followed
      key={`${source} ${runtimeId ?? ""} ${ref}`}
      api={api}
      pane={pane}
      source={source}
      onSource={setSource}
    />
  );
};
