// What a person armed and what it did: texts that wait to be sent, watches, and approval rules. Each job can be held, released and
// ended, each rule armed and disarmed, and all of them paused.
import { useCallback, useEffect, useRef, useState } from "react";
import type { JobsView as Jobs, JobView } from "../../core/model/job.ts";
import type { RulesView } from "../../core/model/rule.ts";
import { displayLine, displaySentence } from "../../ui/text/displayText.ts";
import type { Failure } from "../../ui/actions/actionStatus.ts";
import {
  arrangeJobs,
  type JobRow,
  isArmed,
  jobObstacle,
  jobPlace,
  jobStatus,
  jobTitle,
  pauseText,
} from "../../ui/text/jobText.ts";
import { findRules, isDisarmable } from "../../ui/text/ruleText.ts";
import { toFailure } from "../state/connectHost.ts";
import { useKeptFocus } from "../hooks/useListScroll.ts";
import { usePopover } from "../state/popover.ts";
import { useStore } from "../state/store.ts";
import { ActionButton } from "./Buttons.tsx";
import { Age, TimeText } from "./Age.tsx";
import { OpenableList } from "./OpenableList.tsx";
import { RulesList, type Change } from "./Rules.tsx";
import { useAsk, type Asked } from "../hooks/useAsk.ts";
import list from "./HistoryView.module.css";
import message from "./Message.module.css";
import styles from "./JobsView.module.css";

const LOOK_AGAIN_MS = 3_000;

/** Requests both repeatedly while the popover is visible. */
const useArmed = (): { jobs: Asked<Jobs>; rules: Asked<RulesView>; reload: () => void } => {
  const { automation } = usePopover().host.api;
  const jobs = useAsk<Jobs>("jobs", () => automation.jobs.query({}));
  const rules = useAsk("rules", () => automation.rules.query({}));
  const { clock } = usePopover();
  const [reloadJobs, reloadRules] = [jobs.reload, rules.reload];
  const reload = useCallback(() => {
    reloadJobs();
    reloadRules();
  }, [reloadJobs, reloadRules]);
  useEffect(() => {
    let lookedAt = clock.getState();
    // The clock stops while the popover is hidden, and so does this.
    return clock.subscribe(() => {
      const now = clock.getState();
      if (Math.abs(now - lookedAt) < LOOK_AGAIN_MS) return;
      lookedAt = now;
      reload();
    });
  }, [clock, reload]);
  return { jobs, rules, reload };
};

/** Makes a change and requests the list again; the message of a failure stays until the next change. */
const useChange = (reload: () => void, keepFocus: (item: string | null) => void) => {
  const [failure, setFailure] = useState<Failure | null>(null);
  /** `item`: selects the row that gets the focus if what had it goes away. */
  const change = (call: () => Promise<unknown>, item: string | null): void => {
    keepFocus(item);
    call()
      .then(() => setFailure(null))
      .catch((error: unknown) => setFailure(toFailure(error)))
      .finally(reload);
  };
  return { failure, change };
};

/** What the job reported or sent, newest first. */
const Told = ({ job }: { job: JobView }) => {
  const { automation } = usePopover().host.api;
  const { value, failure } = useAsk(`${job.job_id} ${job.runs} ${job.state}`, () =>
    automation.job.query({ id: job.job_id }),
  );
  if (failure !== null) return <p className={list.quiet}>{displaySentence(failure.message)}</p>;
  if (value === null) return <p className={list.quiet}>Reading…</p>;
  if (value.told.length === 0) return <p className={list.quiet}>Nothing yet.</p>;
  return (
    <ol className={styles.told} aria-label="What it did">
      {value.told.map(({ at, outcome }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- two runs may be of one moment
        <li key={index}>
          <Age since={at} suffix=" ago" /> <span>{displayLine(outcome)}</span>
        </li>
      ))}
    </ol>
  );
};

const itemOf = (jobId: string): string => `[data-job="${CSS.escape(jobId)}"]`;

