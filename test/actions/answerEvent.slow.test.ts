// Answers to prompts that an event announced: it knows what is asked, the screen knows how it is answered, and both must be
// about the same.
import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { AnswerChoice } from "../../core/model/action.ts";
import type { PaneView } from "../../core/model/view.ts";
import { dialogOf, openDialogs, type DialogPane } from "./dialogPane.ts";
import { openHarness, type Harness } from "./actionHarness.ts";

const LABELS = [
  "Yes",
  "Yes, and always allow access to /home/dev/project from this project",
  "Yes, and switch to auto mode",
  "No",
];
const DIALOG = dialogOf("recordings/claude/waiting_approval", { options: LABELS, digits: "too" });
const SESSION = "11111111-2222-3333-4444-555555555555";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

/** What an agent's hook drops into the spool before a dialog opens. */
const drop = async (paneId: string, agent: string, event: string, payload: object): Promise<void> => {
  const socket = `${harness.tmux.socketPath},${await harness.tmux.serverPid()},0`;
  execFileSync(harness.daemon.eventScript, [agent, event], {
    env: { ...process.env, TMUX: socket, TMUX_PANE: paneId },
    input: JSON.stringify(payload),
  });
};
const announce = (paneId: string, command: string): Promise<void> =>
  drop(paneId, "claude", "PermissionRequest", {
    session_id: SESSION,
    hook_event_name: "PermissionRequest",
    tool_name: "Bash",
    tool_input: { command, description: "Lab command" },
  });
const answer = (row: PaneView, choice: AnswerChoice) =>
  harness.service.answer({
    ...harness.request(row, { ifPrompt: row.prompt_fingerprint }),
    choice,
    idempotencyKey: null,
  });

const announced = async (command: string): Promise<{ pane: DialogPane; row: PaneView }> => {
  const pane = await openDialogs(harness, "claude", [DIALOG]);
  await announce(pane.paneId, command);
  const isAnnounced = ({ request }: PaneView) => request?.tool_name === "Bash";
  return { pane, row: await harness.daemon.until(pane.paneId, isAnnounced, 10_000) };
};

it.concurrent("shows the screen's options under the event's text, and takes them", async () => {
  const { pane, row } = await announced("touch approved.txt");
  expect(row.request).toMatchObject({
    body: "touch approved.txt",
    options: LABELS.map((label) => ({ label })),
  });
  expect(await answer(row, { kind: "option", number: 4 })).toMatchObject({ outcome: "delivered" });
  expect(pane.chosen()).toEqual([["waiting_approval", "No"]]);
});

it.concurrent("does not answer another prompt that is on the screen: the announced one is not drawn yet", async () => {
  const { pane, row } = await announced("touch approved.txt && rm -rf build");
  expect(row.request?.options).toEqual([]);
  for (const choice of [{ kind: "approve" }, { kind: "option", number: 1 }] as const)
    await expect(answer(row, choice)).rejects.toMatchObject({
      code: "E_STALE_SNAPSHOT",
      message: expect.stringContaining("another prompt"),
    });
  expect(pane.chosen()).toEqual([]);
});

it.concurrent("approves what a screen alone does not prove, after the time in which the dialog ignores keys", async () => {
  const dialog = dialogOf("recordings/omp/waiting_approval", {
    options: ["Approve", "Deny"],
    mark: "❯",
    escapes: "Deny",
    slowMs: 1_500,
  });
  const pane = await openDialogs(harness, "omp", [dialog]);
  await drop(pane.paneId, "omp", "tool_approval_requested", {
    session_id: SESSION,
    toolName: "bash",
    toolCallId: "c",
    input: { command: "touch approved.txt" },
  });
  const isWhole = ({ request }: PaneView) => request?.is_whole === true;
  const row = await harness.daemon.until(pane.paneId, isWhole, 10_000);
  expect(await answer(row, { kind: "approve" })).toMatchObject({ outcome: "delivered" });
  expect(pane.chosen()).toEqual([["waiting_approval", "Approve"]]);
});
