import { appendFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HistoryEntry, HistoryPage } from "../../core/model/history.ts";
import { makePane } from "../factories/view.ts";
import { makeHistoryHome, RECORDED_PATHS, type HistoryHome } from "./historyHome.ts";

let home: HistoryHome;
const panes = [{ ...makePane({ agent: "codex" }), agent_session_id: "01a2059b-7fc5-7cc3-a062-067da0b4b9f5" }];

beforeEach(() => {
  home = makeHistoryHome(() => panes);
});
afterEach(() => home.close());

const list = async (input: Parameters<typeof home.ask<"list">>[1] = {}) =>
  (await home.ask("list", input)).items;
const ids = async (input: Parameters<typeof home.ask<"list">>[1] = {}) =>
  (await list(input)).map(({ identity }) => `${identity.agent}:${identity.session_id.slice(-4)}`);

/** All of a session, by pages. */
const readAll = async (ref: string): Promise<{ entries: HistoryEntry[]; pages: number }> => {
  const pages: HistoryEntry[][] = [];
  for (let before: string | null = null; ;) {
    const page: HistoryPage = await home.ask("read", { ref, before });
    pages.unshift(page.entries);
    before = page.before;
    if (before === null) return { entries: pages.flat(), pages: pages.length };
  }
};
const user = (text: string, at = "2026-11-22T10:00:00.000Z", more = {}): string =>
  `${JSON.stringify({ type: "user", cwd: "/w", timestamp: at, message: { role: "user", content: text }, ...more })}\n`;
const claudePath = (id: string): string => `.claude/projects/-w/${id}.jsonl`;

const writeOpencode = (): void => {
  const db = home.openDatabase();
  const session = db.prepare("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?)");
  session.run("ses_one111", null, "/w/oc", "New session - 2026-11-22T23:28:29.736Z", 1_000, 5_000);
  session.run("ses_child2", "ses_one111", "/w/oc", "Child session - 2026-11-22", 1_500, 6_000);
  const message = db.prepare("INSERT INTO message VALUES (?, ?, ?, ?)");
  const part = db.prepare("INSERT INTO part VALUES (?, ?, ?, ?)");
  for (let index = 0; index < 100; index += 1) {
    const id = `msg_${String(index).padStart(3, "0")}`;
    const role = index % 2 === 0 ? "user" : "assistant";
    message.run(id, "ses_one111", 1_000 + index, JSON.stringify({ role }));
    part.run(`prt_${id}a`, id, "ses_one111", JSON.stringify({ type: "text", text: `${role} ${index}` }));
  }
  message.run(
    "msg_last",
    "ses_one111",
    2_000,
    JSON.stringify({ role: "assistant", error: { name: "APIError", data: { message: "no" } } }),
  );
  const call = { type: "tool", tool: "bash", state: { input: { command: "ls" } } };
  part.run("prt_last", "msg_last", "ses_one111", JSON.stringify(call));
};

