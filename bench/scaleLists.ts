// The lists of `bench/scale.ts`: what one costs from the rows to the bytes that are sent, asked again and again.
import { listPanes, listSessions, type ListingInput } from "../core/api/listing.ts";
import { createDocumentWriter } from "../core/rpc/socketServer.ts";
import type { Rig } from "./rig.ts";

/** The same number of rows is listed for each size, so that the code is equally compiled; the first third does not count. */
const LISTED_ROWS = 600_000;
const MAX_LISTS = 600;

interface ListCost {
  cpuMs: number;
  bytes: number;
}

export interface ListCosts {
  /** Asked again, with what happens in between. */
  again: ListCost;
  /** With no row's text known. */
  anew: ListCost;
  sessions: ListCost;
}

export const cpuMsOf = async (work: () => Promise<void> | void): Promise<number> => {
  const from = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1_000;
};

/**
 * Average CPU of a list. Small lists trigger garbage collection seldom and large ones each time, so a median would count it
 * only for the large ones. CPU and not time: the longer a list, the more often it is interrupted.
 */
const costOf = async (
  panes: number,
  list: () => number,
  between: (turn: number) => Promise<void>,
): Promise<ListCost> => {
  const lists = Math.min(MAX_LISTS, Math.ceil(LISTED_ROWS / panes));
  const warm = Math.ceil(lists / 3);
  let cpuMs = 0;
  let bytes = 0;
  for (let turn = 0; turn < lists; turn += 1) {
    await between(turn);
    const took = await cpuMsOf(() => {
      bytes = list();
    });
    if (turn >= warm) cpuMs += took;
  }
  return { cpuMs: cpuMs / (lists - warm), bytes };
};

const bytesOf = (pieces: readonly Buffer[]): number => pieces.reduce((sum, piece) => sum + piece.length, 0);

/** Lists as the daemon answers them. The first is made here; the lists hold what is kept of it for the next one. */
export const createLists = (rig: Rig, panes: number) => {
  const write = createDocumentWriter();
  const input = (): ListingInput => ({
    rows: rig.ingest.rows(true),
    targets: rig.ingest.targets(),
    now: rig.clock.now(),
    agents: () => ["claude"],
  });
  const again = (): number => bytesOf(write(listPanes(input(), { all: true })));
  const anew = (): number => bytesOf(createDocumentWriter()(listPanes(input(), { all: true })));
  const sessions = (): number => bytesOf(createDocumentWriter()(listSessions(input(), { all: true })));
  const nothing = (): Promise<void> => Promise.resolve();
  again();
  return {
    measure: async (between: (turn: number) => Promise<void>): Promise<ListCosts> => ({
      again: await costOf(panes, again, between),
      anew: await costOf(panes, anew, nothing),
      sessions: await costOf(panes, sessions, nothing),
    }),
  };
};
