// Tables `jobs` and `automation_runs`: what a person armed, and what it did.
import type BetterSqlite3 from "better-sqlite3";
import { jobRunSchema, jobSchema, type Job, type JobRun } from "../model/job.ts";
import type { JobStore } from "../ports/jobStore.ts";
import { present, type RowReader } from "./rowReader.ts";

interface JobRow {
  job_id: string;
  kind: string;
  created_at: number;
  surface: string;
  runtime_id: string | null;
  trigger: string;
  act: string;
  state: string;
  expires_at: number;
  runs: number;
  max_runs: number;
}

const toRow = (job: Job): JobRow => ({
  job_id: job.jobId,
  kind: job.kind,
  created_at: job.createdAt,
  surface: job.surface,
  runtime_id: "runtimeId" in job.subject ? job.subject.runtimeId : null,
  trigger: JSON.stringify({ subject: job.subject, condition: job.condition }),
  act: JSON.stringify({ channel: job.channel }),
  state: job.state,
  expires_at: job.expiresAt,
  runs: job.runs,
  max_runs: job.maxRuns,
});

const triggerSchema = jobSchema.pick({ subject: true, condition: true });
const actSchema = jobSchema.pick({ channel: true });

const fromRow = (row: JobRow): unknown => ({
  ...triggerSchema.parse(JSON.parse(row.trigger)),
  ...actSchema.parse(JSON.parse(row.act)),
  jobId: row.job_id,
  kind: row.kind,
  createdAt: row.created_at,
  surface: row.surface,
  state: row.state,
  expiresAt: row.expires_at,
  runs: row.runs,
  maxRuns: row.max_runs,
});

interface RunRow {
  job_id: string;
  at: number;
  runtime_id: string | null;
  outcome: string;
}

const fromRunRow = (row: RunRow): unknown => ({
  jobId: row.job_id,
  at: row.at,
  runtimeId: row.runtime_id,
  outcome: row.outcome,
});

const COLUMNS =
  "job_id, kind, created_at, surface, runtime_id, trigger, act, state, expires_at, runs, max_runs";

export const createJobs = (db: BetterSqlite3.Database, rows: RowReader): JobStore => {
  const insert = db.prepare<[JobRow]>(`
    INSERT INTO jobs (${COLUMNS}) VALUES (@job_id, @kind, @created_at, @surface, @runtime_id, @trigger, @act, @state,
      @expires_at, @runs, @max_runs)`);
  const armed = db.prepare<[], JobRow>(
    `SELECT ${COLUMNS} FROM jobs WHERE state = 'armed' ORDER BY created_at, job_id`,
  );
  const all = db.prepare<[number], JobRow>(
    `SELECT ${COLUMNS} FROM jobs ORDER BY created_at DESC, job_id DESC LIMIT ?`,
  );
  const one = db.prepare<[string], JobRow>(`SELECT ${COLUMNS} FROM jobs WHERE job_id = ?`);
  const end = db.prepare<[string, string]>("UPDATE jobs SET state = ? WHERE job_id = ? AND state = 'armed'");
  const count = db.prepare<[string]>(`
    UPDATE jobs SET runs = runs + 1, state = CASE WHEN runs + 1 >= max_runs THEN 'done' ELSE state END
    WHERE job_id = ? AND state = 'armed'`);
  const insertRun = db.prepare<[RunRow & { kind: "told" | "note" }]>(
    "INSERT INTO automation_runs (job_id, kind, at, runtime_id, outcome) VALUES (@job_id, @kind, @at, @runtime_id, @outcome)",
  );
  const runs = db.prepare<[string, number], RunRow>(
    "SELECT job_id, at, runtime_id, outcome FROM automation_runs WHERE job_id = ? ORDER BY run_row DESC LIMIT ?",
  );
  const told = db.prepare<[], { jobId: string; runtimeId: string }>(`
    SELECT DISTINCT automation_runs.job_id AS jobId, automation_runs.runtime_id AS runtimeId
    FROM automation_runs JOIN jobs ON jobs.job_id = automation_runs.job_id AND jobs.state = 'armed'
    WHERE automation_runs.runtime_id IS NOT NULL`);
  const paused = db.prepare<[], number>("SELECT at FROM automation_pause").pluck();
  const pause = db.prepare<[number]>("INSERT OR REPLACE INTO automation_pause (only_row, at) VALUES (1, ?)");
  const resume = db.prepare<[]>("DELETE FROM automation_pause");
  const record = db.transaction(({ jobId, at, runtimeId, outcome }: JobRun): boolean => {
    if (count.run(jobId).changes === 0) return false;
    insertRun.run({ job_id: jobId, kind: "told", at, runtime_id: runtimeId, outcome });
    return true;
  });
  const endOnRecord = db.transaction(
    (jobId: string, state: string, why: Pick<JobRun, "at" | "outcome"> | null): boolean => {
      if (end.run(state, jobId).changes === 0) return false;
      if (why !== null)
        insertRun.run({ job_id: jobId, kind: "note", at: why.at, runtime_id: null, outcome: why.outcome });
      return true;
    },
  );
  const read = (row: JobRow): Job | null => rows.read(jobSchema, "jobs", row.job_id, () => fromRow(row));
  return {
    insertJob: (job) => {
      insert.run(toRow(job));
    },
    listArmedJobs: () => present(armed.all().map(read)),
    listJobs: (limit) => present(all.all(limit).map(read)),
    getJob: (jobId) => {
      const row = one.get(jobId);
      return row === undefined ? null : read(row);
    },
    endJob: (jobId, state, why) => endOnRecord(jobId, state, why ?? null),
    recordRun: (run) => record(run),
    listRuns: (jobId, limit) =>
      present(
        runs
          .all(jobId, limit)
          .map((row) => rows.read(jobRunSchema, "automation_runs", row.job_id, () => fromRunRow(row))),
      ),
    listTold: () => told.all(),
    pausedAt: () => paused.get() ?? null,
    setPausedAt: (at) => {
      if (at === null) resume.run();
      else pause.run(at);
    },
  };
};
