// Why a pane is in its state: each piece of evidence with its verdict, and the earlier states.
import { useEffect, useState } from "react";
import type { Explanation, PaneView } from "../../core/model/view.ts";
import { formatAge, STATE_WORDS } from "../../core/model/words.ts";
import type { Failure } from "../../ui/actions/actionStatus.ts";
import { toFailure } from "../connection/connectHost.ts";
import { usePopover } from "../state/popover.ts";
import { displayLine, displaySentence } from "../../ui/text/displayText.ts";
import { stateText } from "../../ui/text/paneText.ts";
import { Age } from "./Age.tsx";
import { StateIcon } from "./StateIcon.tsx";
import styles from "./Why.module.css";

type Evidence = Explanation["evidence"][number];
type TimelineEntry = Explanation["timeline"][number];

const OUTCOME_WORDS: Readonly<Record<Evidence["outcome"], string>> = {
  won: "decided",
  lost: "outweighed",
  retired: "over",
  contested: "contradicted",
  stale: "too old",
  unconfirmed: "not confirmed",
};

const EvidenceItem = ({ evidence }: { evidence: Evidence }) => (
  <li className={styles.evidence} data-outcome={evidence.outcome}>
    <span className={styles.evidenceHead}>
      <StateIcon state={evidence.state} />
      <span>{stateText(evidence.state, evidence.reason_code)}</span>
      <span className={styles.outcome}>{OUTCOME_WORDS[evidence.outcome]}</span>
    </span>
    <span className={styles.quiet}>
      {evidence.source} · {displayLine(evidence.event_type)} · <Age since={evidence.at} suffix=" ago" />
    </span>
    <span className={styles.rule}>{displayLine(evidence.rule)}</span>
    {evidence.matched !== null && <code className={styles.matched}>{displayLine(evidence.matched)}</code>}
  </li>
);

const TimelineItem = ({ entry }: { entry: TimelineEntry }) => (
  <li className={styles.moment}>
    <StateIcon state={entry.state} />
    <span>{stateText(entry.state, entry.reason_code)}</span>
    <span className={styles.duration}>
      {entry.duration_ms === null ? (
        <>
          since <Age since={entry.at} />
        </>
      ) : (
        formatAge(entry.duration_ms)
      )}
    </span>
  </li>
);

const Explained = ({ explanation }: { explanation: Explanation }) => (
  <>
    <section>
      <p>{displayLine(explanation.rule)}</p>
      {explanation.evidence.length > 0 && (
        <ul className={styles.list} aria-label="Evidence">
          {explanation.evidence.map((evidence) => (
            <EvidenceItem
              key={`${evidence.lane}/${evidence.source}/${evidence.event_type}/${evidence.at}/${evidence.outcome}`}
              evidence={evidence}
            />
          ))}
        </ul>
      )}
    </section>
    {explanation.timeline.length > 0 && (
      <section>
        <h2>So far</h2>
        <ol className={styles.list} aria-label="Timeline">
          {explanation.timeline.map((entry) => (
            <TimelineItem key={entry.state_version} entry={entry} />
          ))}
        </ol>
      </section>
    )}
  </>
);

type ExplanationState =
  | { kind: "loading" }
  /** `asked`: the state version for which this was requested. */
  | { kind: "ready"; asked: number; explanation: Explanation }
  | { kind: "failed"; failure: Failure };

/** Requested again whenever the state changes. The earlier answer stays visible until the newer one arrives. */
const useExplanation = ({ identity: { pane_ref: ref }, state_version: stateVersion }: PaneView) => {
  const { api } = usePopover().host;
  const [state, setState] = useState<ExplanationState>({ kind: "loading" });
  useEffect(() => {
    const aborter = new AbortController();
    const load = async () => {
      try {
        const explanation = await api.explain.query({ ref }, { signal: aborter.signal });
        if (!aborter.signal.aborted) setState({ kind: "ready", asked: stateVersion, explanation });
      } catch (error) {
        if (!aborter.signal.aborted) setState({ kind: "failed", failure: toFailure(error) });
      }
    };
    void load();
    return () => aborter.abort();
  }, [api, ref, stateVersion]);
  return state;
};

const Evidences = ({ pane }: { pane: PaneView }) => {
  const state = useExplanation(pane);
  switch (state.kind) {
    case "loading":
      return <p className={styles.quiet}>Asking for the evidence…</p>;
    case "failed":
      return (
        <p className={styles.quiet}>
          No evidence to show. {displaySentence(state.failure.message)} {state.failure.remedy}
        </p>
      );
    case "ready":
      return <Explained explanation={state.explanation} />;
  }
};

/** One quiet line, which opens the evidence. It is asked for only then. */
export const Why = ({ pane }: { pane: PaneView }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className={styles.why} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Why “{pane.state === null ? "no agent" : STATE_WORDS[pane.state]}”?
      </button>
      {isOpen && <Evidences pane={pane} />}
    </>
  );
};
