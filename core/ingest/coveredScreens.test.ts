// What a view of the agent's own covers, and a screen that was cleared, says nothing of what the agent does: neither that it goes on
// nor that it ended. Nor does a screen that nobody knows.
import { afterEach, describe, expect, it } from "vitest";
import { createIngestFixture, somePane, type IngestFixture } from "../../test/factories/ingest.ts";
import type { SampledReading } from "../engine/observe.ts";

let made: IngestFixture | null = null;
const agent = (): IngestFixture => {
  const f = createIngestFixture();
  made = f;
  f.topology([somePane()]);
  f.agent("%1", 600, 1);
  f.clock.advance(1_000);
  return f;
};
afterEach(() => made?.store.close());

const reading = (status: SampledReading["status"], matched: string): SampledReading => ({
  status,
  confidence: "high",
  matched,
  request: null,
  isSteady: false,
});
const RESTS = reading({ state: "idle", reasonCode: "fresh" }, "? for shortcuts");
const WORKS = reading({ state: "running", reasonCode: "thinking" }, "esc to interrupt");
const DIALOG = reading({ state: "waiting_approval", reasonCode: "permission_tool" }, "Do you want to?");
const VIEW = reading({ state: "unknown", reasonCode: "in_menu" }, "Select model");

/** Drawn in part, while the agent's own title says that it waits. */
const IN_PART = reading({ state: "unknown", reasonCode: "unsupported_signal" }, "title: Action Required");

/** Looks at the screen some ms later, and gives the state of the row. */
const look = (f: IngestFixture, ms: number, seen: SampledReading | null, isBlank = false): string => {
  f.clock.advance(ms);
  // Its process is seen to live with each look.
  f.agent("%1", 600, 1);
  const [row] = f.ingest.rows(true);
  const update = { reading: seen, readAt: f.clock.now(), isChanged: true, isBlank };
  f.ingest.applyReading(row?.identity.runtime_id ?? "", "poller", update);
  return f.state();
};

describe("a view", () => {
  it("is unknown with its reason from the first look on, and what it covered is there again after it", () => {
    const f = agent();
    expect(look(f, 500, RESTS)).toBe("idle/fresh");
    expect(look(f, 500, VIEW)).toBe("unknown/in_menu");
    expect(f.ingest.rows(true)[0]?.state).toBe("unknown");
    expect(look(f, 8_000, VIEW)).toBe("unknown/in_menu");
    expect(look(f, 500, RESTS)).toBe("idle/fresh");
  });

  it("leaves what an event told", () => {
    const f = agent();
    f.hook("SessionStart", { source: "startup" });
    f.hook("UserPromptSubmit", { prompt: "go" });
    expect(look(f, 500, VIEW)).toMatch(/^running/);
    f.hook("Stop", {});
    expect(look(f, 500, VIEW)).toBe("completed/turn_ended");
  });
});

describe("a dialog that is drawn in part", () => {
  it("is no view, and nothing that is known", () => {
    const f = agent();
    expect(look(f, 500, RESTS)).toBe("idle/fresh");
    for (const ms of [500, 500]) look(f, ms, IN_PART);
    expect(look(f, 500, IN_PART)).toBe("unknown/unsupported_signal");
  });
});

describe("a screen that nobody knows, after one that rested", () => {
  it("is unknown as soon as a later look finds nothing known either: the rest may be over", () => {
    const f = agent();
    expect(look(f, 500, RESTS)).toBe("idle/fresh");
    // A frame that is half drawn, and a title that comes later than its screen.
    expect(look(f, 500, null)).toBe("idle/fresh");
    expect(look(f, 500, null)).toBe("idle/fresh");
    expect(look(f, 500, null)).toBe("unknown/unsupported_signal");
    expect(look(f, 500, RESTS)).toBe("idle/fresh");
  });

  it("leaves a turn running for some seconds, because texts come without any mark of it", () => {
    const f = agent();
    look(f, 500, WORKS);
    for (const ms of [500, 500, 2_000, 4_000]) expect(look(f, ms, null)).toBe("running/thinking");
  });

  it("leaves what an event told", () => {
    const f = agent();
    f.hook("SessionStart", { source: "startup" });
    for (const ms of [500, 500, 2_000]) expect(look(f, ms, null)).toBe("idle/fresh");
  });
});

describe.each([
  ["a view", VIEW, false],
  ["an empty screen", null, true],
  ["a dialog that is drawn in part", IN_PART, false],
] as const)("%s above an open request", (_what, seen, isBlank) => {
  it("leaves the request open, as long as nothing answers it", () => {
    const f = agent();
    f.hook("SessionStart", { source: "startup" });
    f.hook("UserPromptSubmit", { prompt: "go" });
    f.hook("PermissionRequest", { tool_name: "Bash", tool_input: { command: "ls" } });
    expect(look(f, 500, DIALOG)).toBe("waiting_approval/permission_tool");
    for (const ms of [500, 500, 2_000, 8_000])
      expect(look(f, ms, seen, isBlank)).toBe("waiting_approval/permission_tool");
    expect(f.ingest.rows(true)[0]?.prompt_fingerprint).toBeNull();
    expect(look(f, 500, DIALOG)).toBe("waiting_approval/permission_tool");
    f.hook("PostToolUse", { tool_name: "Bash", tool_input: { command: "ls" } });
    look(f, 500, seen, isBlank);
    expect(look(f, 500, seen, isBlank)).not.toMatch(/^waiting/);
  });
});
