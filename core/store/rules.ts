// Tables `rule_trust` and `rule_runs`: the rules that a person armed, by their hash, and what rules did.
import type BetterSqlite3 from "better-sqlite3";
import { NOT_ANSWERED, RUN_BEGUN, ruleRunSchema, type RuleRun } from "../model/ruleRun.ts";
import type { ArmedRule, RuleStore } from "../ports/ruleStore.ts";
import { present, type RowReader } from "./rowReader.ts";
import { readStoredView } from "./transitions.ts";

const KEPT_MS = 90 * 86_400_000;
const MAX_RUNS_KEPT = 10_000;

const COLUMNS = `run_row AS runRow, rule, hash, at, runtime_id AS runtimeId, ref, fingerprint, verdict, command, outcome,
  action_id AS actionId`;
const ANSWERS = `runtime_id = ? AND at >= ? AND verdict IN ('approve', 'deny') AND outcome NOT LIKE '${NOT_ANSWERED}%'`;

export const createRules = (db: BetterSqlite3.Database, rows: RowReader): RuleStore => {
  const arm = db.prepare<[ArmedRule]>(
    "INSERT OR REPLACE INTO rule_trust (hash, rule, at, surface) VALUES (@hash, @rule, @at, @surface)",
  );
  const disarm = db.prepare<[string]>("DELETE FROM rule_trust WHERE rule = ?");
  const armed = db.prepare<[], ArmedRule>("SELECT hash, rule, at, surface FROM rule_trust ORDER BY at");
  const insert = db.prepare<[Omit<RuleRun, "runRow">]>(`
    INSERT INTO rule_runs (rule, hash, at, runtime_id, ref, fingerprint, verdict, command, outcome, action_id)
    VALUES (@rule, @hash, @at, @runtimeId, @ref, @fingerprint, @verdict, @command, @outcome, @actionId)`);
  const forgetOld = db.prepare<[number, number]>("DELETE FROM rule_runs WHERE at < ? OR run_row <= ?");
  const settle = db.prepare<[string, string | null, number]>(
    "UPDATE rule_runs SET outcome = ?, action_id = ? WHERE run_row = ?",
  );
  const settleBegun = db.prepare<[string, string]>("UPDATE rule_runs SET outcome = ? WHERE outcome = ?");
  const list = db.prepare<[number], RuleRun>(
    `SELECT ${COLUMNS} FROM rule_runs ORDER BY run_row DESC LIMIT ?`,
  );
  const last = db.prepare<[], RuleRun>(
    `SELECT ${COLUMNS} FROM rule_runs WHERE run_row IN (SELECT max(run_row) FROM rule_runs GROUP BY hash)`,
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
