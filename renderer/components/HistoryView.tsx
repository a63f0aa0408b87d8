// The sessions that agents keep on disk: the newest first, filtered by what is searched for, and on request what was said in
// them. All of it is the agents' own text.
import { useState } from "react";
import type { HistoryEntry, HistoryHit, HistorySession } from "../../core/model/history.ts";
import { displaySentence, displayText, shellCommand } from "../../ui/text/displayText.ts";
import { sessionKey, sessionPlace, sessionTitle } from "../../ui/text/sessionText.ts";
import { moveFocus } from "../hooks/moveFocus.ts";
import { useAskHistory, useSearch, useSessions } from "../hooks/useHistory.ts";
import { ActionButton } from "./ActionButton.tsx";
import { CopyButton } from "./CopyButton.tsx";
import { Age } from "./Age.tsx";
import { useResume } from "./useResume.tsx";
import { useAsk } from "./settings/useAsk.ts";
import styles from "./HistoryView.module.css";
import message from "./Message.module.css";

const FIRST_LIMIT = 50;
/** Newest entries that are shown of an opened session. */
const SHOWN_ENTRIES = 30;
const MIN_SEARCH = 2;

const WHO: Readonly<Record<HistoryEntry["role"], string>> = {
  user: "You",
  agent: "Agent",
  tool: "Call",
  note: "Note",
};

const Entries = ({ entries }: { entries: readonly HistoryEntry[] }) => (
  <ol className={styles.entries}>
    {entries.map(({ role, text }, index) => (
      // oxlint-disable-next-line react/no-array-index-key -- entries have no identity but their place
      <li key={index} data-role={role}>
        <span className={styles.who}>{WHO[role]}</span>
        <span className={styles.text}>{displayText(text)}</span>
      </li>
    ))}
  </ol>
);

const Conversation = ({ session }: { session: HistorySession }) => {
  const ask = useAskHistory();
  const ref = sessionKey(session);
  const { value, failure } = useAsk(`${ref} ${session.last_at}`, () => ask.read(ref));
  const resume = useResume(session);
  return (
    <div className={styles.detail}>
      <div className={styles.buttons}>
        {resume.button}
        <CopyButton text={session.identity.session_id}>Copy id</CopyButton>
        <CopyButton text={shellCommand(["agtmux", "history", "show", ref, "--all"])}>
          Copy command to read all
        </CopyButton>
      </div>
      {resume.said}
      {failure !== null && (
        <p role="status" className={styles.quiet}>
          {displaySentence(failure.message)}
        </p>
      )}
      {value === null && failure === null && <p className={styles.quiet}>Reading…</p>}
      {value !== null && (
        // It scrolls, so a keyboard has to reach it.
        <div className={styles.end} tabIndex={0} role="group" aria-label="The end of the session">
          <Entries entries={value.entries.slice(-SHOWN_ENTRIES)} />
        </div>
      )}
    </div>
  );
};

interface SessionRowProps {
  session: HistorySession;
  isOpen: boolean;
  onToggle: () => void;
  hit: HistoryHit | null;
}

const SessionRow = ({ session, isOpen, onToggle, hit }: SessionRowProps) => (
  <li className={styles.item}>
    <button
      type="button"
      className={styles.row}
      data-session={sessionKey(session)}
      aria-expanded={isOpen}
      onClick={onToggle}
    >
      <bdi className={styles.title}>{sessionTitle(session)}</bdi>
      <span className={styles.age}>
        {session.pane_ref !== null && <span className={styles.open}>open </span>}
        <Age since={session.last_at} />
      </span>
      <span className={styles.place}>{sessionPlace(session)}</span>
    </button>
    {hit !== null && !isOpen && <Entries entries={hit.matches} />}
    {isOpen && <Conversation session={session} />}
  </li>
);

interface SessionsProps {
  sessions: readonly { session: HistorySession; hit: HistoryHit | null }[];
}

const Sessions = ({ sessions }: SessionsProps) => {
  const [openKey, setOpenKey] = useState<string | null>(null);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys are those of the buttons in it
    <ul className={styles.list} onKeyDown={moveFocus}>
      {sessions.map(({ session, hit }) => {
        const key = sessionKey(session);
        const isOpen = key === openKey;
        return (
          <SessionRow
            key={key}
            session={session}
            hit={hit}
            isOpen={isOpen}
            onToggle={() => setOpenKey(isOpen ? null : key)}
          />
        );
      })}
    </ul>
  );
};

const Results = ({ text }: { text: string }) => {
  const { hits, state, failure } = useSearch(text);
  const sessions = [
    ...new Map(hits.map((hit) => [sessionKey(hit.session), { session: hit.session, hit }])).values(),
  ];
  const said = {
    searching: "Looking inside the sessions…",
    stopped: `The newest ${sessions.length}. Look for more with 'agtmux history search'.`,
    done: sessions.length === 0 ? "Nobody said this." : `${sessions.length} found.`,
  }[state];
  return (
    <>
      <p className={styles.line} role="status">
        {failure === null ? said : displaySentence(failure.message)}
      </p>
      <Sessions sessions={sessions} />
    </>
  );
};

const Listed = ({ text }: { text: string }) => {
  const [limit, setLimit] = useState(FIRST_LIMIT);
  const { value, failure } = useSessions(text, limit);
  if (value === null)
    return (
      <p className={message.empty} role="status">
        {failure === null ? "Looking…" : displaySentence(failure.message)}
      </p>
    );
  const more = value.summary.total - value.items.length;
  return (
    <>
      {value.items.length === 0 && (
        <p className={message.empty} role="status">
          {text === ""
            ? "No agent has kept a session here yet."
            : "No session has this in its name, first prompt or folder."}
        </p>
      )}
      <Sessions sessions={value.items.map((session) => ({ session, hit: null }))} />
      {more > 0 && (
        <div className={styles.line}>
          <ActionButton
            onClick={() => setLimit(limit * 4)}
          >{`Show more of ${value.summary.total}`}</ActionButton>
        </div>
      )}
    </>
  );
};

/** `text`: what is searched for in the header. */
export const HistoryView = ({ text }: { text: string }) => {
  const wanted = text.trim();
  const [inside, setInside] = useState<string | null>(null);
  const isInside = inside === wanted && wanted !== "";
  return (
    <div className={styles.view} data-history>
      {wanted.length >= MIN_SEARCH && (
        <div className={styles.line}>
          <ActionButton isPressed={isInside} onClick={() => setInside(isInside ? null : wanted)}>
            Look inside the sessions
          </ActionButton>
        </div>
      )}
      {isInside ? <Results key={wanted} text={wanted} /> : <Listed text={wanted} />}
    </div>
  );
};
