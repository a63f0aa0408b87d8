// The detail below an expanded row, or beside the list in a wide window: what the agent did last, its documents, what else can be
// done to it, and why it is in its state.
import { useEffect, useState } from "react";
import { type PaneView, type Explanation } from "../../core/model/view.ts";
import { replyReason, type ActionContext } from "../../ui/actions/disabledReasons.ts";
import {
  sendReply,
  actionOf,
  buttonsOf,
  notPossible,
  type PaneAction,
} from "../../ui/actions/paneActions.ts";
import { isAtLimit } from "../../ui/text/limitText.ts";
import { displayLine, displaySentence } from "../../ui/text/displayText.ts";
import { usePopover, useActionContext } from "../state/popover.ts";
import { ActionButton, CopyButton } from "./Buttons.tsx";
import { useAsk } from "../hooks/useAsk.ts";
import styles from "./PaneDetail.module.css";
import { formatAge, STATE_WORDS } from "../../core/model/words.ts";
import {
  machinesOf,
  stateText,
  panePlace,
  paneName,
  paneState,
  rowTitle,
  conflictTexts,
  pullRequestTexts,
  sharesText,
} from "../../ui/text/rowText.ts";
import { Age } from "./Age.tsx";
import { StateIcon } from "./StateIcon.tsx";
import { isReplyShown } from "../state/listStore.ts";
import { useStore } from "../state/store.ts";
import { OutputPreview } from "./OutputPreview.tsx";
import type { Row } from "../../ui/lists/rows.ts";
import { QuickReply } from "./QuickReply.tsx";

// Documents that were claimed for a pane: how each ends, whether it holds something that the agent was not shown, a button that
// tells the agent to answer, and one that copies the path. All of it is text of files.

interface PaneDocumentsProps {
  pane: PaneView;
  context: ActionContext;
  isBusy: boolean;
}

const PaneDocuments = ({ pane, context, isBusy }: PaneDocumentsProps) => {
  const { host, surface } = usePopover();
  const ref = pane.identity.pane_ref;
  const { value } = useAsk(
    ref,
    () => host.api.documents.ofPane.mutate({ ref }),
    // An answer changes what a document holds.
    pane.state_version,
  );
  if (value === null || value.length === 0) return null;
  const canTell = replyReason(pane, context) === null && pane.request === null;
  return (
    <section aria-label="Documents">
      <h2>Documents</h2>
      <ul className={styles.documents}>
        {value.map(({ id, file, path, has_unsent: hasUnsent, tail, trigger }) => (
          <li key={id}>
            <span className={styles.document} title={displayLine(path)}>
              <b>{displayLine(file)}</b>
              {hasUnsent ? " has something new" : ""}
              {tail === null ? "" : ` · ${displayLine(tail)}`}
            </span>
            {canTell && (
              <ActionButton
                isDisabled={isBusy}
                onClick={() =>
                  void sendReply(pane, { text: trigger, key: crypto.randomUUID(), isAnswer: false }, surface)
                }
              >
                Answer in it
              </ActionButton>
            )}
            <CopyButton text={path}>Copy path</CopyButton>
          </li>
        ))}
      </ul>
    </section>
  );
};

// Reasons of a state: each piece of evidence with its verdict, and the earlier states.

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

/** Requested again whenever the state changes. */
const Evidences = ({ pane: { identity, state_version: version } }: { pane: PaneView }) => {
  const { api } = usePopover().host;
  const { pane_ref: ref } = identity;
  const { value, failure } = useAsk(ref, () => api.explain.query({ ref }), version);
  if (failure !== null)
    return (
      <p className={styles.quiet}>
        No evidence to show. {displaySentence(failure.message)} {failure.remedy}
      </p>
    );
  if (value === null) return <p className={styles.quiet}>Loading the evidence…</p>;
  return <Explained explanation={value} />;
};

