// Events that another program puts into the spool in an agent's name, on real tmux with the real hook: they end a request that
// stays on the screen, and open another one in its place. For a rule that approves, the dialog may still be the first one's.
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Service } from "../../core/daemon/service.ts";
import { openHarness, type Harness } from "../actions/actionHarness.ts";
import { askByHook, claudeDialog, tellByHook } from "../actions/claudeDialog.ts";
import { openDialogs, type DialogPane } from "../actions/dialogPane.ts";
import { until } from "../setup/realClock.ts";

const LIMIT_MS = 60_000;
const WAIT_MS = 20_000;
const STATUS = { command: "git status" };
const UNSANDBOXED = { ...STATUS, dangerouslyDisableSandbox: true };

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
}, LIMIT_MS);
afterAll(() => harness.close(), LIMIT_MS);

const open = (name: string): Promise<DialogPane> =>
  openDialogs(harness, "claude", [claudeDialog(["git status"])], { name });
const ask = ({ paneId }: DialogPane, input: Record<string, unknown>): Promise<void> =>
  askByHook(harness, paneId, "Bash", input);
/** What rules are told, and by which they answer. */
const unattended = () => (harness.service as Service).unattended;
const told = ({ row }: DialogPane) => unattended().findRequest(row.identity.runtime_id ?? "none");
const heard = ({ row }: DialogPane): Promise<void> =>
  unattended().takeEvents(row.identity.runtime_id ?? "none");

/** How a forged event says that the request is over. */
const ENDS: Readonly<Record<string, (pane: DialogPane) => Promise<void>>> = {
  "the tool has ended": ({ paneId }) =>
    tellByHook(harness, paneId, "PostToolUse", {
      tool_name: "Bash",
      tool_input: UNSANDBOXED,
      tool_use_id: "t1",
    }),
  "the tool was denied": ({ paneId }) =>
    tellByHook(harness, paneId, "PermissionDenied", { tool_name: "Bash", tool_input: UNSANDBOXED }),
  "the turn has ended": ({ paneId }) => tellByHook(harness, paneId, "Stop", {}),
  "the session is another one": ({ paneId }) =>
    tellByHook(harness, paneId, "SessionStart", { source: "clear", session_id: "99999999-2222-3333-4444-5" }),
  "a prompt was submitted": ({ paneId }) => tellByHook(harness, paneId, "UserPromptSubmit", { prompt: "go" }),
};

it(
  "a request that an event ends while its dialog stands is followed by none that a rule approves",
  { timeout: LIMIT_MS },
  async () => {
    const [plain, ...attacked] = await Promise.all([
      open("plain"),
      ...Object.keys(ENDS).map((_, index) => open(`ended-${index}`)),
    ]);
    await ask(plain, STATUS);
    await heard(plain);
    await until(() => told(plain)?.doubt === null, "nothing speaks against what was asked once", WAIT_MS);
    const doubts = await Promise.all(
      Object.entries(ENDS).map(async ([name, end], index) => {
        const pane = attacked[index] ?? plain;
        await ask(pane, UNSANDBOXED);
        await heard(pane);
        await end(pane);
        await heard(pane);
        await ask(pane, STATUS);
        await heard(pane);
        // Its dialog is read too, and may be read first.
        const isTold = (): boolean =>
          told(pane)?.command === "git status" &&
          told(pane)?.doubt !== "no event has reported it since this daemon started";
        await until(isTold, "the second one is told", WAIT_MS);
        return [name, told(pane)?.doubt ?? null];
      }),
    );
    expect(doubts).toEqual(
      Object.keys(ENDS).map((name) => [
        name,
        expect.stringMatching(/asked before|more than one request is open/),
      ]),
    );
  },
);