describe("the list", () => {
  it("has the sessions of every agent, newest first, with the pane that has one open", async () => {
    for (const agent of Object.keys(RECORDED_PATHS)) home.writeRecorded(agent);
    writeOpencode();
    await home.refresh();
    expect(await ids()).toEqual([
      "codex:b9f5",
      "gemini:9929",
      "omp:5e05",
      "pi:b8ee",
      "copilot:30f5",
      "claude:fa4a",
      "opencode:e111",
    ]);
    const [codex] = await list({ agent: ["codex"] });
    expect(codex).toMatchObject({
      agent_name: "Codex",
      short_ref: "a0b4b9f5",
      folder: "/home/dev/project",
      first_prompt: "FAIL 400",
      pane_ref: panes[0]?.identity.pane_ref,
    });
    expect((await list({ agent: ["opencode"] }))[0]).toMatchObject({
      title: null,
      first_prompt: "user 0",
      folder: "/w/oc",
    });
  });

  it("is filtered by folder, time and words", async () => {
    home.write(
      claudePath("aaaaaaaa-1111"),
      user("fix the PAYMENTS retry", "2026-11-20T10:00:00Z", { cwd: "/w/a" }),
    );
    home.write(claudePath("aaaaaaaa-2222"), user("other", "2026-11-21T10:00:00Z", { cwd: "/w/ab" }));
    home.write(claudePath("aaaaaaaa-3333"), user('100% "done"', "2026-11-22T10:00:00Z", { cwd: "/w/a/b" }));
    await home.refresh();
    expect(await ids({ folder: "/w/a" })).toEqual(["claude:3333", "claude:1111"]);
    expect(await ids({ since: Date.parse("2026-11-21T00:00:00Z") })).toEqual(["claude:3333", "claude:2222"]);
    expect(await ids({ text: "payments RETRY" })).toEqual(["claude:1111"]);
    expect(await ids({ text: "0%" })).toEqual(["claude:3333"]);
    expect(await ids({ limit: 1, offset: 1 })).toEqual(["claude:2222"]);
    expect((await home.ask("list", { limit: 1 })).summary).toEqual({ total: 3 });
  });

  it("follows what is appended, added and removed", async () => {
    const first = home.write(claudePath("aaaaaaaa-1111"), user("one", "2026-11-20T10:00:00Z"));
    const second = home.write(claudePath("aaaaaaaa-2222"), user("two", "2026-11-21T10:00:00Z"));
    await home.refresh();
    expect(await ids()).toEqual(["claude:2222", "claude:1111"]);
    appendFileSync(first, user("more", "2026-11-22T10:00:00Z"));
    home.write(claudePath("aaaaaaaa-3333"), user("three", "2026-11-23T10:00:00Z"));
    rmSync(second);
    await home.refresh();
    expect(await ids()).toEqual(["claude:3333", "claude:1111"]);
    await home.restart();
    expect(await ids(), "it is still known after a restart").toEqual(["claude:3333", "claude:1111"]);
  });

  it("is made again when its database was deleted or damaged", async () => {
    home.write(claudePath("aaaaaaaa-1111"), user("one"));
    await home.refresh();
    const path = join(home.home, ".agtmux/history.db");
    for (const ending of ["", "-wal", "-shm"]) rmSync(`${path}${ending}`, { force: true });
    await home.refresh();
    expect(await ids(), "deleted while it is open").toEqual(["claude:1111"]);
    await home.restart();
    await home.refresh();
    expect(await ids(), "deleted").toEqual(["claude:1111"]);
    await home.restart();
    for (const ending of ["-wal", "-shm"]) rmSync(`${path}${ending}`, { force: true });
    writeFileSync(path, "no database at all ".repeat(1_000));
    await home.refresh();
    expect(await ids(), "noise").toEqual(["claude:1111"]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("keeps no secret of a title or a prompt", async () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    home.write(
      claudePath("aaaaaaaa-1111"),
      user(`use ${token} and ${"x".repeat(1_500)} password=hunter22222`),
    );
    await home.refresh();
    const [session] = await list();
    expect(session?.first_prompt).toContain("use [redacted] and");
    expect(session?.first_prompt?.length).toBeLessThanOrEqual(400);
  });
});

describe("reading a session", () => {
  it("gives the conversation of each agent, by the beginning or the end of its id", async () => {
    for (const agent of Object.keys(RECORDED_PATHS)) home.writeRecorded(agent);
    writeOpencode();
    await home.refresh();
    for (const ref of ["be13efa4", "a4b9f5".slice(2), "4b6e8189-3f3a-40cf-925f-814b9d479929", "pi:b8ee"]) {
      const { entries } = await readAll(ref);
      expect(entries.length, ref).toBeGreaterThan(2);
      expect(
        entries.some(({ role }) => role === "user"),
        ref,
      ).toBe(true);
    }
    const { entries, pages } = await readAll("ses_one111");
    expect(entries).toHaveLength(102);
    expect(entries.map(({ text }) => text).slice(0, 3)).toEqual(["user 0", "assistant 1", "user 2"]);
    expect(entries.slice(-2).map(({ role, text }) => `${role} ${text}`)).toEqual(["tool bash ls", "note no"]);
    expect(pages).toBe(3);
  });

  it("refuses what fits several sessions or none", async () => {
    home.write(claudePath("aaaaaaaa-1111"), user("one"));
    home.write(claudePath("aaaaaaaa-2222"), user("two"));
    await home.refresh();
    await expect(home.ask("read", { ref: "aaaaaaaa" })).rejects.toMatchObject({
      code: "E_REF_AMBIGUOUS",
      details: expect.arrayContaining(["claude:aaaaaaaa-1111", "claude:aaaaaaaa-2222"]),
    });
    await expect(home.ask("read", { ref: "codex:aaaaaaaa-1111" })).rejects.toMatchObject({
      code: "E_REF_NOT_FOUND",
    });
    await expect(home.ask("read", { ref: "%" })).rejects.toMatchObject({ code: "E_REF_NOT_FOUND" });
    rmSync(join(home.home, claudePath("aaaaaaaa-1111")));
    await expect(home.ask("read", { ref: "1111" })).rejects.toMatchObject({ code: "E_REF_NOT_FOUND" });
  });

  it("gives all of a long session in pieces, each entry once", async () => {
    const lines = Array.from({ length: 4_000 }, (_, index) =>
      user(`prompt ${index} ${"ä".repeat(index % 700)}`),
    );
    home.write(claudePath("aaaaaaaa-1111"), lines.join(""));
    await home.refresh();
    const { entries, pages } = await readAll("1111");
    expect(entries.map(({ text }) => Number(text.split(" ")[1]))).toEqual(lines.map((_, index) => index));
    expect(pages).toBeGreaterThan(2);
  });
});
