import { describe, expect, it } from "vitest";
import type { PaneView } from "../../core/model/view.ts";
import { makePane, type PaneOptions } from "../../test/factories/view.ts";
import { EMPTY_BOOK, forget, lostSessions, noteRows, type SessionBook } from "./sessionBook.ts";

const DAY = 24 * 3_600_000;
const agent = (pane: number, id: string | null, more: PaneOptions = {}): PaneView => ({
  ...makePane({ pane, session: "work", window: pane, activity: { folder: `/p${pane}` }, ...more }),
  agent_session_id: id,
});
const SHELL = makePane({ pane: 99, state: null, agent: null });
const note = (book: SessionBook, rows: PaneView[], now: number, life = "10 1"): SessionBook =>
  noteRows(book, { rows, lives: new Map([["host default", life]]), now, redact });
const redact = (text: string): string => text.replaceAll("hunter2", "***");
const ids = (book: SessionBook, rows: PaneView[] = []): string[] =>
  lostSessions(book, rows).map(({ agent_session_id: id }) => id);

describe("the book of sessions", () => {
  it("offers what ran in a server that is gone, with its place, and nothing while it lives", () => {
    const book = note(EMPTY_BOOK, [agent(2, "b"), agent(1, "a"), agent(3, null), SHELL], 1_000);
    expect(ids(book, [SHELL])).toEqual([]);
    expect(lostSessions(book, [])).toEqual([
      {
        target: "host",
        tmux_server: "default",
        session_name: "work",
        window_index: 1,
        window_name: "window-1",
        agent: "claude",
        agent_session_id: "a",
        folder: "/p1",
        seen_at: new Date(1_000).toISOString(),
      },
      expect.objectContaining({ agent_session_id: "b" }),
    ]);
  });

  it("still offers it when another server has taken the place, until it runs again", () => {
    const before = note(EMPTY_BOOK, [agent(1, "a"), agent(2, "b")], 1_000);
    const after = note(before, [SHELL], 2_000, "20 2");
    expect(ids(after, [SHELL])).toEqual(["a", "b"]);
    const back = [SHELL, agent(5, "a")];
    expect(ids(note(after, back, 3_000, "20 2"), back)).toEqual(["b"]);
  });

  it("does not offer what ended by itself, but what ended a moment before its server", () => {
    const before = note(EMPTY_BOOK, [agent(1, "a"), agent(2, "b")], 1_000);
    const ended = note(before, [agent(2, "b")], 2_000);
    expect(ids(ended)).toEqual(["a", "b"]);
    expect(ids(note(ended, [agent(2, "b")], 13_000))).toEqual(["b"]);
  });

  it("keeps no name with a secret in it", () => {
    const rows = [
      agent(1, "a", { windowName: "hunter2" }),
      agent(2, "b", { activity: { folder: "/p/hunter2" } }),
      agent(3, "c", { session: "hunter2" }),
    ];
    const book = note(EMPTY_BOOK, rows, 1_000);
    expect(JSON.stringify(book)).not.toContain("hunter2");
    expect(lostSessions(book, [])).toMatchObject([{ agent_session_id: "a", window_name: "" }]);
  });

  it("changes nothing for a server of which the life is not known", () => {
    const book = note(EMPTY_BOOK, [agent(1, "a")], 1_000);
    expect(noteRows(book, { rows: [SHELL], lives: new Map(), now: 2_000, redact })).toEqual(book);
  });

  it("forgets what is old, what came back, and keeps a bounded number", () => {
    const before = note(EMPTY_BOOK, [agent(1, "a")], 1_000);
    const lost = note(before, [SHELL], 2_000, "20 2");
    expect(ids(note(lost, [SHELL], 15 * DAY, "20 2"), [SHELL])).toEqual([]);
    expect(ids(forget(lost, lostSessions(lost, [])), [])).toEqual([]);
    const many = Array.from({ length: 300 }, (_, at) => agent(at, `s${at}`));
    expect(note(note(EMPTY_BOOK, many, 1), [SHELL], 2, "20 2").lost).toHaveLength(200);
  });

  it("offers each session once, however often it was lost", () => {
    let book = EMPTY_BOOK;
    for (let life = 1; life < 5; life += 1)
      book = note(book, [agent(1, "a")], life * 1_000, `${life} ${life}`);
    expect(ids(note(book, [SHELL], 9_000, "9 9"), [SHELL])).toEqual(["a"]);
  });
});
