// `agtmux doc start`: the document's agent in this pane, in the place of this command. Everything that could go wrong is asked before
// the document is touched.
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { AgtmuxError } from "../../core/model/errors.ts";
import { askWorkspaces } from "../askWorkspaces.ts";
import { withDaemon, type CliContext } from "../context.ts";
import { bindDocument } from "./claim.ts";
import { checkWatched, createPaneLook, openClaimed } from "./claims.ts";
import { agentFor, readConfig } from "./documentConfig.ts";
import { localPath } from "./place.ts";

/** The first of this name that can be run. */
const findProgram = async (context: CliContext, name: string): Promise<string> => {
  for (const folder of (context.env["PATH"] ?? "").split(delimiter)) {
    // An empty or relative entry would be a program of the folder that one is in.
    if (!folder.startsWith("/")) continue;
    const path = join(folder, name);
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      // The next folder may have it.
    }
  }
  throw new AgtmuxError("E_UNSUPPORTED", `'${name}' is in no folder of PATH`, {
    remedy: "Install it, or name another agent in the document; nothing was changed.",
  });
};

/** The words by which the agent starts, as its adapter knows them. @throws AgtmuxError E_USAGE where there is no such agent. */
const launchWords = async (context: CliContext, agent: string): Promise<readonly string[]> => {
  const { command } = await withDaemon(context, (client) =>
    askWorkspaces(client, "start", "mutation", {
      agent,
      folder: process.cwd(),
      isDryRun: true,
      surface: "cli",
    }),
  );
  return command.split(" ");
};

export const runStart = async (context: CliContext, file: string): Promise<void> => {
  localPath(file);
  const { TMUX: tmux = "", TMUX_PANE: own = "" } = context.env;
  if (tmux === "" || own === "")
    throw new AgtmuxError("E_UNSUPPORTED", "this is not inside tmux", {
      remedy: "Run it in the pane in which the agent is to work; 'agtmux doc route' makes one.",
    });
  if (!context.stdin.isTTY || !context.stdout.isTTY)
    throw new AgtmuxError("E_UNSUPPORTED", "start becomes the agent, which needs a terminal", {
      remedy: "Run it at the prompt of a pane, not from a program; 'agtmux doc claim' starts nothing.",
    });
  if (process.execve === undefined)
    throw new AgtmuxError("E_UNSUPPORTED", "a command cannot become another program on this system", {
      remedy: "Start the agent, and run 'agtmux doc claim' in its pane.",
    });
  const document = await openClaimed(file);
  const look = createPaneLook(context);
  const pane = (await look.at(look.here)).find((one) => one.pane === own);
  if (pane === undefined)
    throw new AgtmuxError("E_REF_NOT_FOUND", `there is no pane ${own} in this tmux server`);
  const words = await launchWords(context, agentFor(document.frontmatter, await readConfig(context)));
  const program = await findProgram(context, words[0] ?? "");
  await checkWatched(context, pane);
  await bindDocument(context, document, pane);
  // A variable of a session around us would make the agent refuse to start.
  const { CLAUDECODE: _session, ...env } = process.env;
  process.execve(program, [...words], env);
};
