// A dialog that the screen does not show any more ends, also where nothing tells what is shown instead.
import { afterEach, describe, expect, it } from "vitest";
import { createIngestFixture, somePane, type IngestFixture } from "../../test/factories/ingest.ts";
import type { SampledReading } from "../engine/observe.ts";

let made: IngestFixture | null = null;
const agent = (): IngestFixture => {
  const f = createIngestFixture();
  made = f;
  f.topology([somePane()]);
  f.agent();
  f.hook("SessionStart", { source: "startup" });
  f.hook("UserPromptSubmit", { prompt: "go" });
  f.clock.advance(1_000);
  return f;
};
afterEach(() => made?.store.close());

const DIALOG: SampledReading = {
  status: { state: "waiting_approval", reasonCode: "permission_tool" },
  confidence: "high",
  matched: "Do you want to proceed?",
  request: null,
  isSteady: true,
};

const WORKING: SampledReading = {
  ...DIALOG,
  status: { state: "running", reasonCode: "thinking" },
  matched: "Thinking… (esc to cancel)",
};

const DENIED: SampledReading = {
  ...DIALOG,
  status: { state: "idle", reasonCode: "interrupted" },
  matched: "Request cancelled.",
};

/** The screen as it is read now. */
const look = (f: IngestFixture, reading: SampledReading | null): string => {
  const [row] = f.ingest.rows(true);
  const at = f.clock.now();
  f.ingest.applyReading(row?.identity.runtime_id ?? "", "poller", { reading, readAt: at, isChanged: true });
  return f.state();
};
const lookAfter = (f: IngestFixture, ms: number, reading: SampledReading | null): string => {
  f.clock.advance(ms);
  return look(f, reading);
};

describe.each([
  ["read on the screen", () => {}],
  [
    "announced by an event",
    (f: IngestFixture) => f.hook("PermissionRequest", { tool_name: "Bash", tool_input: { command: "ls" } }),
  ],
])("a dialog that was %s", (_how, announce) => {
  const waiting = (): IngestFixture => {
    const f = agent();
    announce(f);
    expect(lookAfter(f, 500, DIALOG)).toBe("waiting_approval/permission_tool");
    return f;
  };

  it("ends with two looks that do not find it, 300 ms apart", () => {
    const f = waiting();
    expect(lookAfter(f, 500, null)).toBe("waiting_approval/permission_tool");
    expect(lookAfter(f, 200, null)).toBe("waiting_approval/permission_tool");
    expect(lookAfter(f, 100, null)).toBe("unknown/unsupported_signal");
  });

  it("stays where one frame between two looks was half drawn", () => {
    const f = waiting();
    lookAfter(f, 500, null);
    expect(lookAfter(f, 500, DIALOG)).toBe("waiting_approval/permission_tool");
    expect(lookAfter(f, 500, null)).toBe("waiting_approval/permission_tool");
  });

  it("does not come back with the first look that knows what follows it", () => {
    const f = waiting();
    lookAfter(f, 500, null);
    expect(lookAfter(f, 500, null)).toBe("unknown/unsupported_signal");
    expect(lookAfter(f, 500, WORKING)).toMatch(/^running/);
  });

  it("ends with a look that knows nothing of what is shown, and one that does", () => {
    const f = waiting();
    lookAfter(f, 500, null);
    expect(lookAfter(f, 500, WORKING)).toMatch(/^running/);
  });

  it("makes room for the next one, which is not drawn yet", () => {
    const f = waiting();
    lookAfter(f, 500, null);
    lookAfter(f, 500, null);
    f.clock.advance(200);
    f.hook("PermissionRequest", { tool_name: "Bash", tool_input: { command: "rm b" } });
    lookAfter(f, 100, WORKING);
    expect(lookAfter(f, 400, DIALOG)).toBe("waiting_approval/permission_tool");
  });

  it("is asked again, with the same name, when it is seen again", () => {
    const f = waiting();
    const nameOf = (): string | null | undefined => f.ingest.rows(true)[0]?.prompt_fingerprint;
    const before = nameOf();
    lookAfter(f, 500, null);
    lookAfter(f, 500, null);
    expect(lookAfter(f, 500, DIALOG)).toBe("waiting_approval/permission_tool");
    expect(nameOf()).toBe(before);
  });
});

it("a turn that ends with its dialog does not run in between, where no event tells its end", () => {
  const f = agent();
  f.hook("PermissionRequest", { tool_name: "Bash", tool_input: { command: "ls" } });
  lookAfter(f, 500, DIALOG);
  expect([500, 200, 200, 200].map((ms) => lookAfter(f, ms, DENIED))).toEqual([
    "waiting_approval/permission_tool",
    "waiting_approval/permission_tool",
    "waiting_approval/permission_tool",
    "idle/interrupted",
  ]);
});
