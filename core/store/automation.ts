// Tables `jobs`, `automation_runs`, `rule_trust` and `rule_runs`: what a person armed, and what it did. The text of a job that
// sends is overwritten in the file when the job ends.
import type BetterSqlite3 from "better-sqlite3";
import {
  firstJobSchema,
  jobRunSchema,
  jobSchema,
  sendJobSchema,
  watchJobSchema,
  type Job,
  type JobRun,
} from "../model/job.ts";
import type { JobEnd, JobStore, ArmedRule, RuleStore, RunNote } from "../ports/store.ts";
import { columnsOf, present, type RowReader } from "./rowReader.ts";
import { NOT_ANSWERED, RUN_BEGUN, ruleRunSchema, type RuleRun } from "../model/rule.ts";
import { readStoredView } from "./states.ts";

const JOB = columnsOf(
  "jobId kind createdAt surface runtimeId agentSessionId trigger act text state nextAt expiresAt runs maxRuns",
);
/** Of `Job`, with what the kinds of jobs keep in their own ways. */
type JobRow = Omit<Job, "trigger"> & ReturnType<typeof ownColumns>;

/** The columns that a kind of job fills in its own way. */
const ownColumns = (job: Job) => {
  switch (job.kind) {
    case "watch":
      return {
        runtimeId: "runtimeId" in job.subject ? job.subject.runtimeId : null,
        agentSessionId: null,
        trigger: JSON.stringify({ subject: job.subject, condition: job.condition }),
        act: JSON.stringify({ channel: job.channel }),
        text: null,
        nextAt: null,
      };
    case "send":
      return {
        runtimeId: job.agent.runtimeId,
        agentSessionId: job.sessionId,
        trigger: JSON.stringify({ trigger: job.trigger }),
        act: JSON.stringify({ agent: job.agent, isVolatile: job.isVolatile, isFirst: job.isFirst }),
        text: job.text,
        nextAt: job.nextAt,
      };
    case "first":
      return {
        runtimeId: null,
        agentSessionId: null,
        trigger: "{}",
        act: JSON.stringify({ place: job.place, isVolatile: job.isVolatile }),
        text: job.text,
        nextAt: null,
      };
  }
};

const watchColumns = watchJobSchema.pick({ subject: true, condition: true, channel: true });
const sendColumns = sendJobSchema.pick({ trigger: true, agent: true, isVolatile: true, isFirst: true });
const firstColumns = firstJobSchema.pick({ place: true, isVolatile: true });

const ownFields = (row: JobRow): object => {
  const own: unknown = { ...Object(JSON.parse(row.trigger)), ...Object(JSON.parse(row.act)) };
  switch (row.kind) {
    case "send":
      return {
        ...sendColumns.parse(own),
        sessionId: row.agentSessionId,
        text: row.text,
        nextAt: row.nextAt,
      };
    case "first":
      return { ...firstColumns.parse(own), text: row.text };
    case "watch":
      return watchColumns.parse(own);
  }
};

const jobFromRow = (row: JobRow): unknown => ({ ...row, ...ownFields(row) });

type RunKind = "told" | "sending" | "sent" | "note";

const RUN = columnsOf("jobId kind at runtimeId outcome");
const ENDS = "text = NULL, state = ?";
const IS_OPEN = "state IN ('armed', 'held')";

