import { expect, it } from "vitest";
import type { HistorySession } from "../../core/model/history.ts";
import { sessionPlace, sessionTitle } from "./sessionText.ts";

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
