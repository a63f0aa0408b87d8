import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeHistoryHome, RECORDED_PATHS, type HistoryHome } from "./historyHome.ts";
import { claudePath, line, searchAll } from "./searchAll.ts";

let home: HistoryHome;

beforeEach(() => {
  home = makeHistoryHome();
});
afterEach(() => home.close());

const found = async (text: string): Promise<string[]> =>
  (await searchAll(home, text)).hits.flatMap(({ identity, matches }) =>
    matches.map((match) => `${identity.agent} ${match.role}: ${match.text}`),
  );

describe("a search", () => {
  it("finds what was asked, said and run, in every agent's sessions", async () => {
    for (const agent of Object.keys(RECORDED_PATHS)) home.writeRecorded(agent);
    const db = home.openDatabase();
    db.exec(`INSERT INTO session VALUES ('ses_one111', NULL, '/w', 'name', 1, 2);
      INSERT INTO message VALUES ('m1', 'ses_one111', 1, '{"role":"assistant"}');
      INSERT INTO part VALUES ('p1', 'm1', 'ses_one111', '{"type":"text","text":"hello from opencode"}');`);
    expect((await found("HELLO from")).toSorted()).toEqual([
      "gemini agent: hello from the lab",
      "gemini user: SAY hello from the lab",
      "omp agent: hello from the lab",
      "omp user: SAY hello from the lab",
      "opencode agent: hello from opencode",
      "pi agent: hello from the lab",
      "pi user: SAY hello from the lab",
    ]);
    expect(await found("recovered")).toEqual(["codex user: SAY recovered", "codex agent: recovered"]);
    expect(await found("touch long1")).toContain("copilot tool: bash touch long1.txt");
  });

  it("does not find the names of fields, nor what stands beside the conversation", async () => {
    home.write(claudePath("aaaaaaaa-1111"), line("one", { gitBranch: "secret-branch" }));
    expect(await found("gitBranch")).toEqual([]);
    expect(await found("secret-branch")).toEqual([]);
    expect(await found("timestamp")).toEqual([]);
  });

  it("takes a text as it is: quotes, signs of patterns, umlauts, and case of ASCII letters", async () => {
    home.write(claudePath("aaaaaaaa-1111"), line('say "a.b*c" [x] (y) \\d Ä größer\tTab 日本'));
    for (const text of ['"a.b*c"', "[X] (y)", "\\d Ä", "Größer", "日本"])
      expect(await found(text), text).toHaveLength(1);
    for (const text of ["a.b.c", "a.bb", "(z)", ".*"]) expect(await found(text), text).toEqual([]);
  });

  it("shows the place, and says where there is more", async () => {
    const long = `${"before ".repeat(50)}THE needle${" after".repeat(100)}`;
    home.write(
      claudePath("aaaaaaaa-1111"),
      [long, "needle 2", "needle 3", "needle 4"].map((text) => line(text)).join(""),
    );
    const { hits } = await searchAll(home, "the NEEDLE");
    expect(hits[0]?.matches[0]?.text).toMatch(/^….*before THE needle after.*…$/);
    expect((await searchAll(home, "needle")).hits[0]).toMatchObject({
      has_more: true,
      matches: { length: 3 },
    });
  });

  it("goes newest first, is filtered, and ends where nobody asks on", async () => {
    for (let index = 0; index < 120; index += 1) {
      const at = new Date(Date.UTC(2026, 0, 1 + index)).toISOString();
      home.write(
        claudePath(`aaaaaaaa-${String(index).padStart(4, "0")}`),
        line(`common ${index}`, { timestamp: at }),
      );
    }
    home.writeRecorded("codex");
    const { hits } = await searchAll(home, "common");
    expect(hits.map(({ matches }) => matches[0]?.text)).toEqual(
      Array.from({ length: 120 }, (_, index) => `common ${119 - index}`),
    );
    expect((await searchAll(home, "common", { agent: ["codex"] })).hits).toEqual([]);
  });

  it("finds every line of a large log once, wherever the pieces of it end", async () => {
    const filler = line("x".repeat(7_001));
    const lines = Array.from({ length: 1_500 }, (_, index) =>
      index % 300 === 299 ? line(`needle ${index}`) : filler,
    );
    home.write(claudePath("aaaaaaaa-1111"), lines.join(""));
    const { hits, bytes } = await searchAll(home, "needle");
    expect(hits[0]?.matches.map(({ text }) => text)).toEqual(["needle 299", "needle 599", "needle 899"]);
    expect(hits[0]?.has_more).toBe(true);
    expect((await searchAll(home, "needle 1499")).hits[0]?.matches).toHaveLength(1);
    expect(bytes).toBeGreaterThan(1_000_000);
    // A line that stands at any place of the boundary of a stretch.
    for (const length of [1_048_000, 1_048_400, 1_048_570, 1_048_577])
      expect(
        await (async () => {
          home.write(
            claudePath("bbbbbbbb-2222"),
            `${line("b")}${"y".repeat(length)}\n${line("boundary needle")}`,
          );
          return found("boundary needle");
        })(),
        String(length),
      ).toEqual(["claude user: boundary needle"]);
  });

  it("goes on when the log at which it stopped is gone, and takes any cursor", async () => {
    home.write(claudePath("aaaaaaaa-1111"), line("needle"));
    await home.refresh();
    const gone = JSON.stringify({ lastAt: Number.MAX_SAFE_INTEGER, path: "/gone.jsonl", offset: 5 });
    expect((await home.ask("search", { text: "needle", cursor: gone })).hits).toHaveLength(1);
    for (const cursor of ["", "{", '{"path":"/etc/passwd"}', "null", "[]"])
      expect((await home.ask("search", { text: "needle", cursor })).hits, cursor).toHaveLength(1);
    const foreign = JSON.stringify({ lastAt: 1, path: "/etc/passwd", offset: 0 });
    expect(await home.ask("search", { text: "root", cursor: foreign })).toMatchObject({
      hits: [],
      cursor: null,
    });
  });
});
