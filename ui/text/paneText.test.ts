import { describe, expect, it } from "vitest";
import { makePane } from "../../test/factories/view.ts";
import { paneLabel, waitAnnouncement } from "./rowText.ts";

const pane = (more: Parameters<typeof makePane>[0], progress: string | null) => ({
  ...makePane({ windowName: "api", ...more }),
  progress,
});

describe("a row read aloud", () => {
  it("ends with what the agent says of its work", () => {
    expect(paneLabel(pane({ state: "running", reason: "retrying" }, "retry 3 of 10"))).toBe(
      "api, Claude Code, running · retrying: retry 3 of 10",
    );
  });

  it("ends with its state where the agent says nothing", () => {
    expect(paneLabel(pane({ state: "running", reason: "tool" }, null))).toBe(
      "api, Claude Code, running · using a tool",
    );
  });

  it("names what is asked before all else", () => {
    const request = {
      kind: "command" as const,
      title: "Run a command",
      body: "make",
      is_whole: true,
      tool_name: null,
      options: [],
      expires_at: null,
    };
    expect(paneLabel(pane({ state: "waiting_approval", request }, "1 queued prompt"))).toBe(
      "api, Claude Code, needs approval · asks to use a tool: make",
    );
  });
});

describe("the announcement of panes that begin to need a person", () => {
  const waits = makePane({ windowName: "api", session: "work", state: "waiting_input" });

  it("names the one pane and its session", () => {
    expect(waitAnnouncement([waits])).toBe("api, Claude Code, needs answer · question, in work");
  });

  it("counts several, and is empty for none", () => {
    expect(waitAnnouncement([waits, waits])).toBe("2 more panes need you");
    expect(waitAnnouncement([])).toBe("");
  });
});
