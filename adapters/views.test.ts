// Every recorded view of an agent's own is a reading: a view, or a wait where it is a dialog. None is a state of its work, because
// keys are commands there. No text is typed into one: test/actions/views.test.ts.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { isWaiting } from "../core/model/state.ts";
import { IN_MENU } from "./common/events.ts";
import { createAdapterRegistry } from "./index.ts";
import { listFrames, loadRecording, screenOf } from "./testkit/recordings.ts";

const VIEWS = fileURLToPath(new URL("../test/fixtures/views", import.meta.url));

// Claude Code's are told in claude/views.test.ts: its box stays a state where a menu of it is open.
describe.each(readdirSync(VIEWS).filter((agent) => agent !== "claude"))("the views of %s", (agent) => {
  const folder = `${VIEWS}/${agent}`;
  const adapter = createAdapterRegistry().byAgentType(agent);
  it.each(listFrames(folder))("%s takes the keys", (name) => {
    const status = adapter?.readScreen(screenOf(loadRecording(folder, name)))?.status ?? null;
    if (status === null || !isWaiting(status.state)) expect(status).toEqual(IN_MENU);
  });
});
