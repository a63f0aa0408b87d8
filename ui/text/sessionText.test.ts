import { expect, it } from "vitest";
import type { HistoryHit, HistorySession } from "../../core/model/history.ts";
import { joinHits, sessionPlace, sessionTitle } from "./sessionText.ts";

const session: HistorySession = {
  identity: { target: "host", agent: "pi", session_id: "01a2" },
  agent_name: "pi",
  short_ref: "01a2",
  title: null,
  first_prompt: "Fix\n\u202ethe retry",
  folder: "/w/payments/",
  branch: "main",
  started_at: null,
  last_at: "2026-11-22T10:00:00.000Z",
  size: 1,
  parent_id: null,
  pane_ref: null,
};

it("is titled with its name, else with what was asked first, else with its agent; nothing hidden stays hidden", () => {
  expect(sessionTitle(session)).toBe("Fix ⟨U+202E⟩the retry");
  expect(sessionTitle({ ...session, title: "Retries" })).toBe("Retries");
  expect(sessionTitle({ ...session, first_prompt: null })).toBe("Session of pi");
});

it("says where it was, as far as that is known", () => {
  expect(sessionPlace(session)).toBe("pi · payments · main");
  expect(sessionPlace({ ...session, folder: "/", branch: null })).toBe("pi · /");
  expect(sessionPlace({ ...session, folder: null, branch: null })).toBe("pi");
});

const hit = (id: string, texts: readonly string[], hasMore = false): HistoryHit => {
  const identity = { ...session.identity, session_id: id };
  return {
    identity,
    session: { ...session, identity },
    matches: texts.map((text) => ({ role: "user", text, at: null })),
    has_more: hasMore,
  };
};
const textsOf = (hits: readonly HistoryHit[]) =>
  hits.map(({ matches, has_more: hasMore }) => [...matches.map(({ text }) => text), hasMore]);

it("shows a session once that two pages of a search found, with its first entries", () => {
  const first = joinHits([], [hit("a", ["1", "2", "3"], true), hit("b", ["1"])]);
  expect(textsOf(joinHits(first, [hit("b", ["2"]), hit("c", ["1"])]))).toEqual([
    ["1", "2", "3", true],
    ["1", "2", false],
    ["1", false],
  ]);
  expect(textsOf(joinHits(first, [hit("b", ["2", "3", "4"])]))[1]).toEqual(["1", "2", "3", true]);
  expect(textsOf(joinHits(first, [hit("b", [], true)]))[1]).toEqual(["1", true]);
  expect(joinHits(first, [])).toEqual(first);
  const elsewhere = hit("b", ["2"]);
  elsewhere.session = { ...elsewhere.session, identity: { ...elsewhere.identity, target: "vm1" } };
  expect(joinHits(first, [elsewhere])).toHaveLength(3);
});
