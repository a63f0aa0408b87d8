import { describe, expect, it } from "vitest";
import type { HistorySession } from "../../core/model/history.ts";
import { sessionMarkdown } from "./sessionHtml.ts";

const session: HistorySession = {
  identity: { target: "host", agent: "pi", session_id: "01a2" },
  agent_name: "pi",
  short_ref: "01a2",
  title: "# <b>*fix*</b> [it](http://x)",
  first_prompt: null,
  folder: "/w/`a`",
  branch: null,
  started_at: null,
  last_at: "2026-11-22T10:00:00.000Z",
  size: 1,
  parent_id: null,
  pane_ref: null,
};

describe("a session as Markdown", () => {
  it("has what was said in fences that nothing of it can close", () => {
    const text = "before\n```\n## Person\n<img src=x>\n`````\nafter";
    const markdown = sessionMarkdown(
      session,
      [{ role: "agent", text, at: "2026-11-22T10:00:00.000Z" }],
      ["A remark."],
    );
    expect(markdown).toBe(
      [
        String.raw`# \# \<b\>\*fix\*\<\/b\> \[it\]\(http\:\/\/x\)`,
        "",
        "- Agent: pi",
        "- Session: 01a2",
        String.raw`- Folder: \/w\/\`a\``.replaceAll("\\\\", "\\"),
        String.raw`- Last: 2026\-11\-22T10\:00\:00\.000Z`,
        "",
        "A remark.",
        "",
        "## Agent, 2026-11-22 10:00",
        "",
        "``````text",
        text,
        "``````",
        "",
        "",
      ].join("\n"),
    );
  });
});
