// Sessions of agents, for the popover and the picker: the form that starts one, and the words of those that agents keep. Pure.
import type { HistoryHit, HistorySession } from "../../core/model/history.ts";
import type { Started, StartableAgent } from "../../core/model/workspace.ts";
import type { PaneView } from "../../core/model/view.ts";
import { displayLine, displaySentence } from "./displayText.ts";

// The form: what it asks of the daemon, which folders it offers, and what it says afterwards.

/** As it was typed. `agent`: its type; after a blank the account with which it starts, where that is not the usual one. */
export interface StartForm {
  agent: string;
  target: string;
  folder: string;
  branch: string;
  text: string;
}

export type StartedView = Pick<
  Started,
  | "command"
  | "session_name"
  | "pane_ref"
  | "short_ref"
  | "runtime_id"
  | "folder"
  | "worktree"
  | "asks"
  | "prompt"
  | "prompt_detail"
  | "warnings"
>;

/** Null: something that is needed is missing. */
export const startInput = ({ agent: chosen, target, folder, branch, text }: StartForm) => {
  if (chosen === "" || target === "" || folder.trim() === "") return null;
  const [agent = "", ...account] = chosen.split(" ");
  return {
    agent,
    account: account.length === 0 ? null : account.join(" "),
    target,
    folder: folder.trim(),
    worktree: branch.trim() === "" ? null : { branch: branch.trim(), base: null },
    text: text.trim() === "" ? null : text,
  };
};

/** Null: it is open in a pane already, or its log does not say where it worked. */
export const resumeInput = ({ identity, folder, pane_ref }: HistorySession) =>
  folder === null || pane_ref !== null
    ? null
    : { agent: identity.agent, target: identity.target, folder, resume: identity.session_id };

/** Of the agents that can be started, the one that is meant most likely; empty where none is found. */
export const agentToStart = (agents: readonly StartableAgent[]): string =>
  agents.find(({ is_found: isFound }) => isFound !== false)?.agent ?? "";

/** The session of a pane, as history takes it. */
const sessionRefOf = ({ agent, agent_session_id: id }: PaneView): string => `${agent}:${id}`;

/** What history is asked for, of a client of either surface. */
interface HandoffCalls {
  readonly refresh: () => Promise<{ isDone: boolean }>;
  readonly handoff: (ref: string) => Promise<{ text: string }>;
}

/** A first scan of all sessions may take several calls. */
const MAX_REFRESHES = 60;

/** What the next agent is told: of the session as its log stands now. @throws where the session cannot be read. */
export const readHandoff = async (from: PaneView, { refresh, handoff }: HandoffCalls): Promise<string> => {
  for (let left = MAX_REFRESHES; left > 0 && !(await refresh()).isDone; left -= 1);
  return (await handoff(sessionRefOf(from))).text;
};

const folderOf = ({ activity }: PaneView): string | null => activity?.work_tree ?? activity?.folder ?? null;

/** Where the selected agent works, if it is on that machine; else where one began to work last. Empty where nobody knows. */
export const folderToStartIn = (
  panes: readonly PaneView[],
  selected: PaneView | null,
  target: string,
): string => {
  const here = panes.filter(({ identity }) => identity.target === target);
  const beganAt = ({ activity, since }: PaneView): string => activity?.turn_began_at ?? since ?? "";
  const latest = here.toSorted((one, other) => (beganAt(one) < beganAt(other) ? 1 : -1));
  const own = selected?.identity.target === target ? [selected] : [];
  return [...own, ...latest].map(folderOf).find((folder) => folder !== null) ?? "";
};

const MAX_FOLDERS = 30;

/** Where agents of a machine work: the top of the worktree where there is one. */
export const foldersOf = (panes: readonly PaneView[], target: string): string[] => {
  const known = panes.flatMap((pane) => {
    const folder = folderOf(pane);
    return pane.identity.target === target && folder !== null ? [folder] : [];
  });
  return [...new Set(known)].toSorted().slice(0, MAX_FOLDERS);
};