const prepareAll = (db: BetterSqlite3.Database) => ({
  insert: db.prepare<[JobRow]>(`INSERT INTO jobs ${JOB.values}`),
  armed: db.prepare<[], JobRow>(
    `SELECT ${JOB.read} FROM jobs WHERE state = 'armed' ORDER BY created_at, job_id`,
  ),
  all: db.prepare<[number], JobRow>(
    `SELECT ${JOB.read} FROM jobs ORDER BY created_at DESC, job_id DESC LIMIT ?`,
  ),
  one: db.prepare<[string], JobRow>(`SELECT ${JOB.read} FROM jobs WHERE job_id = ?`),
  end: db.prepare<[string, string]>(`UPDATE jobs SET ${ENDS} WHERE job_id = ? AND ${IS_OPEN}`),
  hold: db.prepare<[string, string, string]>("UPDATE jobs SET state = ? WHERE job_id = ? AND state = ?"),
  count: db.prepare<[string]>("UPDATE jobs SET runs = runs + 1 WHERE job_id = ? AND state = 'armed'"),
  finish: db.prepare<[string]>(
    `UPDATE jobs SET text = NULL, state = 'done' WHERE job_id = ? AND runs >= max_runs AND ${IS_OPEN}`,
  ),
  setNext: db.prepare<[number | null, string]>("UPDATE jobs SET next_at = ? WHERE job_id = ?"),
  bind: db.prepare<[string, string]>(
    "UPDATE jobs SET agent_session_id = ? WHERE job_id = ? AND agent_session_id IS NULL",
  ),
  bindAgent: db.prepare<[Partial<JobRow>]>(
    `UPDATE jobs SET kind = 'send', runtime_id = @runtimeId, agent_session_id = @agentSessionId, trigger = @trigger,
      act = @act WHERE job_id = @jobId AND kind = 'first' AND state = 'armed'`,
  ),
  insertRun: db.prepare<[JobRun & { kind: RunKind }]>(`INSERT INTO automation_runs ${RUN.values}`),
  settle: db.prepare<[number, string, string]>(
    "UPDATE automation_runs SET kind = 'sent', at = ?, outcome = ? WHERE job_id = ? AND kind = 'sending'",
  ),
  undo: db.prepare<[string]>("DELETE FROM automation_runs WHERE job_id = ? AND kind = 'sending'"),
  begun: db
    .prepare<[string], number>("SELECT count(*) FROM automation_runs WHERE job_id = ? AND kind = 'sending'")
    .pluck(),
  lastSent: db
    .prepare<[string], number | null>(
      "SELECT max(at) FROM automation_runs WHERE runtime_id = ? AND kind IN ('sending', 'sent')",
    )
    .pluck(),
  used: db.prepare<[string, string], { result: string | null }>(
    "SELECT result FROM used_keys WHERE scope = ? AND key = ?",
  ),
  runs: db.prepare<[string, number], JobRun>(
    `SELECT ${RUN.read} FROM automation_runs WHERE job_id = ? ORDER BY run_row DESC LIMIT ?`,
  ),
  told: db.prepare<[], { jobId: string; runtimeId: string }>(`
    SELECT DISTINCT automation_runs.job_id AS jobId, automation_runs.runtime_id AS runtimeId
    FROM automation_runs JOIN jobs ON jobs.job_id = automation_runs.job_id AND jobs.state = 'armed'
    WHERE automation_runs.kind = 'told' AND automation_runs.runtime_id IS NOT NULL`),
  paused: db.prepare<[], number>("SELECT at FROM automation_pause").pluck(),
  pause: db.prepare<[number]>("INSERT OR REPLACE INTO automation_pause (only_row, at) VALUES (1, ?)"),
  resume: db.prepare<[]>("DELETE FROM automation_pause"),
});

type Statements = ReturnType<typeof prepareAll>;

/** In one transaction, with freed bytes overwritten. */
const createOnRecord = (db: BetterSqlite3.Database) => {
  return <Args extends unknown[], Result>(work: (...args: Args) => Result): ((...args: Args) => Result) => {
    const inTransaction = db.transaction(work);
    return (...args) => {
      db.pragma("secure_delete = ON");
      try {
        return inTransaction(...args);
      } finally {
        db.pragma("secure_delete = OFF");
      }
    };
  };
};

