// When a prompt gets its name (its fingerprint), and that it keeps it: events, the agent's own files and the screen tell of one
// wait one after the other.
import { afterEach, expect, it } from "vitest";
import { createIngestFixture, somePane, type IngestFixture } from "../../test/factories/ingest.ts";
import { someRequest } from "../../test/factories/evidence.ts";
import type { SampledReading } from "../engine/observe.ts";
import type { PaneView } from "../model/view.ts";

let made: IngestFixture | null = null;
const agent = ({ hasEvents }: { hasEvents: boolean }): IngestFixture => {
  const f = createIngestFixture();
  made = f;
  f.topology([somePane()]);
  f.agent();
  if (hasEvents) f.hook("UserPromptSubmit", { prompt: "go" });
  f.clock.advance(1_000);
  return f;
};
afterEach(() => made?.store.close());

const WAITING: SampledReading = {
  status: { state: "waiting_approval", reasonCode: "permission_tool" },
  confidence: "high",
  matched: "Do you want to proceed?",
  request: null,
  isSteady: true,
};
const drawn = (body?: string): SampledReading => ({
  ...WAITING,
  request: { ...someRequest(body), columns: 90 },
});

/** The row after a read of the source, `ms` later. */
const read = (
  f: IngestFixture,
  ms: number,
  source: "poller" | "transcript",
  reading: SampledReading,
): PaneView => {
  f.clock.advance(ms);
  const rowOf = (): PaneView => {
    const [row] = f.ingest.rows(true);
    if (row === undefined) throw new Error("there is no row");
    return row;
  };
  const readAt = f.clock.now();
  f.ingest.applyReading(rowOf().identity.runtime_id ?? "", source, { reading, readAt, isChanged: true });
  return rowOf();
};

it("a wait that the agent's own file told first stays the same one when its dialog is read", () => {
  const f = agent({ hasEvents: false });
  const told = read(f, 0, "transcript", WAITING);
  expect(told).toMatchObject({ state: "waiting_approval", request: null, prompt_fingerprint: null });
  const seen = read(f, 300, "poller", drawn());
  expect(seen.prompt_fingerprint).not.toBeNull();
  expect(seen.state_version).toBe(told.state_version);
});

it("the next dialog of such a wait is another one", () => {
  const f = agent({ hasEvents: false });
  read(f, 0, "transcript", WAITING);
  const first = read(f, 300, "poller", drawn("ls"));
  const second = read(f, 500, "poller", drawn("rm -rf build"));
  expect(second.state_version).toBeGreaterThan(first.state_version);
  expect(second.prompt_fingerprint).not.toBe(first.prompt_fingerprint);
});

it("a dialog is named once its event has come, where the agent's events come, and keeps that name", () => {
  const f = agent({ hasEvents: true });
  const seen = read(f, 0, "poller", drawn());
  expect(seen).toMatchObject({ state: "waiting_approval", prompt_fingerprint: null });
  f.clock.advance(100);
  f.hook("PermissionRequest", { tool_name: "Bash", tool_input: { command: "rm -rf build" } });
  const named = read(f, 200, "poller", drawn());
  expect(named.prompt_fingerprint).not.toBeNull();
  expect(named.state_version).toBe(seen.state_version);
  expect(read(f, 500, "poller", drawn()).prompt_fingerprint).toBe(named.prompt_fingerprint);
});

it("a dialog that no event announces is named half a second after it was seen", () => {
  const f = agent({ hasEvents: true });
  const seen = read(f, 0, "poller", drawn());
  expect(read(f, 400, "poller", drawn()).prompt_fingerprint).toBeNull();
  const named = read(f, 100, "poller", drawn());
  expect(named.prompt_fingerprint).not.toBeNull();
  expect(named.state_version).toBe(seen.state_version);
});

it("another dialog than the announced one is another wait, also where neither was named", () => {
  const f = agent({ hasEvents: true });
  f.hook("PermissionRequest", { tool_name: "Bash", tool_input: { command: "ls" } });
  const [announced] = f.ingest.rows(true);
  expect(announced).toMatchObject({ state: "waiting_approval", prompt_fingerprint: null });
  f.clock.advance(2_000);
  const drawnElse = read(f, 0, "poller", drawn("rm -rf build"));
  expect(drawnElse.request?.body).toBe("rm -rf build");
  expect(drawnElse.state_version).toBeGreaterThan(announced?.state_version ?? 0);
});

