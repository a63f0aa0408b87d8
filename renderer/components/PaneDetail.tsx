// What an expanded row shows: the request in full, why the state is what it is, and how it came about.
import type { Explanation, PaneView } from "../../core/model/view.ts";
import { formatAge, STATE_WORDS } from "../../core/model/words.ts";
import type { Api } from "../connection/connectHost.ts";
import { useExplanation } from "../hooks/useExplanation.ts";
import { displayLine, displaySentence, displayText } from "../text/displayText.ts";
import { panePlace, stateText } from "../text/paneText.ts";
import { Age, TimeLeft } from "./Age.tsx";
import { StateIcon } from "./StateIcon.tsx";
import styles from "./PaneDetail.module.css";

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

const RequestDetail = ({ request }: { request: NonNullable<PaneView["request"]> }) => (
  <section>
    <h3>{request.kind === "question" ? "Question" : "Asks for"}</h3>
    <p className={styles.title}>{displayLine(request.title)}</p>
    {request.body !== null && request.body !== request.title && (
      // The box scrolls, so the keyboard must reach it.
      <pre className={styles.body} tabIndex={0} aria-label="Full text of the request">
        {displayText(request.body)}
      </pre>
    )}
    {request.options.length > 0 && (
      <ol className={styles.options}>
        {request.options.map((option, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- options have no identity but their place
          <li key={index}>{displayLine(option.label)}</li>
        ))}
      </ol>
    )}
    {request.expiresAt !== null && (
      <p className={styles.quiet}>
        The agent goes on without an answer <TimeLeft until={request.expiresAt} />
      </p>
    )}
  </section>
);

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

const Why = ({ explanation }: { explanation: Explanation }) => (
  <>
    <section>
      <h3>Why “{explanation.pane.state === null ? "no agent" : STATE_WORDS[explanation.pane.state]}”</h3>
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
        <h3>So far</h3>
        <ol className={styles.list} aria-label="Timeline">
          {explanation.timeline.map((entry) => (
            <TimelineItem key={entry.state_version} entry={entry} />
          ))}
        </ol>
      </section>
    )}
  </>
);

interface PaneDetailProps {
  api: Api;
  pane: PaneView;
  onDismiss: () => void;
}

export const PaneDetail = ({ api, pane, onDismiss }: PaneDetailProps) => {
  const state = useExplanation(api, pane.identity.pane_ref, pane.state_version);
  return (
    <div className={styles.detail} role="group" aria-label="Detail">
      {pane.request !== null && <RequestDetail request={pane.request} />}
      {state.kind === "loading" && <p className={styles.quiet}>Asking for the evidence…</p>}
      {state.kind === "failed" && (
        <p className={styles.quiet}>
          No evidence to show. {displaySentence(state.failure.message)} {state.failure.remedy}
        </p>
      )}
      {state.kind === "ready" && <Why explanation={state.explanation} />}
      <footer className={styles.foot}>
        <span className={styles.place} title={panePlace(pane)}>
          {panePlace(pane)}
        </span>
        {pane.state === "error" && (
          <button type="button" className={styles.button} onClick={onDismiss}>
            Dismiss
          </button>
        )}
      </footer>
    </div>
  );
};
