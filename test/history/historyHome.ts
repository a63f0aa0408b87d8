// A home with the sessions of several agents in it, and the feature over it, for tests.
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { recordedLog } from "../../adapters/testkit/recordedLog.ts";
import type { PaneView } from "../../core/model/view.ts";
import type { FeatureContext, Feature } from "../../core/ports/feature.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { redactText } from "../../core/store/redact.ts";
import { HISTORY_CALLS, type HistoryCalls } from "../../features/history/calls.ts";
import type { AnswerFrom, SentTo } from "../../core/api/calls.ts";
import { localTarget } from "../workspaces/localTarget.ts";
import { createHistory } from "../../features/history/history.ts";

/** Where the recorded logs lie in a home, by agent. */
export const RECORDED_PATHS: Readonly<Record<string, string>> = {
  claude: ".claude/projects/-home-dev-project/be13efa4-5500-4a36-bcfb-d9b25ad7fa4a.jsonl",
  codex: ".codex/sessions/2026/11/22/rollout-2026-11-22T23-33-26-01a2059b-7fc5-7cc3-a062-067da0b4b9f5.jsonl",
  gemini: ".gemini/tmp/project/chats/session-2026-11-22T23-13-4b6e8189.jsonl",
  copilot: ".copilot/session-state/4f8298d2-418e-4a80-b3af-93ac5d9530f5/events.jsonl",
  pi: ".pi/agent/sessions/--home-dev-project--/2026-11-22T23-13-31-141Z_01a20589-4204-70db-9a77-c95e1db5b8ee.jsonl",
  omp: ".omp/agent/sessions/-project/2026-11-22T23-13-41-541Z_01a20589-6aa5-753f-82e9-158139f45e05.jsonl",
};

export interface HistoryHome {
  readonly home: string;
  /** `path` is below the home. */
  write(path: string, text: string | Buffer, mtime?: Date): string;
  /** A recorded log of this agent, at its place. */
  writeRecorded(agent: string): string;
  openDatabase(path?: string): BetterSqlite3.Database;
  ask<Name extends keyof HistoryCalls>(
    name: Name,
    input: SentTo<HistoryCalls[Name]>,
  ): Promise<AnswerFrom<HistoryCalls[Name]>>;
  /** Looks until everything is known. */
  refresh(): Promise<void>;
  /** Ends the feature and starts it again on the same home. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** opencode 1.18.33's tables, as far as they are read. */
export const OPENCODE_TABLES = `
  CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text NOT NULL, title text NOT NULL,
    time_created integer NOT NULL, time_updated integer NOT NULL);
  CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, data text NOT NULL);
  CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, data text NOT NULL);
  CREATE INDEX message_session ON message (session_id, time_created, id);
  CREATE INDEX part_message ON part (message_id, id);`;

export const makeHistoryHome = (panes: () => PaneView[] = () => []): HistoryHome => {
  const home = mkdtempSync(join(tmpdir(), "agtmux-history-"));
  const homePath = join(home, ".agtmux");
  mkdirSync(homePath);
  const databases: BetterSqlite3.Database[] = [];
  const registry = createAdapterRegistry();
  // What history does not use is left out: using it would fail.
  const context = {
    rows: { all: panes, onShown: () => () => {} },
    onConfigChange: () => () => {},
    target: () => localTarget(home),
    config: () => ({ targets: [] }),
    homePath,
    adapters: () => registry.list(),
    env: { HOME: home },
    redact: (text: string) => redactText(text, 100_000),
    clock: {
      now: Date.now,
      setTimer: (delayMs: number, callback: () => void) => {
        const timer = setTimeout(callback, delayMs);
        return () => clearTimeout(timer);
      },
    },
    logger: SILENT_LOGGER,
  } as unknown as FeatureContext;
  let feature: ReturnType<Feature["start"]> = createHistory().start(context);
  const ask: HistoryHome["ask"] = async (name, input) =>
    (await feature.answer(name, HISTORY_CALLS[name].input.parse(input), { kind: "unknown" })) as never;
  const write: HistoryHome["write"] = (path, text, mtime) => {
    const file = join(home, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (mtime !== undefined) utimesSync(file, mtime, mtime);
    return file;
  };
  return {
    home,
    write,
    writeRecorded: (agent) => write(RECORDED_PATHS[agent] ?? "", recordedLog(`${agent}.jsonl`)),
    openDatabase: (path = ".local/share/opencode/opencode.db") => {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      const db = new BetterSqlite3(join(home, path));
      db.pragma("journal_mode = WAL");
      db.exec(OPENCODE_TABLES);
      databases.push(db);
      return db;
    },
    ask,
    refresh: async () => {
      while (!(await ask("refresh", undefined)).isDone);
    },
    restart: async () => {
      await feature.close();
      feature = createHistory().start(context);
    },
    close: async () => {
      await feature.close();
      for (const db of databases) db.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
};
