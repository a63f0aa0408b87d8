// What the pane shows, live and with its colours; it follows the end unless the person scrolled up. The daemon has removed all
// other escape sequences; remaining control characters become visible marks. The output is requested repeatedly, never while the
// popover is hidden, and never twice at once.
import { memo, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { OutputRequest, OutputSource, PaneOutput } from "../../core/model/action.ts";
import type { PaneView } from "../../core/model/view.ts";
import type { Failure } from "../../ui/actions/actionStatus.ts";
import { firstOutput } from "../../ui/actions/guards.ts";
import { agentInput } from "../../ui/actions/guards.ts";
import { useLooks } from "../hooks/useAsk.ts";
import { toFailure } from "../state/connectHost.ts";
import { usePopover } from "../state/popover.ts";
import { colouredParts, withoutEmptyEnd } from "../../ui/text/colourText.ts";
import { displaySentence } from "../../ui/text/displayText.ts";
import { ActionButton } from "./Buttons.tsx";
import styles from "./OutputPreview.module.css";

/** A distance from the end that still counts as the end, in CSS pixels. */
const NEAR_END = 24;

/** Lines with their colours; memoised, because most answers equal the one before. */
const Coloured = memo(({ text }: { text: string }) =>
  colouredParts(text.split("\n")).map(({ text: part, ink, ground, isBold, isDim }, index) =>
    ink === null && ground === null && !isBold && !isDim ? (
      part
    ) : (
      // oxlint-disable-next-line react/no-array-index-key -- parts have no identity but their place
      <span
        key={index}
        className={styles.part}
        data-ink={ink}
        data-ground={ground}
        data-bold={isBold}
        data-dim={isDim}
      >
        {part}
      </span>
    ),
  ),
);

const Screen = ({ lines, label }: { lines: readonly string[]; label: string }) => {
  const text = withoutEmptyEnd(lines).join("\n");
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
      {text === "" ? "(empty)" : <Coloured text={text} />}
    </pre>
  );
};

type OutputState =
  | { kind: "loading" }
  | { kind: "ready"; output: PaneOutput }
  /** `output`: the last output that could be read. */
  | { kind: "failed"; failure: Failure; output: PaneOutput | null };

/** The pause between an answer and the next request. */
const PAUSE_MS = 1_500;
const LINES = 80;

interface FollowedProps {
  pane: PaneView;
  source: OutputRequest;
  isPreview: boolean;
  onSource: (source: OutputSource) => void;
}

/** For a component that is mounted again for another pane, agent or source. */
const useOutput = ({ pane, source, isPreview }: FollowedProps): OutputState => {
  const { api } = usePopover().host;
  const [state, setState] = useState<OutputState>({ kind: "loading" });
  useLooks(async (signal) => {
    // Bound to the agent of this row; the rest of the row may change meanwhile.
    const input = { ...agentInput(pane), lines: LINES, source, ansi: true, isPreview };
    try {
      const output = await api.viewOutput.mutate(input, { signal });
      if (!signal.aborted) setState({ kind: "ready", output });
    } catch (error) {
      if (!signal.aborted)
        setState((before) => ({
          kind: "failed",
          failure: toFailure(error),
          output: before.kind === "loading" ? null : before.output,
        }));
    }
    return PAUSE_MS;
  });
  return state;
};

/** Scrolls to the output as far as the head of its row stays in view. */
const showBelow = (section: HTMLElement): void => {
  const list = section.closest("[data-list]");
  const row = section.closest("[data-key]");
  if (list === null || row === null) return;
  const view = list.getBoundingClientRect();
  const below = section.getBoundingClientRect().bottom - view.bottom;
  list.scrollBy({ top: Math.max(Math.min(below, row.getBoundingClientRect().top - view.top), 0) });
};

const Followed = (props: FollowedProps) => {
  const { onSource } = props;
  const state = useOutput(props);
  const output = state.kind === "loading" ? null : state.output;
  // Scrolls to the output, because the row grew below the visible part. Only once, or the list would keep jumping.
  const sectionRef = useRef<HTMLElement>(null);
  const wasShownRef = useRef(false);
  const isThere = output !== null;
  useEffect(() => {
    if (!isThere || wasShownRef.current) return;
    wasShownRef.current = true;
    if (sectionRef.current !== null) showBelow(sectionRef.current);
  }, [isThere]);
  // Before the first answer, and after a refusal, what was asked for.
  const source = output?.source ?? (props.source === "screen" ? "screen" : "transcript");
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
          Can't be read. {displaySentence(state.failure.message)}
        </p>
      )}
      {output !== null && (
        <Screen lines={output.lines} label={source === "screen" ? "Screen" : "Transcript"} />
      )}
    </section>
  );
};

interface OutputPreviewProps {
  pane: PaneView;
  /** It is beside a list in which the selection moves: to be shown does not mean to be read. */
  isPreview: boolean;
}

export const OutputPreview = ({ pane, isPreview }: OutputPreviewProps) => {
  const [chosen, setSource] = useState<OutputSource | null>(null);
  const source = chosen ?? firstOutput(pane);
  const { pane_ref: ref, runtime_id: runtimeId } = pane.identity;
  return (
    <Followed
      key={`${source} ${runtimeId ?? ""} ${ref}`}
      pane={pane}
      source={source}
      isPreview={isPreview}
      onSource={setSource}
    />
  );
};
