// Going on with a session: `agtmux history resume <session>` in its own agent, `agtmux history handoff <session>` in another one.
// What is handed over is read and edited by the person first, unless --yes is given. Asking the old agent is in handoffAsk.ts.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { HistoryHandoff, HistorySession } from "../../core/model/history.ts";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import { leaveUndone } from "../command/ask.ts";
import { refreshHistory } from "./history.ts";
import { withDaemon, type CliContext, type DaemonClient } from "../command/context.ts";
import { printDocument } from "../command/document.ts";
import { cleanLines } from "../render/clean.ts";
import { sessionOf } from "./history.ts";
import { runStart, type StartOptions } from "./start.ts";

/** Asks about a session by what was typed: a part of its id, or the pane that has it open. */
const askAbout = <T>(
  context: CliContext,
  ref: string,
  question: (client: DaemonClient, ref: string) => Promise<T>,
): Promise<T> =>
  withDaemon(context, async (client) => {
    await refreshHistory(context, client);
    return question(client, await sessionOf(context, client, ref));
  });

const folderOf = ({ folder, short_ref }: HistorySession, typed: string | undefined): string => {
  const found = typed ?? folder;
  if (found === null)
    throw new AgtmuxError("E_USAGE", `the log of session ${short_ref} does not say where it worked`, {
      remedy: "Name the folder with --cwd.",
    });
  return found;
};

/** The session's machine, because what its log says is true there. A pane of --split has a machine, which must be that one. */
const placeOn = ({ identity }: HistorySession, { split }: { split?: string }): StartOptions => {
  if (split !== undefined) return { only: identity.target };
  return identity.target === HOST_TARGET ? {} : { target: identity.target };
};

/** Gives the exit status. */
export const runHistoryResume = async (
  context: CliContext,
  ref: string,
  options: Omit<StartOptions, "resume" | "target">,
): Promise<number> => {
  const session = await askAbout(context, ref, (client, named) =>
    client.call((api) => api.history.find.query({ ref: named })),
  );
  const { agent, session_id: resume } = session.identity;
  const place = placeOn(session, options);
  return runStart(context, agent, { ...options, ...place, cwd: folderOf(session, options.cwd), resume });
};

/** The text as the person's editor left it; null where the editor failed, or nothing was left. */
const editText = async ({ env, stdin, stdout }: CliContext, text: string): Promise<string | null> => {
  if (!stdin.isTTY || !stdout.isTTY)
    throw new AgtmuxError("E_CONFIRMATION_REQUIRED", "what is handed over has to be read first", {
      remedy:
        "Run this in a terminal, where your editor opens; or repeat with --yes to hand it over as it is.",
    });
  const folder = await mkdtemp(join(tmpdir(), "agtmux-handoff-"));
  try {
    const file = join(folder, "handoff.md");
    await writeFile(file, text, { mode: 0o600 });
    // As git does it: the variable is a line for the shell, the file is a word of its own.
    const editor = env["VISUAL"] || env["EDITOR"] || "vi";
    const child = spawn("/bin/sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit", env });
    await once(child, "close");
    const edited = child.exitCode === 0 ? (await readFile(file, "utf8")).trim() : "";
    return edited === "" ? null : edited;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Without `--to` it only prints the document. Gives the exit status. */
export const runHistoryHandoff = async (
  context: CliContext,
  ref: string,
  {
    to,
    yes,
    ask,
    ...options
  }: {
    to?: string;
    account?: string;
    worktree?: string;
    base?: string;
    split?: string;
    session?: string;
    cwd?: string;
    ask?: boolean;
    yes?: boolean;
    dryRun?: boolean;
    json?: boolean;
  },
): Promise<number> => {
  const handoff = await askAbout(context, ref, async (client, named) =>
    ask === true
      ? (await import("./handoffAsk.ts")).askForHandoff(context, client, named)
      : client.call((api) => api.history.handoff.query({ ref: named })),
  );
  if (to !== undefined) {
    const cwd = folderOf(handoff.session, options.cwd);
    const text = yes === true ? handoff.text : await editText(context, handoff.text);
    return text === null
      ? leaveUndone(context, true, "handed over")
      : runStart(context, to, { ...options, ...placeOn(handoff.session, options), cwd, text });
  }
  if (options.json === true) printDocument<HistoryHandoff>(context, handoff);
  else context.print(`${cleanLines(handoff.text.trimEnd()).join("\n")}\n`);
  return 0;
};
