// When a limit ends, on screens recorded from agents that stopped at one.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { createAdapterRegistry } from "./index.ts";
import { loadRecording, screenOf } from "./testkit/recordings.ts";

const RECORDINGS = fileURLToPath(new URL("../test/fixtures/recordings/", import.meta.url));
const SEEN = { at: Date.parse("2026-11-23T08:57:00Z"), timeZone: "UTC" };

it.each([
  ["codex", "limit_time_120_columns", "2026-11-23T10:26"],
  ["codex", "limit_time_60_columns", "2026-11-23T10:27"],
  ["codex", "limit_date_120_columns", "2026-11-26T03:36"],
  ["codex", "limit_date_60_columns", "2026-11-26T03:37"],
  ["claude", "limit_date_120_columns", "2026-11-26T03:38"],
  ["claude", "limit_date_60_columns", "2026-11-26T03:38"],
  // It goes on by itself.
  ["claude", "limit_time_120_columns", null],
  ["claude", "error_400", null],
])("%s, %s", (agent, name, expected) => {
  const adapter = createAdapterRegistry().byAgentType(agent);
  const reading = adapter?.readScreen(screenOf(loadRecording(join(RECORDINGS, agent), name)));
  expect(reading?.status.state).toBe("error");
  const at = adapter?.readReset?.(reading?.matched ?? "", SEEN) ?? null;
  expect(at === null ? null : new Date(at).toISOString().slice(0, 16)).toBe(expected);
});