/** One quiet line that opens the evidence, which is requested only then. */
const Why = ({ pane }: { pane: PaneView }) => {
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

interface PaneDetailProps {
  pane: PaneView;
  context: ActionContext;
  /** An action on the pane is running. */
  isBusy: boolean;
  /** It is beside a list in which the selection moves: to be shown does not mean to be looked at. */
  isPreview: boolean;
}

/** These stand on the card already; the output is shown without a button. */
const ON_CARDS: ReadonlySet<string> = new Set(["approve", "deny", "dismiss", "attach"]);
const isHere = (pane: PaneView, { id }: PaneAction): boolean =>
  id !== "output" && !(pane.needs_action && (ON_CARDS.has(id) || (id === "handOver" && isAtLimit(pane))));

/** Buttons for what can be done, and sentences about what cannot be done and why. */
const PaneActions = ({ pane, context, isBusy }: Omit<PaneDetailProps, "isPreview">) => {
  const { list, surface } = usePopover();
  const isReplying = useStore(list, (state) => isReplyShown(state, pane.identity.pane_ref));
  const sentences = notPossible(pane, context, (action) => isHere(pane, action));
  return (
    <>
      <div className={styles.actions} role="group" aria-label="Actions">
        {buttonsOf(pane, context)
          .filter((action) => isHere(pane, action))
          .map((action) => (
            <ActionButton
              key={action.id}
              tone={action.tone ?? "plain"}
              shortcut={action.key}
              {...(action.panel === undefined ? {} : { isPressed: isReplying })}
              {...(action.isExclusive === true ? { isDisabled: isBusy } : {})}
              onClick={() => action.run(pane, surface)}
            >
              {action.label?.(pane) ?? action.name}
            </ActionButton>
          ))}
        {pane.armed !== null && (
          <ActionButton shortcut="l" onClick={() => list.showArmed(pane.identity.runtime_id)}>
            {displayLine(pane.armed)}
          </ActionButton>
        )}
      </div>
      {sentences.length > 0 && (
        <ul className={styles.missing} aria-label="Not available now">
          {sentences.map((sentence) => (
            <li key={sentence}>{displayLine(sentence)}</li>
          ))}
        </ul>
      )}
    </>
  );
};

/** The row has only a mark for it. */
const Shares = ({ pane }: { pane: PaneView }) => {
  const { feed } = usePopover();
  const hasMachines = useStore(feed, ({ targets }) => machinesOf([...targets.values()]).hasMachines);
  const texts = [
    sharesText(pane, { hasMachines }),
    ...conflictTexts(pane, { hasMachines }),
    ...pullRequestTexts(pane),
  ];
  return texts
    .filter((text) => text !== "")
    .map((text) => (
      <p key={text} className={styles.quiet}>
        {displaySentence(text)}
      </p>
    ));
};

/** Marks as read what a row showed as unread when the person opened it. */
const useSeen = (
  { identity: { pane_ref: ref }, unread_since: until }: PaneView,
  isLookedAt: boolean,
): void => {
  const { api } = usePopover().host;
  useEffect(() => {
    // A mark that stays because the daemon is gone is no loss.
    if (isLookedAt && until !== null) api.markSeen.mutate({ ref, until }).catch(() => {});
  }, [api, ref, until, isLookedAt]);
};

export const PaneDetail = (props: PaneDetailProps) => {
  const { pane, context, isPreview } = props;
  useSeen(pane, !isPreview);
  return (
    <div className={styles.detail} role="group" aria-label="Detail">
      {actionOf("output").disabledReason(pane, context) === null && (
        <OutputPreview pane={pane} isPreview={isPreview} />
      )}
      <PaneActions {...props} />
      <PaneDocuments {...props} />
      <Shares pane={pane} />
      <Why pane={pane} />
      <footer className={styles.foot}>
        <span className={styles.place} title={panePlace(pane)}>
          {panePlace(pane)}
        </span>
        {pane.confirmed_at !== null && (
          <span>
            seen <Age since={pane.confirmed_at} suffix=" ago" />
          </span>
        )}
      </footer>
    </div>
  );
};

const Detail = ({ pane }: { pane: PaneView }) => {
  const { list, statuses } = usePopover();
  const context = useActionContext(pane);
  const ref = pane.identity.pane_ref;
  const isBusy = useStore(statuses, (all) => all.get(ref)?.kind === "sending");
  const isOpened = useStore(list, ({ openKey }) => openKey === ref);
  const hasReply = useStore(list, (state) => isReplyShown(state, ref));
  const title = rowTitle(pane).text;
  return (
    <>
      <h2 className={styles.title} title={title}>
        <StateIcon state={pane.state} />
        <bdi className={styles.titleText}>{title}</bdi>
      </h2>
      <p className={styles.wideDetailPlace}>{paneState(pane)}</p>
      <PaneDetail pane={pane} context={context} isBusy={isBusy} isPreview={!isOpened} />
      {hasReply && <QuickReply pane={pane} isSending={isBusy} context={context} />}
    </>
  );
};

/** In a wide window: the selected row's detail beside the list. */
export const WideDetail = ({ row }: { row: Row | undefined }) => (
  <aside className={styles.aside} aria-label="Selected agent">
    {row?.kind === "pane" ? (
      <Detail key={`${row.key} ${paneName(row.pane)}`} pane={row.pane} />
    ) : (
      <p className={styles.wideDetailPlace}>Select an agent to see what it does.</p>
    )}
  </aside>
);