const PROMPT_TEXT: Readonly<Record<Started["prompt"], string>> = {
  none: "",
  waiting: "The task is sent once the agent is ready.",
  delivered: "The task was sent.",
  not_delivered: "The task was not sent",
  unverified: "The task was sent, but its effect was not seen",
  dropped: "The task was not sent",
};

/** What it asked as it started, and that a person answers it; the surface that shows the request itself says only how. */
const asksText = ({ asks }: StartedView): string =>
  asks === null ? "" : displaySentence(`It asks first: ${asks} \u2014 answer it in its row`);

/** The row of the agent that was started, while that very agent is in its pane; null where it isn't seen. */
export const startedPane = (
  { pane_ref: ref, runtime_id: runtimeId }: StartedView,
  panes: ReadonlyMap<string, PaneView>,
): PaneView | null => {
  const pane = ref === null ? undefined : panes.get(ref);
  return pane === undefined || runtimeId === null || pane.identity.runtime_id !== runtimeId ? null : pane;
};

/** What came of a start, sentence by sentence. */
export const startedText = (started: StartedView): string[] => {
  const {
    command,
    session_name: session,
    short_ref: ref,
    folder,
    worktree,
    prompt,
    prompt_detail: detail,
  } = started;
  const said = PROMPT_TEXT[prompt];
  const isOpen = said !== "" && !said.endsWith(".");
  return [
    `${displayLine(command)} runs in session ${displayLine(session)}${ref === null ? "" : ` (${displayLine(ref)})`}, in ${displayLine(folder)}.`,
    worktree?.is_new === true ? `Created a worktree for branch ${displayLine(worktree.branch)}.` : "",
    asksText(started),
    isOpen ? displaySentence(`${said}: ${detail}`) : said,
    ...started.warnings.map((warning) => displaySentence(warning)),
  ].filter((line) => line !== "");
};

/** Its name; without one, what was asked first. */
export const sessionTitle = ({ title, first_prompt, agent_name }: HistorySession): string =>
  displayLine(title ?? first_prompt ?? `Session of ${agent_name}`);

const folderName = (folder: string): string => folder.split("/").findLast((part) => part !== "") ?? "/";

/** The name of the local target, repeated here because a terminal that draws sessions must not load the schemas for it. */
export const THIS_MACHINE = "host";

/** Its machine where that is another one, agent, folder and branch. */
export const sessionPlace = ({ identity, agent_name, folder, branch }: HistorySession): string =>
  [
    identity.target === THIS_MACHINE ? null : identity.target,
    agent_name,
    folder === null ? null : folderName(folder),
    branch,
  ]
    .filter((part) => part !== null)
    .map(displayLine)
    .join(" \u00b7 ");

export const sessionKey = ({ identity }: HistorySession): string =>
  `${identity.agent}:${identity.session_id}`;

/** The most entries that a hit shows. */
const MAX_MATCHES = 3;

const isSameSession = (one: HistorySession, other: HistorySession): boolean =>
  one.identity.target === other.identity.target && sessionKey(one) === sessionKey(other);

/**
 * The hits so far, and those of the next page. A page may end in the middle of a session, which then begins the next page: it is
 * one hit.
 */
export const joinHits = (hits: readonly HistoryHit[], page: readonly HistoryHit[]): HistoryHit[] => {
  const [last, [next, ...rest]] = [hits.at(-1), page];
  if (last === undefined || next === undefined || !isSameSession(last.session, next.session))
    return [...hits, ...page];
  const matches = [...last.matches, ...next.matches];
  const joined = {
    ...last,
    matches: matches.slice(0, MAX_MATCHES),
    has_more: last.has_more || next.has_more || matches.length > MAX_MATCHES,
  };
  return [...hits.slice(0, -1), joined, ...rest];
};
