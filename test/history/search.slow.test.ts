import { truncateSync, appendFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeHistoryHome, type HistoryHome } from "./historyHome.ts";
import { claudePath, line, searchAll } from "./searchAll.ts";

let home: HistoryHome;

beforeEach(() => {
  home = makeHistoryHome();
});
afterEach(() => home.close());

describe("a search", () => {
  it("passes a hole of 1 GB in pieces, and finds what is behind it", async () => {
    const path = home.write(claudePath("aaaaaaaa-1111"), line("the beginning"));
    truncateSync(path, 1024 ** 3);
    appendFileSync(path, `\n${line("behind the hole")}`);
    const { hits, pages, longestMs } = await searchAll(home, "behind the");
    expect(hits[0]?.matches.map(({ text }) => text)).toEqual(["behind the hole"]);
    expect(pages).toBeGreaterThan(1);
    expect(longestMs).toBeLessThan(2_000);
  });
});
