// What surfaces ask of history, as `history.<name>`: each call once, with its input and its answer.
import * as z from "zod";
import { mutation, query, type ServiceOf } from "../../core/api/calls.ts";
import type { LimitList } from "../../core/model/view.ts";
import {
  USAGE_GROUPS,
  type HistoryHandoff,
  type HistoryList,
  type HistoryPage,
  type HistorySearchPage,
  type HistorySession,
  type HistoryUsage,
} from "../../core/model/history.ts";

const names = z.array(z.string().min(1).max(100)).max(20).optional();

const filters = {
  target: names,
  agent: names,
  /** This folder and those below it. */
  folder: z.string().startsWith("/").max(4_096).optional(),
  /** Epoch ms: those that went on since. */
  since: z.number().optional(),
  /** In title, first prompt or folder. */
  text: z.string().min(1).max(200).optional(),
};
const ref = z.string().min(1).max(300);

export const HISTORY_CALLS = {
  /** Scans the agents' folders now, here and on connected targets. `isDone`: false where it goes on after the call. */
  refresh: mutation(z.void())<{ isDone: boolean; sessions: number }>(),
  /** The sessions that are known, newest first. Answers at once: what came since the last `refresh` is not in it. */
  list: query(
    z.object({
      ...filters,
      limit: z.number().int().min(1).max(10_000).default(50),
      offset: z.number().int().min(0).default(0),
    }),
  )<HistoryList>(),
  /**
   * Looks for a text in what was said and asked, newest session first; upper and lower case of ASCII letters are the same. One call
   * searches for a moment: ask again with the cursor that it gives, and stop asking to end the search.
   */
  search: mutation(
    z.object({
      text: z.string().trim().min(2).max(200),
      target: names,
      agent: names,
      folder: filters.folder,
      since: filters.since,
      cursor: z.string().max(6_000).nullable().default(null),
    }),
  )<HistorySearchPage>(),
  /** Reads for a moment what answers used; ask again until it `isDone`. */
  readUsage: mutation(z.void())<{ isDone: boolean }>(),
  /** What is known of it by now. */
  usage: query(
    z.object({
      by: z.enum(USAGE_GROUPS).default("day"),
      target: names,
      agent: names,
      folder: filters.folder,
      since: filters.since,
    }),
  )<HistoryUsage>(),
  /**
   * What agents say of the limits of the person's accounts, by the files that they write anyway: read now. Fails with
   * E_TARGET_UNKNOWN for a machine that is asked for and not known.
   */
  limits: mutation(z.object({ target: names }))<LimitList>(),
  /** The session that is meant. Fails as `read` does. */
  find: query(z.object({ ref }))<HistorySession>(),
  /** What another agent needs to go on with a session, from its newest part. Fails as `read` does. */
  handoff: query(z.object({ ref }))<HistoryHandoff>(),
  /**
   * The newest piece of a session, or the one before `before`. `ref`: the beginning or the end of its id, also with the agent
   * before it (`agent:id`). Fails with E_REF_NOT_FOUND, E_REF_AMBIGUOUS.
   */
  read: query(
    z.object({
      ref,
      before: z.string().max(300).nullable().default(null),
      /** Takes known secrets out, for what leaves this machine. */
      redact: z.boolean().default(false),
    }),
  )<HistoryPage>(),
};

export type HistoryCalls = typeof HISTORY_CALLS;
export type HistoryService = ServiceOf<HistoryCalls>;
