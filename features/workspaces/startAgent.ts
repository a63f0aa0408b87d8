// Starts an agent in a pane of its own, on a person's order: in a folder or a worktree, with a task or with an earlier session
// (`ResumedSessions`). Everything that could make it go wrong is asked before anything is made.
import { inAccount, inLoginShell } from "../../core/model/commandWords.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import { askedLine } from "../../core/model/words.ts";
import { PANE_LIFE_FORMAT } from "../../core/model/job.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type {
  FeatureTarget,
  FeatureTmux,
  FeatureContext,
  FirstTaskOutcome,
  FirstTasks,
} from "../../core/ports/feature.ts";
import type { PaneView } from "../../core/model/view.ts";
import { launchWords, SESSION_ID, shellCommand } from "./startableAgents.ts";
import { placeOf } from "./rowWorkspaces.ts";
import type { Worktrees } from "./linkedWorktrees.ts";
import { stamp } from "../../core/model/schemaVersion.ts";
import type { Account } from "../../core/model/runtime.ts";
import type { Started } from "../../core/model/workspace.ts";
import type { AgentAdapter } from "../../core/ports/agentAdapter.ts";

// Panes: one is made with a command in it, in a session of that name, beside a pane, or in a new session. Names and folders may
// hold anything; tmux expands formats in them, and takes a semicolon at the end of a word for the end of a command.

interface Place {
  session: string;
  /** The pane that the new one is to stand beside; null: a window of its own. */
  beside: string | null;
  folder: string;
  /** Null: tmux names the window. */
  windowName: string | null;
}

interface NewPane {
  sessionName: string;
  paneId: string;
  /** As tmux says for `PANE_LIFE_FORMAT`. */
  life: string;
}

const TIMEOUT_MS = 10_000;
/** tmux knows the last one since 3.3. */
const FORMAT = `#{pane_id} ${PANE_LIFE_FORMAT} #{session_name}\n#{pane_start_path}`;
/** The program gets into its folder a moment after the pane is made. */
const LOOKS = 10;