/** The same command in the words of the agent's own log, which knows another title, and more of it. */
const LOGGED: SampledReading = {
  ...WAITING,
  confidence: "medium",
  request: { ...someRequest("touch a.txt"), title: "Run command" },
};
const WORKS: SampledReading = {
  ...WAITING,
  status: { state: "running", reasonCode: "tool" },
  matched: "session log: tool.execution_start",
};

it("a dialog is named once the agent's own log was read again, and is then not named again", () => {
  const f = agent({ hasEvents: false });
  read(f, 0, "transcript", WORKS);
  const seen = read(f, 300, "poller", drawn("touch a.txt"));
  expect(seen).toMatchObject({ state: "waiting_approval", prompt_fingerprint: null });
  const named = read(f, 250, "transcript", LOGGED);
  expect(named.prompt_fingerprint).not.toBeNull();
  expect(named.state_version).toBe(seen.state_version);
  expect(read(f, 250, "poller", drawn("touch a.txt"))).toMatchObject({
    prompt_fingerprint: named.prompt_fingerprint,
    state_version: named.state_version,
  });
});

it("a dialog of which the agent's own log says nothing is named with the next read of that log", () => {
  const f = agent({ hasEvents: false });
  read(f, 0, "transcript", WORKS);
  read(f, 300, "poller", drawn("touch a.txt"));
  expect(read(f, 500, "transcript", WORKS).prompt_fingerprint).not.toBeNull();
});

it("an answered prompt gets no other name while the screen was read last before its answer", () => {
  const f = agent({ hasEvents: false });
  read(f, 0, "transcript", LOGGED);
  const named = read(f, 300, "poller", drawn("touch a.txt"));
  expect(named.prompt_fingerprint).not.toBeNull();
  const answered = read(f, 200, "transcript", WORKS);
  expect(answered).toMatchObject({ prompt_fingerprint: null, state_version: named.state_version });
  expect(read(f, 300, "poller", WORKS).state).toBe("running");
});

it("a dialog that stays although the agent's own log calls it answered can be answered", () => {
  const f = agent({ hasEvents: false });
  read(f, 0, "transcript", LOGGED);
  read(f, 300, "poller", drawn("touch a.txt"));
  read(f, 200, "transcript", WORKS);
  const stays = read(f, 500, "poller", drawn("touch a.txt"));
  expect(stays.state).toBe("waiting_approval");
  expect(stays.prompt_fingerprint).not.toBeNull();
});

const half = (body: string): SampledReading => ({
  ...WAITING,
  request: { ...someRequest(body), columns: 90, isWhole: false },
});
const whole = (body: string): SampledReading => ({
  ...WAITING,
  request: { ...someRequest(body), columns: 90, isWhole: true },
});

it("a dialog that was read while it was drawn is named once all of it is there, and only then", () => {
  const f = agent({ hasEvents: false });
  const first = read(f, 0, "poller", half("live.txt"));
  expect(first).toMatchObject({ state: "waiting_approval", prompt_fingerprint: null });
  const drawnWhole = read(f, 150, "poller", whole("live.txt"));
  expect(drawnWhole.prompt_fingerprint).not.toBeNull();
  expect(drawnWhole.state_version).toBe(first.state_version);
});

it("a dialog that never shows all that it asks is named with the second look", () => {
  const f = agent({ hasEvents: false });
  const first = read(f, 0, "poller", half("live.txt"));
  expect(first.prompt_fingerprint).toBeNull();
  const second = read(f, 500, "poller", half("live.txt"));
  expect(second.prompt_fingerprint).not.toBeNull();
  expect(second.state_version).toBe(first.state_version);
});

it("an announced dialog that was read while it was drawn is named once all of it is there", () => {
  const f = agent({ hasEvents: true });
  f.hook("PermissionRequest", { tool_name: "Bash", tool_input: { command: "rm -rf build && make all" } });
  const first = read(f, 100, "poller", half("rm -rf build && make"));
  expect(first.prompt_fingerprint).toBeNull();
  const named = read(f, 150, "poller", whole("rm -rf build && make all"));
  expect(named).toMatchObject({ state_version: first.state_version, request: { is_whole: true } });
  expect(named.prompt_fingerprint).not.toBeNull();
});
