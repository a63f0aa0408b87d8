// Searching the logs of a history home to the end, page by page.
import type { HistoryHit } from "../../core/model/history.ts";
import { joinHits } from "../../ui/text/sessionText.ts";
import type { HistoryHome } from "./historyHome.ts";

/** One line of a Claude log. */
export const line = (text: string, more = {}): string =>
  `${JSON.stringify({ type: "user", cwd: "/w", timestamp: "2026-11-22T10:00:00.000Z", message: { role: "user", content: text }, ...more })}\n`;
export const claudePath = (id: string): string => `.claude/projects/-w/${id}.jsonl`;

export const searchAll = async (
  home: HistoryHome,
  text: string,
  more: { agent?: string[] } = {},
): Promise<{ hits: HistoryHit[]; pages: number; bytes: number; longestMs: number }> => {
  await home.refresh();
  let hits: HistoryHit[] = [];
  let cursor: string | null = null;
  let bytes = 0;
  let longestMs = 0;
  for (let pages = 1; ; pages += 1) {
    const began = performance.now();
    const page: Awaited<ReturnType<typeof home.ask<"search">>> = await home.ask("search", {
      text,
      cursor,
      ...more,
    });
    longestMs = Math.max(longestMs, performance.now() - began);
    hits = joinHits(hits, page.hits);
    bytes += page.bytes;
    cursor = page.cursor;
    if (cursor === null) return { hits, pages, bytes, longestMs };
  }
};