const Detail = ({ row: { job, pane }, change }: { row: JobRow; change: Change }) => {
  const { automation } = usePopover().host.api;
  const { list: store } = usePopover();
  const id = job.job_id;
  const item = itemOf(id);
  return (
    <div className={list.detail}>
      <Told job={job} />
      <div className={list.buttons} role="group" aria-label="Actions">
        {isArmed(job) && (
          <>
            <ActionButton
              onClick={() =>
                change(() => automation.jobHold.mutate({ id, isHeld: job.state === "armed" }), item)
              }
            >
              {job.state === "armed" ? "Hold" : "Release"}
            </ActionButton>
            <ActionButton
              tone="danger"
              onClick={() => change(() => automation.jobCancel.mutate({ id }), item)}
            >
              Cancel job
            </ActionButton>
          </>
        )}
        {pane !== null && (
          <ActionButton onClick={() => store.showAgent(pane.identity.pane_ref)}>Show agent</ActionButton>
        )}
      </div>
      <p className={list.quiet}>
        {displayLine(id)}, armed <Age since={job.created_at} suffix=" ago" /> · {displayLine(job.surface)}
      </p>
    </div>
  );
};

interface JobListProps {
  label: string;
  rows: readonly JobRow[];
  hasMachines: boolean;
  open: readonly [string | null, (jobId: string | null) => void];
  change: Change;
}

const JobList = ({ label, rows, hasMachines, open, change }: JobListProps) =>
  rows.length > 0 && (
    <>
      <h2 className={styles.heading}>{label}</h2>
      <OpenableList
        label={label}
        open={open}
        rows={rows.map((row) => {
          const { job, pane } = row;
          const obstacle = jobObstacle(job);
          return {
            key: job.job_id,
            attributes: { "data-job": job.job_id, "data-state": job.state },
            title: jobTitle(job),
            age: <TimeText textAt={(now) => jobStatus(job, now)} />,
            place: jobPlace(job, pane, { hasMachines }),
            note: obstacle !== "" && <span className={styles.obstacle}>{obstacle}</span>,
            detail: <Detail row={row} change={change} />,
          };
        })}
      />
    </>
  );

interface JobsViewProps {
  /** What is searched for in the header. */
  text: string;
  /** Only what is armed for this agent; null: all. */
  runtimeId: string | null;
  hasMachines: boolean;
}

const Empty = ({ isSearched }: { isSearched: boolean }) => (
  <div className={message.empty} role="status">
    <p className={message.title}>{isSearched ? "Nothing matches" : "No automation yet"}</p>
    <p>
      {isSearched
        ? "Press Esc to clear the search."
        : "Reply to a running agent and choose “When ready”, or see ‘agtmux help tell’."}
    </p>
  </div>
);

export const JobsView = ({ text, runtimeId, hasMachines }: JobsViewProps) => {
  const { jobs, rules, reload } = useArmed();
  const { value, failure } = jobs;
  const { automation } = usePopover().host.api;
  const { panes } = useStore(usePopover().feed);
  const viewRef = useRef<HTMLDivElement>(null);
  const kept = useKeptFocus(viewRef);
  const changes = useChange(reload, kept.keep);
  // A job keeps its detail when it goes from one list to the other.
  const open = useState<string | null>(null);
  if (value === null)
    return (
      <p className={message.empty} role="status">
        {failure === null ? "Looking…" : displaySentence(failure.message)}
      </p>
    );
  const { items, paused_at: pausedAt } = value;
  const { armed, ended } = arrangeJobs(items, panes.values(), { text, runtimeId });
  const isPaused = pausedAt !== null;
  const lists = { hasMachines, open, change: changes.change };
  const shownRules = findRules(rules.value?.items ?? [], { text, runtimeId });
  const isArmedAtAll = items.some(isArmed) || (rules.value?.items ?? []).some(isDisarmable);
  const failed = changes.failure ?? failure ?? rules.failure;
  return (
    <div ref={viewRef} className={list.view} data-jobs onPointerDown={kept.forget}>
      {(isPaused || isArmedAtAll) && (
        <div className={styles.head} data-paused={isPaused}>
          <p role="status">
            <TimeText textAt={(now) => pauseText(pausedAt, now)} />
          </p>
          <ActionButton
            tone={isPaused ? "primary" : "plain"}
            onClick={() => changes.change(() => automation.pause.mutate({ isPaused: !isPaused }), null)}
          >
            {isPaused ? "Resume all" : "Pause all"}
          </ActionButton>
        </div>
      )}
      {failed !== null && (
        <p className={list.line} role="alert">
          {displaySentence(failed.message)}
        </p>
      )}
      {armed.length + ended.length + shownRules.length === 0 && (
        <Empty isSearched={text.trim() !== "" && items.length > 0} />
      )}
      <JobList label="Active" rows={armed} {...lists} />
      {rules.value !== null && <RulesList view={rules.value} rows={shownRules} change={changes.change} />}
      <JobList label="Ended" rows={ended} {...lists} />
    </div>
  );
};