/** A text as tmux takes it to the letter. It does not expand signs before a bracket, because styles begin like that. */
export const literal = (text: string): string =>
  text.replaceAll(/#+(?!#|\[)/g, (signs) => signs.repeat(2)).replace(/;$/, "\\;");

/** What tmux makes of a session's name, and a name that it can be asked for by. @throws AgtmuxError E_USAGE */
export const sessionNameOf = (name: string): string => {
  if (/[\p{Cc}:.\\]/u.test(name) || name.trim() === "" || name.length > 100)
    throw new AgtmuxError("E_USAGE", `'${name.slice(0, 60)}' cannot be the name of a session`, {
      remedy: "Take up to 100 characters without ':', '.', '\\' and control characters.",
    });
  return name;
};

const run = async (tmux: FeatureTmux, words: readonly string[], mayStart = false): Promise<string> => {
  const { exitCode, stdout, stderr, timedOut } = await tmux.run(words, { timeoutMs: TIMEOUT_MS, mayStart });
  if (exitCode === 0) return stdout;
  const why = timedOut
    ? `it did not answer within ${TIMEOUT_MS / 1_000} s`
    : (stderr.trim().split("\n")[0] ?? "");
  throw new AgtmuxError("E_TARGET_UNREACHABLE", `tmux made no pane: ${why.slice(0, 300)}`);
};

/** Its id; null where no session has exactly this name, or no server runs. */
const findSession = async (tmux: FeatureTmux, name: string): Promise<string | null> => {
  const { exitCode, stdout } = await tmux.run(["list-sessions", "-F", "#{session_id} #{session_name}"], {
    timeoutMs: TIMEOUT_MS,
  });
  if (exitCode !== 0) return null;
  const line = stdout.split("\n").find((one) => one.slice(one.indexOf(" ") + 1) === name);
  return line === undefined ? null : (/^\$\d+/.exec(line)?.[0] ?? null);
};

/**
 * tmux 3.3 to 3.6 crashes, and every session with it, when anybody makes a window while new windows have a manual size. The size
 * of a pane beside another one comes from that.
 * @throws AgtmuxError E_WORKSPACE_REFUSED
 */
const refuseCrash = async (tmux: FeatureTmux): Promise<void> => {
  const asked = ["show-options", "-gwv", "window-size", ";", "display-message", "-p", "#{version}"];
  const { stdout } = await tmux.run(asked, { timeoutMs: TIMEOUT_MS });
  const [windowSize, version] = stdout.split("\n");
  if (windowSize !== "manual" || version === undefined || !/^3\.[3-6]/.test(version)) return;
  throw new AgtmuxError(
    "E_WORKSPACE_REFUSED",
    `tmux ${version} crashes when a window is made while 'window-size' is 'manual'`,
    { remedy: "Run 'tmux set -g window-size latest', or start the agent beside a pane with --split." },
  );
};

/** The shell that tmux gives to new panes; empty where nobody knows. */
const askShell = async (target: FeatureTarget, tmux: FeatureTmux): Promise<string> => {
  const asked = await tmux.run(["show-options", "-gqv", "default-shell"], { timeoutMs: TIMEOUT_MS });
  if (asked.exitCode === 0) return asked.stdout.trim();
  // No server runs: the next one takes the person's own.
  const own = await target.run(["sh", "-c", 'printf %s "$SHELL"'], { timeoutMs: TIMEOUT_MS });
  return own.stdout.trim();
};

/** `folder` is where tmux says that it made the pane; empty where it does not say. A pane that is gone is nowhere else. */
const isInFolder = async (
  { target, tmux, clock }: Where,
  { paneId, folder, wanted }: { paneId: string; folder: string; wanted: string },
): Promise<boolean> => {
  if (folder !== "") return folder === wanted;
  const real = await target.run(["sh", "-c", 'cd -- "$1" && pwd -P', "sh", wanted], {
    timeoutMs: TIMEOUT_MS,
  });
  if (real.exitCode !== 0) return false;
  const asked = ["display-message", "-p", "-t", paneId, "#{pane_current_path}"];
  for (let look = 0; look < LOOKS; look++) {
    const { exitCode, stdout } = await tmux.run(asked, { timeoutMs: TIMEOUT_MS });
    if (exitCode !== 0 || stdout === real.stdout) return true;
    await new Promise<void>((next) => clock.setTimer(LOOK_EVERY_MS, next));
  }
  return false;
};

interface Where {
  readonly target: FeatureTarget;
  readonly tmux: FeatureTmux;
  readonly clock: Clock;
}

/** @throws AgtmuxError E_TARGET_UNREACHABLE with what tmux says. */
const makePane = async (where: Where, place: Place, command: readonly string[]): Promise<NewPane> => {
  const { tmux } = where;
  const options = ["-d", "-P", "-F", FORMAT, "-c", literal(place.folder)];
  const named = place.windowName === null ? [] : ["-n", literal(place.windowName)];
  const session = place.beside === null ? await findSession(tmux, place.session) : null;
  const isNew = place.beside === null && session === null;
  const verb =
    place.beside !== null
      ? ["split-window", ...options, "-t", place.beside]
      : session !== null
        ? ["new-window", ...options, ...named, "-t", `${session}:`]
        : ["new-session", ...options, ...named, "-s", literal(place.session), "-x", "200", "-y", "50"];
  const made = await run(tmux, [...verb, "--", ...command], isNew);
  const [, paneId, life, sessionName, folder] = /^(%\d+) (\d+ \d+ \d+) (.*)\n(.*)\n?$/.exec(made) ?? [];
  if (paneId === undefined || life === undefined || sessionName === undefined)
    throw new AgtmuxError("E_TARGET_UNREACHABLE", "tmux did not say which pane it made");
  // An agent must not work anywhere else than where it was meant to.
  if (!(await isInFolder(where, { paneId, folder: folder ?? "", wanted: place.folder }))) {
    await run(tmux, ["kill-pane", "-t", paneId]);
    throw new AgtmuxError(
      "E_WORKSPACE_REFUSED",
      `tmux does not take the folder ${place.folder} as it is named`,
    );
  }
  return { paneId, life, sessionName };
};

/** Ended runtimes are forgotten from this number on. */
const MANY = 500;

/**
 * Which session an agent was started to go on with. Many agents name it only with their next event; until then it is put into the
 * rows here, so that nobody starts the same session a second time and a tmux server's end does not lose it. Kept in memory alone.
 */
export class ResumedSessions {
  private readonly rows: FeatureContext["rows"];
  private readonly byRuntime = new Map<string, string>();

  constructor(rows: FeatureContext["rows"]) {
    this.rows = rows;
  }

  note(runtimeId: string, sessionId: string): void {
    if (this.byRuntime.size >= MANY) {
      const present = new Set(this.rows.all().map(({ identity }) => identity.runtime_id));
      for (const known of this.byRuntime.keys()) if (!present.has(known)) this.byRuntime.delete(known);
    }
    this.byRuntime.set(runtimeId, sessionId);
  }

  /** Every row, with the session where the agent itself has not named one yet. */
  all(): readonly PaneView[] {
    if (this.byRuntime.size === 0) return this.rows.all();
    return this.rows.all().map((row) => {
      const known = this.byRuntime.get(row.identity.runtime_id ?? "");
      return row.agent_session_id !== null || known === undefined ? row : { ...row, agent_session_id: known };
    });
  }
}

interface StartInput {
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
  /** Name or folder of the account that it uses; null: the one that has the session to go on with, else the usual one. */
  account: string | null;
  /** Without a pane, as a session that its agent runs in the background. */
  isBackground: boolean;
  isDryRun: boolean;
  /** How long to wait for the agent, and for its first prompt to be delivered. */
  waitMs: number;
  /** Who asks, for the audit. */
  surface: string;
}

const LOOK_EVERY_MS = 100;
/** What an agent asks as it starts is on its screen by then. */
const SETTLES_MS = 3_000;
/** It may start its supervisor first. */
const BACKGROUND_LIMIT_MS = 30_000;
const NO_PROMPT: FirstTaskOutcome = { prompt: "none", prompt_detail: "" };
const UNSTORED = "the task contains a secret, so it is kept in memory only, and lost when the daemon ends";

const refuse = (message: string, remedy: string): AgtmuxError =>
  new AgtmuxError("E_WORKSPACE_REFUSED", message, { remedy });

const findAgent = (context: FeatureContext, name: string): AgentAdapter => {
  const known = context.adapters();
  const found = known.find(({ agentType, launch }) => agentType === name || launch?.program === name);
  if (found !== undefined) return found;
  throw new AgtmuxError("E_USAGE", `there is no agent '${name.slice(0, 40)}'`, {
    remedy: `Agents that can be started: ${known.flatMap(({ agentType, launch }) => (launch === undefined ? [] : [agentType])).join(", ")}.`,
  });
};

const wordsFor = ({ agentType, displayName, launch }: AgentAdapter, resume: string | null): string[] => {
  if (launch === undefined)
    throw new AgtmuxError("E_UNSUPPORTED", `agtmux doesn't know how to start ${displayName}`, {
      remedy: "Start it yourself; agtmux finds its pane.",
    });
  if (resume !== null && launch.resume === undefined)
    throw new AgtmuxError("E_UNSUPPORTED", `agtmux doesn't know how to resume a session of ${displayName}`, {
      remedy: `Start it without --resume, and pick the session in ${agentType} itself.`,
    });
  return launchWords(launch, resume);
};

const LOOK_FOR_LIMIT_MS = 5_000;

/** Whether a log with this id in its name lies in one of the agent's folders of logs. */
const hasLog = async (target: FeatureTarget, { dataDir }: Account, agent: AgentAdapter, id: string) => {
  const roots = agent.history?.kind === "files" ? agent.history.roots : [];
  for (const { folder, depth } of roots) {
    const found = await target.run(
      ["find", `${dataDir}/${folder}/`, "-maxdepth", String(depth + 1), "-name", `*${id}*`],
      { timeoutMs: LOOK_FOR_LIMIT_MS },
    );
    if (found.stdout !== "") return true;
  }
  return false;
};

/** @throws AgtmuxError E_USAGE for an account that is not known. */
const accountOf = async (
  target: FeatureTarget,
  agent: AgentAdapter,
  { account: wanted, resume }: StartInput,
): Promise<Account | null> => {
  const [usual = null, ...others] = await target.accounts(agent);
  if (wanted !== null) {
    const found = [usual, ...others].find((one) => one?.name === wanted || one?.configDir === wanted);
    if (found !== undefined) return found;
    throw new AgtmuxError("E_USAGE", `${agent.displayName} has no account '${wanted.slice(0, 100)}'`, {
      remedy: `Known ones: ${[usual, ...others].map((one) => one?.name).join(", ")}. Name others in config.json (agents.${agent.agentType}.folders).`,
    });
  }
  if (resume !== null && others.length > 0 && SESSION_ID.test(resume))
    for (const one of others) if (await hasLog(target, one, agent, resume)) return one;
  return usual;
};

/** @throws AgtmuxError E_UNSUPPORTED, E_USAGE */
const backgroundWords = ({ background, displayName }: AgentAdapter, input: StartInput): readonly string[] => {
  if (background?.start === undefined)
    throw new AgtmuxError("E_UNSUPPORTED", `agtmux doesn't know how to start ${displayName} without a pane`, {
      remedy: "Start it without --background.",
    });
  if (input.text === null)
    throw new AgtmuxError("E_USAGE", "a background session needs a task", {
      remedy: "Give it with --text or --stdin.",
    });
  if (input.text.startsWith("-") || input.text.includes("\0"))
    throw new AgtmuxError("E_USAGE", "a task on a command line can't begin with a dash or contain NUL");
  if (input.session !== null || input.beside !== null || input.resume !== null)
    throw new AgtmuxError("E_USAGE", "--background excludes --session, --split and --resume: it has no pane");
  return background.start.words;
};

/** Two processes that write to one session would damage it. */
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
    throw new AgtmuxError("E_USAGE", `'${folder.slice(0, 100)}' isn't the full path of a folder`);
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
  private readonly deps: ConstructorParameters<typeof StartAgent>[0];

  constructor(deps: {
    context: FeatureContext;
    worktrees: Worktrees;
    firstTasks: () => FirstTasks | null;
    resumed: ResumedSessions;
  }) {
    this.deps = deps;
  }

  /** @throws AgtmuxError with what is wrong; then nothing was made, except a worktree where only the pane failed. */
  async start(input: StartInput): Promise<Started> {
    const { context, resumed } = this.deps;
    const rows = resumed.all();
    const agent = findAgent(context, input.agent);
    const plain = input.isBackground ? backgroundWords(agent, input) : wordsFor(agent, input.resume);
    if (input.resume !== null) refuseLive(rows, { ...input, agent: agent.agentType }, input.resume);
    const target = context.target(input.target);
    const words = [...inAccount(await accountOf(target, agent, input)), ...plain];
    const beside = besideOf(rows, input);
    const tmux = target.tmux(beside?.identity.tmux_server ?? input.server);
    if (beside === null && !input.isBackground) await refuseCrash(tmux);
    const asked = await folderOf(target, input.folder);
    const worktree = await this.worktreeOf(target, asked, input);
    const folder = worktree?.path ?? asked;
    const session = beside?.identity.session_name ?? sessionNameOf(input.session ?? nameOf(folder));
    const started: Started = {
      ...stamp(context.clock.now()),
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
      asks: null,
      ...NO_PROMPT,
      ...(input.text === null ? {} : { prompt: "waiting" as const }),
      warnings: sharingWarnings(rows, input.target, folder),
    };
    if (input.isDryRun) return started;
    if (input.isBackground) return this.startBackground(started, { agent, target, words, input });
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

  /** Its own command makes the session and says its name; a moment later its files are a row. */
  private async startBackground(
    started: Started,
    {
      agent,
      target,
      words,
      input,
    }: { agent: AgentAdapter; target: FeatureTarget; words: readonly string[]; input: StartInput },
  ): Promise<Started> {
    const { context } = this.deps;
    // Every shell reads a variable within quotes alike, whatever the task holds. It must not be taken for one that a pane began.
    const clean = ["env", "-u", "TMUX", "-u", "TMUX_PANE"];
    const variables = [`AGTMUX_TASK=${input.text}`, `AGTMUX_FOLDER=${started.folder}`];
    const script = `cd "$AGTMUX_FOLDER" && ${words.join(" ")} "$AGTMUX_TASK"`;
    const ran = await target.run([...clean, ...variables, ...inLoginShell(script)], {
      timeoutMs: BACKGROUND_LIMIT_MS,
    });
    const id = agent.background?.start?.printed.exec(ran.stdout)?.[1];
    if (ran.exitCode !== 0 || id === undefined)
      throw refuse(
        `${agent.displayName} started no background session: ${(ran.stderr.trim() || ran.stdout.trim()).split("\n").at(-1)?.slice(0, 300) ?? ""}`,
        "Start it once in a pane, where it asks what it needs to know.",
      );
    context.record({
      action: "start",
      surface: input.surface,
      ref: `${input.target}/bg-${id}`,
      outcome: `started ${agent.agentType} in the background`,
    });
    const until = context.clock.now() + input.waitMs;
    const find = () =>
      context.rows
        .all()
        .find(
          (row) => row.background?.id === id && row.identity.target === input.target && row.state !== null,
        );
    while (find() === undefined && context.clock.now() < until)
      await new Promise<void>((next) => context.clock.setTimer(LOOK_EVERY_MS, next));
    const row = find();
    return {
      ...started,
      session_name: "background",
      pane_ref: row?.identity.pane_ref ?? null,
      short_ref: row?.short_ref ?? `${input.target}/bg-${id}`,
      runtime_id: row?.identity.runtime_id ?? null,
      prompt: "delivered",
      warnings:
        row === undefined
          ? [...started.warnings, `it was not seen within ${Math.round(input.waitMs / 1_000)} s`]
          : started.warnings,
    };
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

  /**
   * What is known of it once its agent has a row and its prompt has gone in, or the time is over. An agent that asks something, as
   * whether the folder is trusted, is not waited for: a person answers it, and the prompt goes in afterwards.
   */
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
    let seenAt: number | null = null;
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
      const now = clock.now();
      if (hasAgent) seenAt ??= now;
      const asked = hasAgent ? row.request : null;
      const isKnown = hasAgent && (row.state !== "unknown" || now - (seenAt ?? now) >= SETTLES_MS);
      if (asked !== null || (isKnown && outcome.prompt !== "waiting") || now >= until)
        return {
          ...started,
          session_name: pane.sessionName,
          pane_id: pane.paneId,
          pane_ref: row?.identity.pane_ref ?? null,
          short_ref: row?.short_ref ?? null,
          runtime_id: runtimeId,
          asks: asked === null ? null : askedLine(asked),
          ...outcome,
          warnings: [
            ...started.warnings,
            ...(hasAgent ? [] : [`no agent appeared in its pane within ${Math.round(waitMs / 1_000)} s`]),
          ],
        };
      await new Promise<void>((next) => clock.setTimer(LOOK_EVERY_MS, next));
    }
  }
}