const createSends = (db: BetterSqlite3.Database, statements: Statements) => {
  const { one, insertRun, settle, undo, begun, count, finish, end, setNext, bind } = statements;
  const onRecord = createOnRecord(db);
  return {
    beginSend: db.transaction(({ jobId, at, runtimeId }): boolean => {
      if (one.get(jobId)?.state !== "armed") return false;
      insertRun.run({ jobId, kind: "sending", at, runtimeId, outcome: "begun" });
      return true;
    }),
    undoSend: (jobId) => {
      undo.run(jobId);
    },
    settleSend: onRecord(({ jobId, at, outcome, nextAt, end: how }): void => {
      settle.run(at, outcome, jobId);
      count.run(jobId);
      setNext.run(nextAt, jobId);
      if (how === null) finish.run(jobId);
      else end.run(how, jobId);
    }),
    hasBegunSend: (jobId) => (begun.get(jobId) ?? 0) > 0,
    setNextAt: db.transaction((jobId, nextAt, note): void => {
      setNext.run(nextAt, jobId);
      if (note !== null)
        insertRun.run({ jobId, kind: "note", at: note.at, runtimeId: null, outcome: note.outcome });
    }),
    bindSession: (jobId, sessionId) => {
      bind.run(sessionId, jobId);
    },
    bindAgent: db.transaction((jobId, agent, sessionId): boolean => {
      const row = one.get(jobId);
      if (row === undefined) return false;
      const { isVolatile } = firstColumns.partial().parse(JSON.parse(row.act));
      return (
        statements.bindAgent.run({
          jobId,
          runtimeId: agent.runtimeId,
          agentSessionId: sessionId,
          trigger: JSON.stringify({ trigger: { kind: "ready" } }),
          act: JSON.stringify({ agent, isVolatile: isVolatile ?? false, isFirst: true }),
        }).changes > 0
      );
    }),
    lastSentAt: (runtimeId) => statements.lastSent.get(runtimeId) ?? null,
    findSent: (runtimeId, key) => {
      const found = statements.used.get(runtimeId, key);
      if (found === undefined) return "none";
      return found.result === null ? "unsettled" : { result: found.result };
    },
  } satisfies Partial<JobStore>;
};

export const createJobs = (db: BetterSqlite3.Database, rows: RowReader): JobStore => {
  const statements = prepareAll(db);
  const { insertRun, end, hold, count, finish } = statements;
  const onRecord = createOnRecord(db);
  const record = db.transaction(({ jobId, at, runtimeId, outcome }: JobRun): boolean => {
    if (count.run(jobId).changes === 0) return false;
    insertRun.run({ jobId, kind: "told", at, runtimeId, outcome });
    finish.run(jobId);
    return true;
  });
  const endOnRecord = onRecord((jobId: string, state: JobEnd, why: RunNote | null): boolean => {
    if (end.run(state, jobId).changes === 0) return false;
    if (why !== null)
      insertRun.run({ jobId, kind: "note", at: why.at, runtimeId: null, outcome: why.outcome });
    return true;
  });
  const read = (row: JobRow): Job | null => rows.read(jobSchema, "jobs", row.jobId, () => jobFromRow(row));
  return {
    insertJob: (job) => {
      statements.insert.run({ ...job, ...ownColumns(job) });
    },
    listArmedJobs: () => present(statements.armed.all().map(read)),
    listJobs: (limit) => present(statements.all.all(limit).map(read)),
    getJob: (jobId) => {
      const row = statements.one.get(jobId);
      return row === undefined ? null : read(row);
    },
    endJob: (jobId, state, why) => endOnRecord(jobId, state, why ?? null),
    holdJob: (jobId, isHeld) =>
      (isHeld ? hold.run("held", jobId, "armed") : hold.run("armed", jobId, "held")).changes > 0,
    recordRun: (run) => record(run),
    listRuns: (jobId, limit) =>
      present(
        statements.runs
          .all(jobId, limit)
          .map((row) => rows.read(jobRunSchema, "automation_runs", row.jobId, () => row)),
      ),
    listTold: () => statements.told.all(),
    pausedAt: () => statements.paused.get() ?? null,
    setPausedAt: (at) => {
      if (at === null) statements.resume.run();
      else statements.pause.run(at);
    },
    ...createSends(db, statements),
  };
};

// Rules: which a person armed, by their hash, and what they did.

const KEPT_MS = 90 * 86_400_000;
const MAX_RUNS_KEPT = 10_000;

