// Permission dialogs as Claude Code draws them, and the hook that announces them, for a played agent.
import { execFileSync } from "node:child_process";
import type { Harness } from "./actionHarness.ts";
import type { Dialog } from "./dialogPane.ts";

const SESSION = "11111111-2222-3333-4444-555555555555";
const RULE = "─".repeat(120);
const DOTS = "╌".repeat(120);

/** A permission dialog as Claude Code 2.1.329 draws it, below some rows of conversation. */
export const claudeDialog = (
  body: readonly string[],
  more: Partial<Dialog> & { above?: readonly string[]; edit?: string } = {},
): Dialog => {
  const { above = ["❯ go", ""], edit, ...rest } = more;
  const rows = body.length === 1 ? [` ${body[0] ?? ""}`] : body.map((row) => ` │ ${row}`.trimEnd());
  const heading = edit === undefined ? [" Bash command", " Lab command"] : [" Create file", ` ${edit}`];
  const question = edit === undefined ? "Do you want to proceed?" : `Do you want to create ${edit}?`;
  const text = [
    ...above,
    RULE,
    ...heading,
    DOTS,
    ...rows,
    DOTS,
    ` ${question}`,
    " ❯ 1. Yes",
    "   2. No",
    "",
    " Esc to cancel · Tab to amend",
  ];
  return {
    name: body.join("\n"),
    text: text.join("\n"),
    title: "✳ Claude Code",
    options: ["Yes", "No"],
    digits: "too",
    escapes: "No",
    ...rest,
  };
};

/** Runs the hook as the agent in that pane does, or as another program that takes its place. */
export const tellByHook = async (
  harness: Harness,
  paneId: string,
  event: string,
  payload: Record<string, unknown>,
): Promise<void> => {
  const socket = `${harness.tmux.socketPath},${await harness.tmux.serverPid()},0`;
  execFileSync(harness.daemon.eventScript, ["claude", event], {
    env: { ...process.env, TMUX: socket, TMUX_PANE: paneId },
    input: JSON.stringify({
      session_id: SESSION,
      cwd: "/home/dev/project",
      hook_event_name: event,
      ...payload,
    }),
  });
};

/** When it asks for a permission. */
export const askByHook = (
  harness: Harness,
  paneId: string,
  toolName: string,
  toolInput: Record<string, unknown>,
): Promise<void> =>
  tellByHook(harness, paneId, "PermissionRequest", { tool_name: toolName, tool_input: toolInput });
