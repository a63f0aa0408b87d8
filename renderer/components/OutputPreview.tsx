// What the pane shows, live: it follows the end unless the person scrolled up. Escape sequences are gone before it gets here;
// what is left of control characters becomes visible marks. It is read again and again while somebody looks: nothing is asked
// while the popover is hidden, and never twice at once.
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import type { OutputSource, PaneOutput } from "../../core/model/actionView.ts";
import type { PaneView } from "../../core/model/view.ts";
import type { Failure } from "../../ui/actions/actionStatus.ts";
import { agentInput } from "../../ui/actions/guards.ts";
import { toFailure, type Visibility } from "../connection/connectHost.ts";
import { usePopover } from "../state/popover.ts";
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

type OutputState =
  | { kind: "loading" }
  | { kind: "ready"; output: PaneOutput }
  /** `output`: the last that could be read. */
  | { kind: "failed"; failure: Failure; output: PaneOutput | null };

/** Between an answer and the next question. */
const PAUSE_MS = 1_500;
const LINES = 80;

interface FollowOptions {
  visibility: Visibility;
  ask: (signal: AbortSignal) => Promise<PaneOutput>;
  onOutput: (output: PaneOutput) => void;
  onFailure: (failure: Failure) => void;
}

/** Asks until it is told to stop; pauses while the popover is hidden. */
const follow = ({ visibility, ask, onOutput, onFailure }: FollowOptions): (() => void) => {
  const aborter = new AbortController();
  let timer: ReturnType<typeof setTimeout> | null = null;
  let isAsking = false;
  const look = async (): Promise<void> => {
    if (isAsking || aborter.signal.aborted || !visibility.isVisible()) return;
    isAsking = true;
    try {
      const output = await ask(aborter.signal);
      if (!aborter.signal.aborted) onOutput(output);
    } catch (error) {
      if (!aborter.signal.aborted) onFailure(toFailure(error));
    } finally {
      isAsking = false;
      if (!aborter.signal.aborted && visibility.isVisible()) timer = setTimeout(() => void look(), PAUSE_MS);
    }
  };
  const onVisibility = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    void look();
  };
  const stopListening = visibility.subscribe(onVisibility);
  void look();
  return () => {
    aborter.abort();
    if (timer !== null) clearTimeout(timer);
    stopListening();
  };
};

/** For a component that is made anew for another pane, agent or source. */
const useOutput = (pane: PaneView, source: OutputSource): OutputState => {
  const { api, visibility } = usePopover().host;
  const [state, setState] = useState<OutputState>({ kind: "loading" });
  // Bound to the agent whose row this is; the rest of the row may change meanwhile.
  const ask = useEffectEvent((signal: AbortSignal) =>
    api.viewOutput.mutate({ ...agentInput(pane), lines: LINES, source }, { signal }),
  );
  useEffect(
    () =>
      follow({
        visibility,
        ask: (signal) => ask(signal),
        onOutput: (output) => setState({ kind: "ready", output }),
        onFailure: (failure) =>
          setState((before) => ({
            kind: "failed",
            failure,
            output: before.kind === "loading" ? null : before.output,
          })),
      }),
    [visibility],
  );
  return state;
};

interface FollowedProps {
  pane: PaneView;
  source: OutputSource;
  onSource: (source: OutputSource) => void;
}

const Followed = ({ pane, source, onSource }: FollowedProps) => {
  const state = useOutput(pane, source);
  const output = state.kind === "loading" ? null : state.output;
  // Scrolls to it, because the row grew below what was in view. Only once: otherwise the list would keep jumping.
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

export const OutputPreview = ({ pane }: { pane: PaneView }) => {
  const [source, setSource] = useState<OutputSource>("screen");
  const { pane_ref: ref, runtime_id: runtimeId } = pane.identity;
  return (
    <Followed key={`${source} ${runtimeId ?? ""} ${ref}`} pane={pane} source={source} onSource={setSource} />
  );
};
