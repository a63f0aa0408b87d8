// Set-up as one screen: what was found, what one button would install, installing it, and what only the person can do after it.
// The popover and `agtmux setup` draw the same. Pure but for the calls that install.
import type { IntegrationReport, SetupAgent, PersonStep, SetupLook } from "../../core/model/adapterView.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import { NOTIFIERS, type Notifier } from "../../core/model/words.ts";
import { displayLine, displaySentence } from "../text/displayText.ts";

// The one button: hooks for every agent that was shown, one after another. What an agent's settings would change by now must be
// what the person was shown; one that fails does not stop the others.

export interface InstallOutcome {
  agent: string;
  name: string;
  backups: readonly string[];
  /** Why nothing was done; null: it is installed. */
  problem: string | null;
}

/** `repair` installs what is missing, too. */
type ChangeIntegration = (input: {
  agent: string;
  action: "repair";
  folder: string;
  dryRun: boolean;
}) => Promise<IntegrationReport>;

/** An error as a person reads it. */
export const sentenceOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error instanceof AgtmuxError ? `${error.message}. ${error.remedy}` : error.message;
};

const installOne = async ({ agent, folder, changes }: SetupAgent, change: ChangeIntegration) => {
  const now = await change({ agent, folder, action: "repair", dryRun: true });
  if (JSON.stringify(now.changes) !== JSON.stringify(changes))
    return { backups: [], problem: "Its settings changed in the meantime, so nothing was done. Look again." };
  const { backups } = await change({ agent, folder, action: "repair", dryRun: false });
  return { backups, problem: null };
};

/** Never rejects: every agent has its outcome. */
export const installAll = async (
  shown: readonly SetupAgent[],
  change: ChangeIntegration,
): Promise<InstallOutcome[]> => {
  const outcomes: InstallOutcome[] = [];
  for (const one of shown) {
    const { agent, name } = one;
    try {
      outcomes.push({ agent, name, ...(await installOne(one, change)) });
    } catch (error) {
      outcomes.push({ agent, name, backups: [], problem: sentenceOf(error) });
    }
  }
  return outcomes;
};

// Notices: of an agent that notifies by itself, who tells the person, and who could.

export interface NotifyingAgent {
  agent: string;
  folder: string;
  name: string;
  /** One sentence. */
  text: string;
  /** Who tells now; null where nobody does, or it is not known. */
  now: Notifier | null;
  /** Empty where nothing can be chosen. */
  choices: readonly { who: Notifier; label: string; means: string }[];
}

const notifyingText = (name: string, notifications: NonNullable<SetupAgent["notifications"]>): string => {
  const how = notifications.how === null ? "" : ` ${displaySentence(notifications.how)}`;
  switch (notifications.told_by) {
    case "both":
      return `${name} ${notifications.what}, and so does agtmux.${notifications.path === null ? ` To be notified once:${how}` : ""}`;
    case "agtmux":
      return `Only agtmux notifies you about ${name}; the agent's own notifications are off.`;
    case "agent":
      return `Only ${name} itself notifies you: it ${notifications.what}.`;
    case "nobody":
      return `Nothing notifies you about ${name}: its own setting is off, and agtmux mutes it.`;
    case "unclear":
      return `Can't tell whether ${name} notifies you itself.${how}`;
  }
};

const choiceOf = (who: Notifier, name: string, path: string | null) => {
  switch (who) {
    case "both":
      return { who, label: "Both", means: "as now" };
    case "agtmux":
      return { who, label: "Only agtmux", means: `its own is switched off in ${displayLine(path ?? "")}` };
    case "agent":
      return { who, label: `Only ${name}`, means: "agtmux mutes it on every machine" };
  }
};

const notifyingOf = ({ agent, folder, name: given, notifications }: SetupAgent): NotifyingAgent[] => {
  if (notifications === null) return [];
  const { told_by: by, path } = notifications;
  const name = displayLine(given);
  const possible = NOTIFIERS.filter(
    (who) => by !== "unclear" && (who !== "agtmux" || path !== null) && (who !== "agent" || by !== "nobody"),
  );
  return [
    {
      agent,
      folder,
      name,
      text: notifyingText(name, notifications),
      now: by === "nobody" || by === "unclear" ? null : by,
      choices: possible.map((who) => choiceOf(who, name, path)),
    },
  ];
};

/** `open`: the button changes it. `none`: nothing can be done about it here, and nothing is wrong. */
export type SetupMark = "ok" | "open" | "problem" | "none";

export interface SetupLine {
  key: string;
  mark: SetupMark;
  name: string;
  text: string;
  /** What the button would change, for whoever asks; empty for the rest. */
  changes: SetupAgent["changes"];
}

export interface SetupScreen {
  lines: readonly SetupLine[];
  /** What the button installs, as it was shown. */
  installable: readonly SetupAgent[];
  /** Its words; null where there is nothing to install. */
  button: string | null;
  /** One sentence: where the person stands. */
  headline: string;
  /** How each step that is left is done. */
  steps: readonly PersonStep[];
  /** Of agents with hooks that notify by themselves. */
  notifications: readonly NotifyingAgent[];
  notes: readonly string[];
}

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

