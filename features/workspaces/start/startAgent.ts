// Starts an agent in a pane of its own, on a person's order: in a folder or a work tree, with a task or with an earlier session.
// Everything that could make it go wrong is asked before anything is made.
import { askShell, makePane, refuseCrash, sessionNameOf, type NewPane } from "./newPane.ts";
import type { ResumedSessions } from "./resumedSessions.ts";
import { launchWords, shellCommand } from "./shellCommand.ts";
import { placeOf } from "../sharing.ts";
import type { Worktrees } from "../worktrees/worktrees.ts";
import { AgtmuxError } from "../../../core/model/errors.ts";
import { SCHEMA_VERSION } from "../../../core/model/schemaVersion.ts";
import type { Started } from "../../../core/model/started.ts";
import type { PaneView } from "../../../core/model/view.ts";
import type { AgentAdapter } from "../../../core/ports/agentAdapter.ts";
import type { FeatureContext, FeatureTarget } from "../../../core/ports/feature.ts";
import type { FirstTaskOutcome, FirstTasks } from "../../../core/ports/firstTasks.ts";

export interface StartInput {
  agent: string;
  target: string;
  /** Null: the first that is watched. */
  server: string | null;
  /** Null: the name of the folder. */
  session: string | null;
  windowName: string | null;
  /** Reference of the pane that it is to stand beside. */
  beside: string | null;
  /** Absolute, or begins with `~`. */
  folder: string;
  worktree: { branch: string; base: string | null } | null;
  text: string | null;
  /** Id of the session to go on with. */
  resume: string | null;
  isDryRun: boolean;
  /** How long to wait for the agent, and for its first prompt to be delivered. */
  waitMs: number;
  /** Who asks, for the audit. */
  surface: string;
}

export interface StartDeps {
  context: Pick<FeatureContext, "rows" | "adapters" | "target" | "clock" | "record">;
  worktrees: Worktrees;
  firstTasks: () => FirstTasks | null;
  resumed: ResumedSessions;
}

const LOOK_EVERY_MS = 100;
const NO_PROMPT: FirstTaskOutcome = { prompt: "none", prompt_detail: "" };
const UNSTORED = "the task holds a secret, so it is kept in memory alone, and lost when the daemon ends";

const refuse = (message: string, remedy: string): AgtmuxError =>
  new AgtmuxError("E_WORKSPACE_REFUSED", message, { remedy });

type Agent = Pick<AgentAdapter, "agentType" | "displayName" | "launch">;

const findAgent = ({ adapters }: StartDeps["context"], name: string): Agent => {
  const known = adapters();
  const found = known.find(({ agentType, launch }) => agentType === name || launch?.program === name);
  if (found !== undefined) return found;
  throw new AgtmuxError("E_USAGE", `there is no agent '${name.slice(0, 40)}'`, {
    remedy: `Agents that can be started: ${known.flatMap(({ agentType, launch }) => (launch === undefined ? [] : [agentType])).join(", ")}.`,
  });
};

const wordsFor = ({ agentType, displayName, launch }: Agent, resume: string | null): string[] => {
  if (launch === undefined)
    throw new AgtmuxError("E_UNSUPPORTED", `How ${displayName} is started is not known`, {
      remedy: "Start it yourself; its pane is found.",
    });
  if (resume !== null && launch.resume === undefined)
    throw new AgtmuxError("E_UNSUPPORTED", `How ${displayName} goes on with a session is not known`, {
      remedy: `Start it without --resume, and choose the session in ${agentType} itself.`,
    });
  return launchWords(launch, resume);
};

/** Two processes that write one session would spoil it. */
const refuseLive = (
  rows: readonly PaneView[],
  { agent, target }: { agent: string; target: string },
  id: string,
): void => {
  const live = rows.find(
    (row) =>
      row.agent === agent &&
      row.agent_session_id === id &&
      row.identity.target === target &&
      row.state !== null &&
      row.reason_code !== "crashed",
  );
  if (live !== undefined)
    throw refuse(
      `session ${id} runs already, in ${live.short_ref}`,
      `Go there with 'agtmux attach ${live.short_ref}'.`,
    );
};

/** A folder that is there, as a whole path. @throws AgtmuxError E_USAGE, E_WORKSPACE_REFUSED */
export const folderOf = async (target: FeatureTarget, folder: string): Promise<string> => {
  const home = await target.homeDir();
  const path = folder === "~" ? home : folder.startsWith("~/") ? `${home}/${folder.slice(2)}` : folder;
  if (!path.startsWith("/") || /\p{Cc}/u.test(path))
    throw new AgtmuxError("E_USAGE", `'${folder.slice(0, 100)}' is no whole path of a folder`);
  const stat = await target.files.stat(path);
  if (stat === null || stat.isFile)
    throw refuse(`there is no folder ${path}`, "Make it first, or name another one.");
  return path.replace(/(?<=.)\/+$/, "");
};

/** The pane to stand beside; its session is the new one's too. */
const besideOf = (rows: readonly PaneView[], { beside, target }: StartInput): PaneView | null => {
  if (beside === null) return null;
  const row = rows.find(({ identity }) => identity.pane_ref === beside && identity.target === target);
  if (row === undefined)
    throw new AgtmuxError("E_REF_NOT_FOUND", `nothing on ${target} fits '${beside.slice(0, 200)}'`);
  return row;
};

const sharingWarnings = (rows: readonly PaneView[], target: string, folder: string): string[] => {
  const others = rows.filter((row) => {
    const place = placeOf(row)?.split("\0");
    return place?.[0] === target && (place[1] === folder || folder.startsWith(`${place[1]}/`));
  });
  if (others.length === 0) return [];
  const names = others.slice(0, 5).map(({ short_ref }) => short_ref);
  return [`it shares its folder with ${names.join(", ")}`];
};

