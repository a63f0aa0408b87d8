// What `agtmux watch` told, with the moment at which each line arrived: what a person would have seen, when.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import * as z from "zod";
import { partsOfPaneRef, placeIdOf } from "../../../core/model/shortRef.ts";
import { paneIdentitySchema, paneViewSchema, type PaneView } from "../../../core/model/view.ts";
import type { Shown } from "../results/result.ts";
import { AGTMUX } from "./product.ts";

/** A row as it became; null: the pane has no agent any more. */
export interface Sighting {
  at: number;
  /** Of a pane, or of a session that no pane shows (`bg-…`). */
  placeId: string;
  row: PaneView | null;
}

export const shownBy = (row: PaneView | null): Shown => row?.state ?? "gone";
export const reasonBy = (row: PaneView | null): string | null => row?.reason_code ?? null;

const lineSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("snapshot"), panes: z.array(paneViewSchema) }),
  z.object({ kind: z.literal("state"), pane: paneViewSchema }),
  z.object({ kind: z.literal("removed"), identity: paneIdentitySchema }),
  z.object({ kind: z.literal("target") }),
  z.object({ kind: z.literal("gap") }),
]);

const sightings = (line: string, at: number): Sighting[] => {
  const entry = lineSchema.parse(JSON.parse(line));
  switch (entry.kind) {
    case "snapshot":
      return entry.panes.map((row) => ({ at, placeId: placeIdOf(row), row }));
    case "state":
      return [{ at, placeId: placeIdOf(entry.pane), row: entry.pane.state === null ? null : entry.pane }];
    case "removed":
      return [{ at, placeId: partsOfPaneRef(entry.identity.pane_ref)?.pane_id ?? "", row: null }];
    case "target":
    case "gap":
      return [];
  }
};

/** Follows from the snapshot on, which has arrived when this resolves. */
export const openLiveFeed = async (env: Readonly<Record<string, string>>) => {
  const child = spawn(AGTMUX, ["watch", "--format", "jsonl"], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const all: Sighting[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => all.push(...sightings(line, Date.now())));
  await Promise.race([
    once(lines, "line"),
    ended.then(() => Promise.reject(new Error("agtmux watch ended at once"))),
  ]);
  return {
    /** What was shown of the place from that moment on, the row in force at it included. */
    from: (placeId: string, at: number): Sighting[] => {
      const own = all.filter((one) => one.placeId === placeId);
      const first = own.findLastIndex((one) => one.at <= at);
      return own.slice(Math.max(0, first));
    },
    close: async (): Promise<void> => {
      child.kill();
      await ended;
    },
  };
};

export type LiveFeed = Awaited<ReturnType<typeof openLiveFeed>>;