const NEW_FILE = /^--- .*\t\(new\)$/m;
const countLines = (diff: string, sign: "+" | "-"): number =>
  diff.split("\n").filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length;

const fileText = ({ path, diff }: SetupAgent["changes"][number]): string => {
  const shown = displayLine(path);
  if (NEW_FILE.test(diff)) return `a new file, ${shown}`;
  const removed = countLines(diff, "-");
  const lines = plural(countLines(diff, "+"), "line", "lines");
  return `${lines} into ${shown}${removed === 0 ? "" : `, ${removed} out of it`}`;
};

const changesText = (changes: SetupAgent["changes"]): string => changes.map(fileText).join("; ");

const tmuxLine = ({ tmux }: SetupLook): SetupLine => ({
  key: "tmux",
  mark: tmux.problem === null ? "ok" : "problem",
  name: `tmux${tmux.version === null ? "" : ` ${displayLine(tmux.version)}`}`,
  text: tmux.problem === null ? displayLine(tmux.path ?? "") : displaySentence(tmux.problem),
  changes: [],
});

const isInstallable = ({ state, changes }: SetupAgent): boolean =>
  (state === "absent" || state === "partial") && changes.length > 0;

const installedText = ({ steps }: SetupAgent): string =>
  ["hooks installed", ...steps.map(({ what }) => `still to do: ${displayLine(what)}`)].join("; ");

const stateOf = (agent: SetupAgent): Pick<SetupLine, "mark" | "text"> => {
  const problems = agent.problems.map(displaySentence).join(" ");
  if (isInstallable(agent))
    return {
      mark: "open",
      text: `${agent.state === "partial" ? "hooks are incomplete" : "no hooks yet"}: ${changesText(agent.changes)}`,
    };
  switch (agent.state) {
    case "installed":
      return problems === ""
        ? { mark: "ok", text: installedText(agent) }
        : { mark: "problem", text: problems };
    case "absent":
      return { mark: "none", text: problems === "" ? "no hooks" : problems };
    case "partial":
    case "unclear":
      return { mark: "problem", text: problems };
  }
};

const agentLine = (agent: SetupAgent): SetupLine => {
  const version = agent.version === null ? "" : ` ${displayLine(agent.version)}`;
  const running = agent.running === 0 ? "" : ` · ${agent.running} running`;
  return {
    key: `${agent.agent} ${agent.folder}`,
    name: `${displayLine(agent.name)}${version}${running}`,
    ...stateOf(agent),
    changes: isInstallable(agent) ? agent.changes : [],
  };
};

/** "One step left: trust the hooks in it." Null: none is left. */
const stepsText = (steps: readonly PersonStep[]): string | null => {
  const [first] = steps;
  if (first === undefined) return null;
  if (steps.length === 1) return `One step left: ${displayLine(first.what)}.`;
  return `${steps.length} steps left: ${steps.map(({ what }) => displayLine(what)).join("; ")}.`;
};

const headlineOf = ({ tmux, agents }: SetupLook, open: number, steps: readonly PersonStep[]): string => {
  if (tmux.problem !== null) return "agtmux needs tmux.";
  if (agents.length === 0) return "No agents found yet. Start one in a tmux pane and it appears here.";
  if (open > 0) return `With hooks, status is instant and exact; without, it's read from the screen.`;
  return stepsText(steps) ?? "Everything is set up.";
};

/** Agents that began before their hooks send no events until they are started again. */
const silentNote = (agents: readonly SetupAgent[]): string[] => {
  const silent = agents
    .filter(({ state }) => state === "installed")
    .reduce((sum, { silent: count }) => sum + count, 0);
  if (silent === 0) return [];
  return [
    silent === 1
      ? "One running agent has sent no event yet. If it started before its hooks were installed, restart it; until then its screen is read."
      : `${silent} running agents have sent no event yet. Restart those that started before their hooks were installed; until then their screens are read.`,
  ];
};

/** Said once, while there is something to install: a person who set agtmux up is not told again. */
const awakeNote = ({ keep_awake: keepAwake }: SetupLook, installable: number): string[] =>
  keepAwake !== "never" || installable === 0
    ? []
    : [
        "Your machine may fall asleep while agents work. To keep it awake then: 'agtmux config set keep_awake working', or Settings, General.",
      ];

export const setupScreen = (look: SetupLook): SetupScreen => {
  const installable = look.agents.filter(isInstallable);
  const steps = look.agents.filter(({ state }) => state === "installed").flatMap((agent) => agent.steps);
  return {
    lines: [tmuxLine(look), ...look.agents.map(agentLine)],
    installable,
    button: installable.length === 0 ? null : `Install for ${plural(installable.length, "agent", "agents")}`,
    headline: headlineOf(look, installable.length, steps),
    steps,
    notifications: look.agents.filter(({ state }) => state === "installed").flatMap(notifyingOf),
    notes: [...silentNote(look.agents), ...awakeNote(look, installable.length)],
  };
};
