import { describe, expect, it } from "vitest";
import type { HistoryEntry, HistorySession } from "../../core/model/history.ts";
import { composeHandoff } from "./answers.ts";

const session: HistorySession = {
  identity: { target: "host", agent: "pi", session_id: "01a2" },
  agent_name: "pi",
  short_ref: "01a2",
  title: null,
  first_prompt: "Make the retries of payments honest",
  folder: "/w/payments",
  branch: "retries",
  started_at: null,
  last_at: "2026-11-22T10:00:00.000Z",
  size: 1,
  parent_id: null,
  pane_ref: null,
};
const entry = (role: HistoryEntry["role"], text: string): HistoryEntry => ({ role, text, at: null });

describe("a handoff", () => {
  it("has goal, requests, last words, what was touched, and what is open", () => {
    const text = composeHandoff(session, [
      entry("user", "Make the retries of payments honest"),
      entry("agent", "I look at it."),
      entry("tool", "Edit src/retry.ts"),
      entry("tool", "bash npm test"),
      entry("user", "Keep the old API"),
      entry("tool", "write_file src/old.ts"),
      entry("tool", "Edit src/retry.ts"),
      entry("agent", "The budget is in place; two tests fail."),
      entry("note", "You've hit your usage limit"),
    ]);
    expect(text).toContain("## Goal\n\nMake the retries of payments honest\n");
    expect(text).toContain("## What the person asked since\n\n- Keep the old API\n");
    expect(text).toContain("I look at it.\n\n---\n\nThe budget is in place; two tests fail.");
    expect(text).toContain(
      "- Folder: /w/payments\n- Session: pi:01a2\n- Branch when it began: retries\n- Changed: src/old.ts\n- Changed: src/retry.ts\n- Ran: npm test",
    );
    expect(text).toContain("The log ends with: You've hit your usage limit");
  });

  it("names the question that was not answered", () => {
    const text = composeHandoff(session, [entry("agent", "Done."), entry("user", "And the docs?")]);
    expect(text).toContain("This was asked last and is not answered: And the docs?");
  });

  it("is at most 12,000 characters and a mark long, whatever was said", () => {
    const long = "word ".repeat(20_000);
    const entries = Array.from({ length: 200 }, (_, index) =>
      entry(
        (["user", "agent", "tool", "note"] as const)[index % 4] ?? "user",
        `${index % 4 === 2 ? "Edit " : ""}${index} ${long}`,
      ),
    );
    expect(composeHandoff({ ...session, first_prompt: long }, entries).length).toBeLessThan(12_100);
  });

  it("is short where nothing is known", () => {
    expect(composeHandoff({ ...session, first_prompt: null, folder: null, branch: null }, [])).not.toContain(
      "Goal",
    );
  });
});
