// `agtmux start <agent>`: an agent in a new pane, and its task, both done by the daemon. Other verbs use how this file reads texts
// (`checkLength`, `readInput`) and folders (`folderFrom`).
import { MAX_TEXT, OUTCOME_EXIT_CODES } from "../../core/model/action.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import { type CliContext, withDaemon, type DaemonClient } from "../command/context.ts";
import { resolve } from "node:path";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import type { Started } from "../../core/model/workspace.ts";
import { printDocument } from "../command/document.ts";
import { cleanLine } from "../render/clean.ts";
import { settleRef } from "../command/settleRef.ts";

/** @throws AgtmuxError E_USAGE for a text that is too long to be typed. */
export const checkLength = (text: string): string => {
  if (text.length <= MAX_TEXT) return text;
  throw new AgtmuxError("E_USAGE", `the text is longer than ${MAX_TEXT} characters`, {
    remedy: "Put it into a file and send the file's name.",
  });
};

/** Standard input without its last newline, for texts that others must not see in arguments. Fails with E_USAGE if too long. */
export const readInput = async ({ stdin }: CliContext): Promise<string> => {
  let text = "";
  stdin.setEncoding("utf8");
  for await (const chunk of stdin) {
    text += String(chunk);
    checkLength(text);
  }
  return text.replace(/\r?\n$/, "");
};

export interface StartOptions {
  target?: string;
  session?: string;
  split?: string;
  cwd?: string;
  worktree?: string;
  base?: string;
  text?: string;
  stdin?: boolean;
  resume?: string;
  account?: string;
  background?: boolean;
  dryRun?: boolean;
  json?: boolean;
  /** The session's machine: a pane of --split must be on it. */
  only?: string;
}

const WAIT_MS = 20_000;

/** A folder as it was typed, on this machine resolved from $PWD. If none was typed: $PWD on this machine, else the home. */
export const folderFrom = (context: CliContext, target: string, typed: string | undefined): string => {
  if (target !== HOST_TARGET) return typed ?? "~";
  const here = context.env["PWD"];
  if (typed === undefined) return here ?? "~";
  return typed.startsWith("~") || here === undefined ? typed : resolve(here, typed);
};

const textOf = async (context: CliContext, { text, stdin }: StartOptions): Promise<string | null> => {
  if (text !== undefined && stdin === true)
    throw new AgtmuxError("E_USAGE", "start takes only one of --text and --stdin");
  const given = stdin === true ? await readInput(context) : text;
  if (given === undefined) return null;
  if (given.trim() === "") throw new AgtmuxError("E_USAGE", "the task is empty");
  return checkLength(given);
};

/** The pane of --split: its reference and the machine that it is on. */
const besideOf = async (
  context: CliContext,
  client: DaemonClient,
  { split, target, session }: StartOptions,
) => {
  if (split === undefined) return { beside: null, target: target ?? HOST_TARGET };
  if (session !== undefined || target !== undefined)
    throw new AgtmuxError("E_USAGE", "--split excludes --session and --target: the pane says both");
  const beside = await settleRef(context, client, { ref: split, says: false });
  const { items } = await client.call((api) => api.panes.query({ all: true }));
  const pane = items.find(({ identity }) => identity.pane_ref === beside);
  if (pane === undefined)
    throw new AgtmuxError("E_REF_NOT_FOUND", `nothing matches '${split.slice(0, 200)}'`);
  return { beside, target: pane.identity.target };
};

const PROMPT_LINES: Readonly<Record<Started["prompt"], string | null>> = {
  none: null,
  waiting: "The task is sent once the agent is ready.",
  delivered: "The task was sent.",
  not_delivered: "The task was NOT sent",
  unverified: "The task was sent, but its effect was not seen",
  dropped: "The task was NOT sent",
};

export const startedLines = (started: Started): string[] => {
  const { worktree, prompt, prompt_detail: detail, folder, asks } = started;
  const where = started.short_ref ?? started.pane_id;
  const verb = started.dry_run ? "Would start" : "Started";
  const said =
    started.dry_run && prompt === "waiting"
      ? "The task would be sent once it is ready."
      : PROMPT_LINES[prompt];
  const isTold = detail !== "" && prompt !== "delivered";
  const sentence = said?.endsWith(".") === true ? `${said.slice(0, -1)} (${detail}).` : `${said}: ${detail}`;
  return [
    `${verb} '${started.command}' in session ${started.session_name}${where === null ? "" : ` (${where})`}, folder ${folder}.`,
    ...(worktree?.is_new === true
      ? [`${started.dry_run ? "Would make" : "Made"} the worktree for the branch ${worktree.branch}.`]
      : []),
    ...(asks === null
      ? []
      : [`It asks first: ${asks}`, `Answer it with: agtmux answer ${where ?? "<pane>"}, or attach.`]),
    ...(said === null ? [] : [isTold ? sentence : said]),
    ...started.warnings.map((warning) => `! ${warning}`),
  ].map(cleanLine);
};

/** Depends on what became of the first prompt. */
export const exitCodeOf = (prompt: Started["prompt"]): number => {
  switch (prompt) {
    case "none":
    case "waiting":
    case "delivered":
      return 0;
    case "not_delivered":
    case "dropped":
      return OUTCOME_EXIT_CODES.not_delivered;
    case "unverified":
      return OUTCOME_EXIT_CODES.unverified;
  }
};

/** Gives the exit status. */
export const runStart = async (
  context: CliContext,
  agent: string,
  options: StartOptions,
): Promise<number> => {
  if (options.base !== undefined && options.worktree === undefined)
    throw new AgtmuxError("E_USAGE", "--base says where a branch of --worktree begins");
  const text = await textOf(context, options);
  const started = await withDaemon(context, async (client) => {
    const { beside, target } = await besideOf(context, client, options);
    if (options.only !== undefined && options.only !== target)
      throw new AgtmuxError("E_USAGE", `the session lies on ${options.only}, and that pane is on ${target}`);
    return client.call((api) =>
      api.workspaces.start.mutate({
        agent,
        target,
        session: options.session ?? null,
        beside,
        folder: folderFrom(context, target, options.cwd),
        worktree:
          options.worktree === undefined ? null : { branch: options.worktree, base: options.base ?? null },
        text,
        resume: options.resume ?? null,
        account: options.account ?? null,
        isBackground: options.background === true,
        isDryRun: options.dryRun === true,
        waitMs: WAIT_MS,
        surface: "cli",
      }),
    );
  });
  if (options.json === true) printDocument<Started>(context, started);
  else context.print(`${startedLines(started).join("\n")}\n`);
  return exitCodeOf(started.prompt);
};
