// What an agent is doing through the whole of ingest, over a real store: who told it, kept short and free of secrets, coalesced, and
// never a transition.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createIngestFixture, somePane, type IngestFixture } from "../../test/factories/ingest.ts";
import { storedText } from "../store/testkit/storedText.ts";
import { activityEvidence } from "./activity.ts";

let f: IngestFixture;
beforeEach(() => {
  f = createIngestFixture();
  f.topology([somePane()]);
  f.agent();
});
afterEach(() => f.store.close());

const row = () => {
  const [only] = f.ingest.rows(false);
  if (only === undefined) throw new Error("no row");
  return only;
};
const runtimeId = (): string => row().identity.runtime_id ?? "";
const hook = (event: string, payload: Record<string, unknown> = {}) => {
  f.clock.advance(4_000);
  f.hook(event, { cwd: "/p", ...payload });
  return row().activity;
};
const told = () => f.changes.flatMap((change) => (change.kind === "pane" ? [change] : []));
const bash = (command: string) => ({ tool_name: "Bash", tool_input: { command } });

describe("what an agent is doing", () => {
  it("is told by its events: the prompt, when the turn began, the tool, and the last words", () => {
    hook("SessionStart");
    expect(hook("UserPromptSubmit", { prompt: "\n  fix the bug\nin a.ts" })).toMatchObject({
      prompt: "fix the bug",
      folder: "/p",
      turn_began_at: new Date(f.clock.now()).toISOString(),
    });
    const began = row().activity?.turn_began_at;
    const edit = { tool_name: "Edit", tool_input: { file_path: "/p/src/a.ts", old_string: "a" } };
    expect(hook("PreToolUse", edit)?.tool).toEqual({ name: "Edit", subject: "src/a.ts" });
    expect(hook("PostToolUse", edit)?.tool).toBeNull();
    expect(hook("PreToolUse", bash("npm test"))).toMatchObject({
      tool: { name: "Bash", subject: "npm test" },
      turn_began_at: began,
    });
    expect(hook("Stop", { last_assistant_message: "I looked.\nAll is well.\n" })).toMatchObject({
      prompt: "fix the bug",
      tool: null,
      said: "All is well.",
      turn_began_at: null,
    });
  });

  it("keeps the tool that began last while others end beside it", () => {
    hook("UserPromptSubmit");
    hook("PreToolUse", bash("a"));
    hook("PreToolUse", bash("b"));
    expect(hook("PostToolUse", bash("a"))?.tool?.subject).toBe("b");
    expect(hook("PostToolUse", bash("b"))?.tool).toBeNull();
  });

  it("is the root's alone, and not what the program asks by itself", () => {
    hook("UserPromptSubmit", { prompt: "mine" });
    hook("PreToolUse", { ...bash("sub"), agent_id: "a" });
    const activity = hook("UserPromptSubmit", { prompt: "<task-notification>done</task-notification>" });
    expect(activity).toMatchObject({ prompt: "mine", tool: null });
  });

  it("is one short line each, without secrets, in memory and where it is stored", () => {
    const secret = `sk-ant-${"A1b2C3d4".repeat(5)}`;
    hook("UserPromptSubmit", { prompt: `use ${secret} ${"x".repeat(2_000)}` });
    const activity = hook("PreToolUse", bash(`curl -H 'x-api-key: ${secret}' https://example.com\nrm b`));
    expect(activity?.prompt).toContain("[redacted]");
    expect(activity?.prompt?.length).toBeLessThanOrEqual(300);
    expect(activity?.tool?.subject).toMatch(/^curl .*\[redacted\]/);
    expect(activity?.tool?.subject).not.toContain("rm b");
    hook("Stop", { last_assistant_message: `It is ${secret}` });
    f.store.close();
    expect(storedText(f.storePath)).not.toContain(secret);
  });

  it("that changes all the time is told once in three seconds, without a new version", () => {
    hook("UserPromptSubmit");
    hook("PreToolUse", bash("0"));
    const { state_version: version } = row();
    const before = told().length;
    for (let step = 1; step <= 14; step += 1) {
      f.clock.advance(500);
      f.hook("PreToolUse", bash(String(step)));
    }
    const changes = told().slice(before);
    expect(changes.map(({ pane }) => pane.activity?.tool?.subject)).toEqual(["6", "12"]);
    expect(changes.every(({ isTransition }) => !isTransition)).toBe(true);
    expect(row().state_version).toBe(version);
    f.clock.advance(3_000);
    f.ingest.tick();
    expect(row().activity?.tool?.subject).toBe("14");
  });

  it("is told by the agent's own log where no event is newer, and by git of the place", () => {
    const at = f.clock.now();
    hook("UserPromptSubmit", { prompt: "new" });
    f.clock.advance(4_000);
    f.ingest.applyTold(runtimeId(), { promptText: "old", saidText: "Well then.", tool: null }, at);
    f.clock.advance(4_000);
    f.ingest.applyPlace(runtimeId(), {
      folder: "/q",
      source: "process",
      repository: "r",
      branch: "main",
      worktree: "fix",
      workTree: "/q",
    });
    expect(row().activity).toMatchObject({
      prompt: "new",
      said: "Well then.",
      folder: "/p",
      branch: "main",
      worktree: "fix",
    });
    const entry = f.ingest.liveState.runtimes.get(runtimeId()) ?? expect.fail();
    expect(activityEvidence(entry).map(({ field, value, source }) => [field, value, source])).toEqual([
      ["prompt", "new", "hook"],
      ["said", "Well then.", "transcript"],
      ["folder", "/p", "hook"],
      ["repository", "r", "git"],
      ["branch", "main", "git"],
      ["worktree", "fix", "git"],
      ["work_tree", "/q", "git"],
    ]);
  });

  it("without events is what its log and its process say", () => {
    const at = f.clock.now();
    const tool = { name: "bash", subject: "make" };
    f.ingest.applyPlace(runtimeId(), {
      folder: "/q",
      source: "process",
      repository: "r",
      branch: null,
      worktree: null,
      workTree: null,
    });
    f.clock.advance(4_000);
    f.ingest.applyTold(runtimeId(), { promptText: "go", saidText: null, tool }, at);
    expect(row().activity).toMatchObject({ prompt: "go", folder: "/q", branch: null, tool: null });
    f.ingest.applyReading(runtimeId(), "poller", {
      reading: {
        status: { state: "running", reasonCode: "tool" },
        confidence: "high",
        matched: "screen",
        request: null,
        isSteady: false,
      },
      readAt: f.clock.now(),
      isChanged: true,
    });
    expect(row().activity).toMatchObject({ tool, turn_began_at: null });
  });

  it("is named by the agent: in its own file, else in the title of its pane", () => {
    const named = () => row().activity?.session_title ?? null;
    const evidence = () =>
      activityEvidence(f.ingest.liveState.runtimes.get(runtimeId()) ?? expect.fail()).map(
        ({ field, value, source }) => [field, value, source],
      );
    const titled = (title: string) => {
      f.clock.advance(4_000);
      f.topology([{ ...somePane(), title }]);
      f.ingest.tick();
    };
    const file = (sessionTitle: string | null) => {
      f.clock.advance(4_000);
      f.ingest.applyTold(runtimeId(), { sessionTitle }, f.clock.now());
    };
    titled("✳ Claude Code");
    expect(named()).toBeNull();
    titled("✳ Split the refund");
    expect(evidence()).toEqual([["session_title", "Split the refund", "tmux"]]);
    file("Split the refund\u001b service");
    expect(evidence()).toEqual([["session_title", "Split the refund service", "transcript"]]);
    const version = row().state_version;
    file(null);
    expect([named(), row().state_version]).toEqual(["Split the refund", version]);
    titled("devbox");
    expect(row().activity).toBeNull();
  });

  it("keeps the session's name over a restart until somebody knows better", () => {
    f.ingest.applyTold(runtimeId(), { sessionTitle: "Split the refund service" }, f.clock.now());
    hook("UserPromptSubmit", { prompt: "yes" });
    f.reopen();
    f.topology([somePane()]);
    const named = () => row().activity?.session_title;
    expect(named()).toBe("Split the refund service");
    f.clock.advance(4_000);
    f.topology([{ ...somePane(), title: "✳ Another one" }]);
    f.ingest.tick();
    expect(named()).toBe("Another one");
  });

  it("comes back after a restart as it was told with the last change of state", () => {
    hook("SessionStart");
    const before = hook("UserPromptSubmit", { prompt: "fix it" });
    f.reopen();
    f.topology([somePane()]);
    expect(row().activity).toEqual(before);
  });

  it("is nothing where nobody told anything", () => {
    f.hook("Stop");
    expect(row().activity).toBeNull();
  });
});