const RULE_RUN = columnsOf("rule hash at runtimeId ref fingerprint verdict command outcome actionId");
const READ_RULE_RUNS = `SELECT run_row AS runRow, ${RULE_RUN.read} FROM rule_runs`;
const ANSWERS = `runtime_id = ? AND at >= ? AND verdict IN ('approve', 'deny') AND outcome NOT LIKE '${NOT_ANSWERED}%'`;

export const createRules = (db: BetterSqlite3.Database, rows: RowReader): RuleStore => {
  const arm = db.prepare<[ArmedRule]>(
    "INSERT OR REPLACE INTO rule_trust (hash, rule, at, surface) VALUES (@hash, @rule, @at, @surface)",
  );
  const disarm = db.prepare<[string]>("DELETE FROM rule_trust WHERE rule = ?");
  const armed = db.prepare<[], ArmedRule>("SELECT hash, rule, at, surface FROM rule_trust ORDER BY at");
  const insert = db.prepare<[Omit<RuleRun, "runRow">]>(`INSERT INTO rule_runs ${RULE_RUN.values}`);
  const forgetOld = db.prepare<[number, number]>("DELETE FROM rule_runs WHERE at < ? OR run_row <= ?");
  const settle = db.prepare<[string, string | null, number]>(
    "UPDATE rule_runs SET outcome = ?, action_id = ? WHERE run_row = ?",
  );
  const settleBegun = db.prepare<[string, string]>("UPDATE rule_runs SET outcome = ? WHERE outcome = ?");
  const list = db.prepare<[number], RuleRun>(`${READ_RULE_RUNS} ORDER BY run_row DESC LIMIT ?`);
  const last = db.prepare<[], RuleRun>(
    `${READ_RULE_RUNS} WHERE run_row IN (SELECT max(run_row) FROM rule_runs GROUP BY hash)`,
  );
  const readRuns = (found: RuleRun[]): RuleRun[] =>
    present(found.map((row) => rows.read(ruleRunSchema, "rule_runs", row.runRow, () => row)));
  const answers = db
    .prepare<[string, number], number>(`SELECT count(*) FROM rule_runs WHERE ${ANSWERS}`)
    .pluck();
  const answersOf = db
    .prepare<[string, number, string], number>(`SELECT count(*) FROM rule_runs WHERE ${ANSWERS} AND rule = ?`)
    .pluck();
  const counts = db.prepare<[], { hash: string; verdict: string; count: number }>(
    "SELECT hash, verdict, count(*) AS count FROM rule_runs GROUP BY hash, verdict",
  );
  const asked = db.prepare<[number], { version: number; at: number; view: string }>(`
    SELECT version, at, view FROM state_transitions WHERE state = 'waiting_approval' ORDER BY version DESC LIMIT ?`);
  return {
    armRule: (one) => {
      arm.run(one);
    },
    disarmRule: (rule) => disarm.run(rule).changes > 0,
    listArmedRules: () => armed.all(),
    insertRuleRun: db.transaction((run: Omit<RuleRun, "runRow">): number => {
      const runRow = Number(insert.run(run).lastInsertRowid);
      forgetOld.run(run.at - KEPT_MS, runRow - MAX_RUNS_KEPT);
      return runRow;
    }),
    settleRuleRun: (runRow, { outcome, actionId }) => {
      settle.run(outcome, actionId, runRow);
    },
    settleBegunRuleRuns: (outcome) => {
      settleBegun.run(outcome, RUN_BEGUN);
    },
    listRuleRuns: (limit) => readRuns(list.all(limit)),
    lastRuleRuns: () => readRuns(last.all()),
    countRuleAnswers: (runtimeId, since, rule) =>
      (rule === null ? answers.get(runtimeId, since) : answersOf.get(runtimeId, since, rule)) ?? 0,
    countRuleRuns: () => counts.all(),
    listAsked: (limit) =>
      present(
        asked.all(limit).map(({ version, at, view }) => {
          const row = readStoredView(rows, version, view);
          return row === null ? null : { at, row };
        }),
      ),
  };
};
