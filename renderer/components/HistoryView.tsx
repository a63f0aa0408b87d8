// The sessions that agents keep on disk: the newest first, filtered by what is searched for, and on request what was said in them;
// each can be resumed. All of it is the agents' own text.
import { useState, useEffect } from "react";
import {
  type HistorySession,
  type HistoryHit,
  type HistorySearchPage,
  type HistoryEntry,
} from "../../core/model/history.ts";
import {
  joinHits,
  resumeInput,
  startedText,
  sessionKey,
  sessionPlace,
  sessionTitle,
} from "../../ui/text/sessionText.ts";
import { toFailure } from "../state/connectHost.ts";
import { usePopover } from "../state/popover.ts";
import { ActionButton, CopyButton } from "./Buttons.tsx";
import { FailureText } from "./fields.tsx";
import { useAsk, useLooks, useStart } from "../hooks/useAsk.ts";
import type { Failure } from "../../ui/actions/actionStatus.ts";
import { displaySentence, displayText, shellCommand } from "../../ui/text/displayText.ts";
import { Age } from "./Age.tsx";
import { OpenableList } from "./OpenableList.tsx";
import styles from "./HistoryView.module.css";
import message from "./Message.module.css";

/**
 * A button that resumes a session in a pane of its own, on its machine and in its folder, and the result, for below the buttons. No
 * button where the session is open, or its folder not known. The daemon says why it cannot be resumed.
 */
const useResume = (session: HistorySession) => {
  const { task, done, start } = useStart();
  const input = resumeInput(session);
  const button = input !== null && done === null && (
    <ActionButton isDisabled={task.isBusy} onClick={() => start(input)}>
      {task.isBusy ? "Starting…" : "Resume"}
    </ActionButton>
  );
  const said = (
    <>
      <FailureText failure={task.failure} />
      {done !== null && (
        <div role="status">
          {startedText(done).map((line) => (
            <p key={line}>{line}</p>
          ))}
        </div>
      )}
    </>
  );
  return { button, said };
};

// List and search: the list follows the agents' logs while the popover is visible; the search looks inside the sessions.

/** While the view is open the list is requested again after this time. */
const LOOK_AGAIN_MS = 10_000;
/** As many sessions are found before the person asks for more. */
const MAX_FOUND = 20;

const useSessions = (text: string, limit: number) => {
  const { api } = usePopover().host;
  const asked = useAsk(`${limit} ${text}`, () =>
    api.history.list.query({ limit, ...(text === "" ? {} : { text }) }),
  );
  useLooks(async (signal) => {
    try {
      const { isDone } = await api.history.refresh.mutate();
      if (!signal.aborted) asked.reload();
      return isDone ? LOOK_AGAIN_MS : 0;
    } catch {
      // The list says what is wrong; it is tried again later.
      return LOOK_AGAIN_MS;
    }
  });
  return asked;
};

interface Found {
  hits: readonly HistoryHit[];
  state: "searching" | "stopped" | "done";
  failure: Failure | null;
}

/** For a component that is mounted again for another text; leaving it ends the search. */
const useSearch = (text: string): Found => {
  const { api } = usePopover().host;
  const [found, setFound] = useState<Found>({ hits: [], state: "searching", failure: null });
  useEffect(() => {
    const aborter = new AbortController();
    const { signal } = aborter;
    const search = async (): Promise<void> => {
      let hits: readonly HistoryHit[] = [];
      try {
        let cursor: string | null = null;
        do {
          const page: HistorySearchPage = await api.history.search.mutate({ text, cursor }, { signal });
          if (signal.aborted) return;
          hits = joinHits(hits, page.hits);
          cursor = page.cursor;
          setFound({ hits, state: "searching", failure: null });
        } while (cursor !== null && hits.length < MAX_FOUND);
        setFound({ hits, state: cursor === null ? "done" : "stopped", failure: null });
      } catch (error) {
        if (!signal.aborted) setFound({ hits, state: "done", failure: toFailure(error) });
      }
    };
    void search();
    return () => aborter.abort();
  }, [api, text]);
  return found;
};

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
  const { history } = usePopover().host.api;
  const ref = sessionKey(session);
  const { value, failure } = useAsk(`${ref} ${session.last_at}`, () => history.read.query({ ref }));
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
        <div className={styles.end} tabIndex={0} role="group" aria-label="End of the session">
          <Entries entries={value.entries.slice(-SHOWN_ENTRIES)} />
        </div>
      )}
    </div>
  );
};

const Sessions = ({ sessions }: { sessions: readonly { session: HistorySession; hit?: HistoryHit }[] }) => (
  <OpenableList
    open={useState<string | null>(null)}
    rows={sessions.map(({ session, hit }) => ({
      key: sessionKey(session),
      attributes: { "data-session": sessionKey(session) },
      title: sessionTitle(session),
      age: (
        <>
          {session.pane_ref !== null && <span className={styles.open}>open </span>}
          <Age since={session.last_at} />
        </>
      ),
      place: sessionPlace(session),
      summary: hit && <Entries entries={hit.matches} />,
      detail: <Conversation session={session} />,
    }))}
  />
);

const Results = ({ text }: { text: string }) => {
  const { hits, state, failure } = useSearch(text);
  const sessions = [
    ...new Map(hits.map((hit) => [sessionKey(hit.session), { session: hit.session, hit }])).values(),
  ];
  const said = {
    searching: "Searching inside sessions…",
    stopped: `The newest ${sessions.length}. For more, run 'agtmux history search'.`,
    done: sessions.length === 0 ? "No session contains this." : `${sessions.length} found.`,
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
          {text === "" ? "No saved sessions yet." : "No session matches by name, first prompt or folder."}
        </p>
      )}
      <Sessions sessions={value.items.map((session) => ({ session }))} />
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
            Search inside sessions
          </ActionButton>
        </div>
      )}
      {isInside ? <Results key={wanted} text={wanted} /> : <Listed text={wanted} />}
    </div>
  );
};
