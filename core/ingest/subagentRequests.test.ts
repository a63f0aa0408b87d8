// A request of a sub-agent that was answered in the pane: no event tells of the answer while its tool runs, the screen does.
import { afterEach, expect, it } from "vitest";
import { createIngestFixture, somePane, type IngestFixture } from "../../test/factories/ingest.ts";
import type { SampledReading } from "../engine/observe.ts";

let made: IngestFixture | null = null;
afterEach(() => made?.store.close());

const reading = (status: SampledReading["status"], matched: string, isSteady = false): SampledReading => ({
  status,
  confidence: "high",
  matched,
  request: null,
  isSteady,
});
const DIALOG = reading(
  { state: "waiting_approval", reasonCode: "permission_tool" },
  "Do you want to proceed?",
);

it.each([
  [
    "the agent waits for it",
    reading({ state: "running", reasonCode: "background_task" }, "✻ Waiting for 1 background agent", true),
  ],
  [
    "its own conversation is shown",
    reading({ state: "running", reasonCode: "subagent" }, "● general-purpose"),
  ],
])("is closed by the screen within two looks: %s", (_what, shown) => {
  const f = createIngestFixture();
  made = f;
  f.topology([somePane()]);
  f.agent("%1", 600, 1);
  const look = (seen: SampledReading): string => {
    f.clock.advance(500);
    f.agent("%1", 600, 1);
    const [row] = f.ingest.rows(true);
    const update = { reading: seen, readAt: f.clock.now(), isChanged: true, isBlank: false };
    f.ingest.applyReading(row?.identity.runtime_id ?? "", "poller", update);
    return f.state();
  };
  f.hook("SessionStart", { source: "startup" });
  f.hook("UserPromptSubmit", { prompt: "go" });
  f.hook("SubagentStart", { agent_id: "a1", agent_type: "general-purpose" });
  f.hook("Stop", { background_tasks: [{ id: "a1", type: "agent" }] });
  f.hook("PreToolUse", { agent_id: "a1", tool_name: "Bash", tool_input: { command: "ls" } });
  f.hook("PermissionRequest", { agent_id: "a1", tool_name: "Bash", tool_input: { command: "ls" } });
  expect(look(DIALOG)).toBe("waiting_approval/permission_tool");
  expect(look(DIALOG)).toBe("waiting_approval/permission_tool");
  look(shown);
  expect(look(shown)).toMatch(/^running/);
});
