// What lies in agents' folders is written by agents, by what they ran, and by whoever filled the disk.
import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { measureSlowness } from "../setup/machine.ts";
import { makeHistoryHome, type HistoryHome } from "./historyHome.ts";

const GB = 1024 ** 3;
let home: HistoryHome;

beforeEach(() => {
  home = makeHistoryHome();
});
afterEach(() => home.close());

const user = (text: string): string =>
  `${JSON.stringify({ type: "user", cwd: "/w", timestamp: "2026-11-22T10:00:00.000Z", message: { role: "user", content: text } })}\n`;
const claudePath = (id: string): string => `.claude/projects/-w/${id}.jsonl`;
const prompts = async (): Promise<(string | null)[]> =>
  (await home.ask("list", {})).items.map(({ first_prompt }) => first_prompt);

/**
 * The longest that the loop was held meanwhile, in ms, beside what the call gave: of this thread's own computing, because other
 * programs share the machine.
 */
const held = async <T>(work: () => Promise<T>): Promise<{ value: T; longestMs: number }> => {
  const used = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let last = used();
  let longestMs = 0;
  let isOver = false;
  const turn = (): void => {
    const now = used();
    longestMs = Math.max(longestMs, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const value = await work();
  isOver = true;
  return { value, longestMs };
};

describe("a log", () => {
  it("of 5 GB is listed and read by its ends", async () => {
    const path = home.write(claudePath("aaaaaaaa-1111"), user("at the beginning"));
    truncateSync(path, 5 * GB);
    appendFileSync(path, `\n${user("at the end")}`);
    const before = process.memoryUsage().rss;
    const { value, longestMs } = await held(async () => {
      await home.refresh();
      return home.ask("read", { ref: "1111" });
    });
    expect(value.entries.map(({ text }) => text)).toEqual(["at the end"]);
    expect(value.session.first_prompt).toBe("at the beginning");
    // What is before it is noise: a page of it is given up soon, and says where it goes on.
    const older = await home.ask("read", { ref: "1111", before: value.before });
    expect(older).toMatchObject({ entries: [], before: expect.stringMatching(/^\d+:$/) });
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 ** 2);
    expect(longestMs).toBeLessThan(50);
  });

  it("of noise, of one endless line, or of lines that nest without end is passed over", async () => {
    const noise = Buffer.alloc(3_000_000);
    for (let at = 0; at < noise.length; at += 1) noise[at] = (at * 2_654_435_761) >>> 24;
    home.write(claudePath("aaaaaaaa-1111"), noise);
    home.write(claudePath("aaaaaaaa-2222"), `{"type":"user","a":"${"x".repeat(8_000_000)}`);
    home.write(claudePath("aaaaaaaa-3333"), `${"[".repeat(200_000)}\n${'{"a":'.repeat(100_000)}\n`);
    home.write(claudePath("aaaaaaaa-4444"), "\n".repeat(2_000_000));
    home.write(claudePath("aaaaaaaa-5555"), "");
    home.write(claudePath("aaaaaaaa-6666"), user("good"));
    home.write(
      claudePath("aaaaaaaa-7777"),
      `${user("before it")}{"type":"user","a":"${"x".repeat(3_000_000)}"}\n${user("after it")}`,
    );
    await home.refresh();
    expect(new Set(await prompts())).toEqual(new Set(["before it", "good"]));
    const { value, longestMs } = await held(() => home.ask("read", { ref: "7777" }));
    expect(value.entries.map(({ text }) => text)).toEqual(["after it"]);
    const older = await home.ask("read", { ref: "7777", before: value.before });
    expect(older.entries.map(({ text }) => text)).toEqual(["before it"]);
    expect(longestMs).toBeLessThan(50);
  });

  it("that is a link, a pipe, a folder or closed is no log", async () => {
    const secret = home.write("secret.jsonl", user("somebody else's"));
    const folder = join(home.home, ".claude/projects/-w");
    home.write(claudePath("aaaaaaaa-6666"), user("good"));
    symlinkSync(secret, join(folder, "aaaaaaaa-1111.jsonl"));
    symlinkSync("/dev/zero", join(folder, "aaaaaaaa-2222.jsonl"));
    execFileSync("mkfifo", [join(folder, "aaaaaaaa-3333.jsonl")]);
    mkdirSync(join(folder, "aaaaaaaa-4444.jsonl"));
    home.write("elsewhere/aaaaaaaa-5555.jsonl", user("behind a linked folder"));
    symlinkSync(join(home.home, "elsewhere"), join(home.home, ".claude/projects/-linked"));
    symlinkSync("..", join(folder, "loop"));
    await home.refresh();
    expect(await prompts()).toEqual(["good"]);
  });

  it("that became a link after it was found is not followed", async () => {
    const path = home.write(claudePath("aaaaaaaa-1111"), user("one"));
    await home.refresh();
    const secret = home.write("secret.jsonl", user("somebody else's"));
    execFileSync("ln", ["-sf", secret, path]);
    await expect(home.ask("read", { ref: "1111" })).rejects.toMatchObject({ code: "E_REF_NOT_FOUND" });
  });

  it("in a root that is a link is found: people keep their settings elsewhere", async () => {
    home.write("dotfiles/claude/projects/-w/aaaaaaaa-1111.jsonl", user("one"));
    symlinkSync(join(home.home, "dotfiles/claude"), join(home.home, ".claude"));
    await home.refresh();
    expect(await prompts()).toEqual(["one"]);
  });

  it("may hold names of columns, quotes and control characters", async () => {
    home.write(claudePath("aaaaaaaa-1111"), user("'; DROP TABLE log; --\u001b[2J\u0000\u202e"));
    await home.refresh();
    expect(await prompts()).toEqual(["'; DROP TABLE log; --[2J\u202e"]);
    expect((await home.ask("list", { text: "'; drop" })).items).toHaveLength(1);
    expect((await home.ask("list", { text: "%" })).items).toHaveLength(0);
  });
});

describe("many logs", () => {
  it("are read in short stretches", async () => {
    for (let index = 0; index < 1_500; index += 1)
      home.write(
        claudePath(`aaaaaaaa-${String(index).padStart(4, "0")}`),
        user(`prompt ${index}`).repeat(60),
      );
    const { longestMs } = await held(() => home.refresh());
    expect((await home.ask("list", {})).summary.total).toBe(1_500);
    expect(longestMs).toBeLessThan(50 * measureSlowness());
  });
});

describe("a database", () => {
  const insert = (db: ReturnType<typeof home.openDatabase>, id: string, prompt: string): void => {
    db.prepare("INSERT INTO session VALUES (?, NULL, '/w', 'name', 1, 2)").run(id);
    db.prepare("INSERT INTO message VALUES (?, ?, 1, ?)").run(`m_${id}`, id, '{"role":"user"}');
    db.prepare("INSERT INTO part VALUES (?, ?, ?, ?)").run(
      `p_${id}`,
      `m_${id}`,
      id,
      JSON.stringify({ type: "text", text: prompt }),
    );
  };

  it("is read while its agent writes, and keeps every byte", async () => {
    const db = home.openDatabase();
    insert(db, "ses_one1", "one");
    db.exec("BEGIN IMMEDIATE; UPDATE session SET title = 'half'");
    await home.refresh();
    expect(await prompts()).toEqual(["one"]);
    db.exec("COMMIT");
    expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
  });

  it("whose tables are views or have computed columns is not asked", async () => {
    const db = home.openDatabase();
    insert(db, "ses_one1", "one");
    db.exec(`ALTER TABLE session RENAME TO real;
      CREATE VIEW session AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
        SELECT 'ses_x' || i AS id, NULL AS parent_id, '/w' AS directory, 't' AS title, i AS time_created, i AS time_updated FROM n;`);
    await home.refresh();
    expect(await prompts()).toEqual([]);
    db.exec(`DROP VIEW session; CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT,
      title TEXT AS (hex(zeroblob(1000))), time_created INTEGER, time_updated INTEGER);
      INSERT INTO session (id, directory, time_created, time_updated) VALUES ('ses_two2', '/w', 1, 9)`);
    await home.refresh();
    expect(await prompts()).toEqual([]);
  });

  it("gives up the sessions that its agent deleted", async () => {
    const db = home.openDatabase();
    insert(db, "ses_one1", "one");
    insert(db, "ses_two2", "two");
    await home.refresh();
    db.exec("DELETE FROM session WHERE id = 'ses_one1'");
    await home.refresh();
    expect(await prompts()).toEqual(["two"]);
  });

  it("with sessions that changed at the same moment gives all of them", async () => {
    const db = home.openDatabase();
    for (let index = 0; index < 150; index += 1) insert(db, `ses_${index}xxx`, `p ${index}`);
    await home.refresh();
    expect((await home.ask("list", {})).summary.total).toBe(150);
  });

  it("that is noise, a link or closed says nothing", async () => {
    const path = home.write(".local/share/opencode/opencode.db", "noise ".repeat(10_000));
    home.write(claudePath("aaaaaaaa-6666"), user("good"));
    await home.refresh();
    expect(await prompts()).toEqual(["good"]);
    execFileSync("ln", ["-sf", "/etc/passwd", path]);
    await home.refresh();
    execFileSync("rm", [path]);
    writeFileSync(path, "x");
    chmodSync(path, 0);
    await home.refresh();
    expect(await prompts()).toEqual(["good"]);
  });
});
