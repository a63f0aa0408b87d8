import { expect, it } from "vitest";
import type { HistoryHit, HistorySession } from "../../core/model/history.ts";
import { makePane } from "../../test/factories/view.ts";
import { agentToStart, folderToStartIn, joinHits, sessionPlace, sessionTitle } from "./sessionText.ts";

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

it("an agent is started in the selected one's folder, else where one began last on that machine", () => {
  const at = (pane: number, folder: string | null, since: string, target = "host") => ({
    ...makePane({ pane, target, activity: { folder } }),
    since,
  });
  const old = at(1, "/old", "2026-11-22T10:00:00.000Z");
  const late = at(2, "/late", "2026-11-22T11:00:00.000Z");
  const far = at(3, "/far", "2026-11-22T12:00:00.000Z", "vm1");
  const panes = [old, late, far, at(4, null, "2026-11-22T13:00:00.000Z")];
  const folders = [old, null, far].map((selected) => folderToStartIn(panes, selected, "host"));
  expect(folders).toEqual(["/old", "/late", "/late"]);
  expect(folderToStartIn(panes, null, "vm2")).toBe("");
});

it("an agent that is not found is never the one that is meant", () => {
  const agent = (name: string, isFound: boolean | null) => ({
    agent: name,
    agent_name: name,
    is_found: isFound,
  });
  expect(agentToStart([agent("pi", null), agent("claude", true)])).toBe("pi");
  expect(agentToStart([agent("pi", false), agent("claude", true)])).toBe("claude");
  expect(agentToStart([agent("pi", false)])).toBe("");
});
