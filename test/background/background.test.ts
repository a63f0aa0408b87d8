// What the files of a background session say, state by state; events, actions and attacks: background.slow.test.ts.
import { expect, it } from "vitest";
import { ID, SESSION, PLACE, tell, busy, asks, found, useBackground } from "./backgroundHarness.ts";

useBackground();

it("is a row by its files alone, in each state, with what it asks", async () => {
  busy();
  const row = await found(({ state }) => state === "running");
  expect(row).toMatchObject({
    identity: { pane_id: null, session_name: "background", target: "host" },
    background: { id: ID },
    short_ref: `host/${PLACE}`,
    window_name: "lab session",
    agent: "claude",
    agent_session_id: SESSION,
  });
  asks();
  const waiting = await found(({ state }) => state === "waiting_approval");
  expect(waiting.request).toMatchObject({ kind: "command", body: "touch x.txt", is_whole: false });
  expect([waiting.needs_action, waiting.prompt_fingerprint]).toEqual([true, null]);
  busy();
  await found(({ state }) => state === "running");
  tell(
    { status: "waiting", waitingFor: "input needed" },
    { state: "working", tempo: "blocked", needs: "answer: Which colour? (Red · Blue)" },
  );
  const asking = await found(({ state }) => state === "waiting_input");
  expect(asking.request).toMatchObject({ kind: "question", title: "Which colour? (Red · Blue)" });
  busy();
  await found(({ state }) => state === "running");
  tell({ status: "idle" }, { state: "failed", tempo: "idle", detail: "API Error: 400 lab failure" });
  await found(({ state, reason_code }) => state === "error" && reason_code === "api_error");
  busy();
  await found(({ state }) => state === "running");
  tell({ status: "idle" }, { state: "working", tempo: "idle", detail: "hello" });
  await found(({ state }) => state === "completed");
}, 30_000);