const nameOf = (folder: string): string =>
  folder
    .slice(folder.lastIndexOf("/") + 1)
    .replaceAll(/[\p{Cc}:.]/gu, "_")
    .slice(0, 60) || "agents";

export class StartAgent {
  private readonly deps: StartDeps;

  constructor(deps: StartDeps) {
    this.deps = deps;
  }

  /** @throws AgtmuxError with what is wrong; then nothing was made, except a work tree where only the pane failed. */
  async start(input: StartInput): Promise<Started> {
    const { context, resumed } = this.deps;
    const rows = resumed.all();
    const agent = findAgent(context, input.agent);
    const words = wordsFor(agent, input.resume);
    if (input.resume !== null) refuseLive(rows, { ...input, agent: agent.agentType }, input.resume);
    const target = context.target(input.target);
    const beside = besideOf(rows, input);
    const tmux = target.tmux(beside?.identity.tmux_server ?? input.server);
    if (beside === null) await refuseCrash(tmux);
    const asked = await folderOf(target, input.folder);
    const worktree = await this.worktreeOf(target, asked, input);
    const folder = worktree?.path ?? asked;
    const session = beside?.identity.session_name ?? sessionNameOf(input.session ?? nameOf(folder));
    const started: Started = {
      schema_version: SCHEMA_VERSION,
      generated_at: new Date(context.clock.now()).toISOString(),
      dry_run: input.isDryRun,
      agent: agent.agentType,
      command: words.join(" "),
      target: input.target,
      tmux_server: tmux.server,
      session_name: session,
      folder,
      worktree:
        worktree === null ? null : { path: worktree.path, branch: worktree.branch, is_new: worktree.isNew },
      pane_id: null,
      pane_ref: null,
      short_ref: null,
      runtime_id: null,
      ...NO_PROMPT,
      ...(input.text === null ? {} : { prompt: "waiting" as const }),
      warnings: sharingWarnings(rows, input.target, folder),
    };
    if (input.isDryRun) return started;
    const command = shellCommand(await askShell(target, tmux), words);
    const place = { session, beside: beside?.identity.pane_id ?? null, folder, windowName: input.windowName };
    const pane = await makePane({ target, tmux, clock: context.clock }, place, command);
    context.record({
      action: "start",
      surface: input.surface,
      ref: `${input.target}:${tmux.server}/${pane.paneId}`,
      outcome: `started ${agent.agentType}`,
    });
    const { warnings, outcomeOf } = this.armTask(pane, {
      ...input,
      agent: agent.agentType,
      server: tmux.server,
    });
    const made = { ...started, warnings: [...started.warnings, ...warnings] };
    return this.follow(made, { pane, outcomeOf, waitMs: input.waitMs, resume: input.resume });
  }

  /** The pane is there already, so that what fails here is said, and fails nothing. */
  private armTask(
    { paneId, life }: NewPane,
    { agent, target, server, text, surface }: StartInput & { server: string },
  ): { warnings: string[]; outcomeOf: () => FirstTaskOutcome } {
    if (text === null) return { warnings: [], outcomeOf: () => NO_PROMPT };
    const tasks = this.deps.firstTasks();
    try {
      if (tasks === null) throw new AgtmuxError("E_UNSUPPORTED", "this daemon types no tasks");
      const place = { agentType: agent, target, server, paneId, life };
      const { jobId, isStored } = tasks.arm({ place, text, surface });
      return { warnings: isStored ? [] : [UNSTORED], outcomeOf: () => tasks.outcomeOf(jobId) };
    } catch (error) {
      const detail = error instanceof Error ? error.message : "it could not be stored";
      return { warnings: [], outcomeOf: () => ({ prompt: "dropped", prompt_detail: detail }) };
    }
  }

  private async worktreeOf(target: FeatureTarget, folder: string, { worktree, isDryRun }: StartInput) {
    if (worktree === null) return null;
    const { worktrees } = this.deps;
    return worktrees.forBranch(target, await worktrees.topOf(target, folder), { ...worktree, isDryRun });
  }

  /** What is seen of it until its agent has a row and its prompt has gone in, or the time is over. */
  private async follow(
    started: Started,
    {
      pane,
      outcomeOf,
      waitMs,
      resume,
    }: { pane: NewPane; outcomeOf: () => FirstTaskOutcome; waitMs: number; resume: string | null },
  ): Promise<Started> {
    const { clock, rows } = this.deps.context;
    const until = clock.now() + waitMs;
    for (;;) {
      const row = rows
        .all()
        .find(
          ({ identity }) =>
            identity.pane_id === pane.paneId &&
            identity.target === started.target &&
            identity.tmux_server === started.tmux_server,
        );
      // A shell's own settings may start another one.
      const hasAgent = row !== undefined && row.state !== null && row.agent === started.agent;
      const runtimeId = hasAgent ? row.identity.runtime_id : null;
      if (runtimeId !== null && resume !== null) this.deps.resumed.note(runtimeId, resume);
      const outcome = outcomeOf();
      if ((hasAgent && outcome.prompt !== "waiting") || clock.now() >= until)
        return {
          ...started,
          session_name: pane.sessionName,
          pane_id: pane.paneId,
          pane_ref: row?.identity.pane_ref ?? null,
          short_ref: row?.short_ref ?? null,
          runtime_id: runtimeId,
          ...outcome,
          warnings: [
            ...started.warnings,
            ...(hasAgent ? [] : [`no agent was seen in its pane within ${Math.round(waitMs / 1_000)} s`]),
          ],
        };
      await new Promise<void>((next) => clock.setTimer(LOOK_EVERY_MS, next));
    }
  }
}
