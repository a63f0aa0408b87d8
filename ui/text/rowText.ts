// How a row tells the work: what was asked, who does it and where, what it does now, and since when. The popover, the picker, the
// lists of the command line and the notifications take their words from here, so that a change of wording is made once. Pure.
import { isWaiting, type CanonicalState } from "../../core/model/state.ts";
import type { PaneView } from "../../core/model/view.ts";
import { STATE_WORDS, toolText } from "../../core/model/words.ts";
import { displayLine } from "./displayText.ts";
import { agentName, paneName, reasonWords } from "./paneText.ts";

export interface RowTitle {
  text: string;
  /** What the person asked, the agent's own name for its session, or only the window's name. */
  source: "prompt" | "session" | "window";
}

/** The row's title: the work, where anybody told it. */
export const rowTitle = (pane: PaneView): RowTitle => {
  const prompt = displayLine(pane.activity?.prompt ?? "");
  if (prompt !== "") return { text: prompt, source: "prompt" };
  return { text: paneName(pane), source: "window" };
};

export interface RowPart {
  kind: "agent" | "machine" | "place" | "branch" | "work";
  text: string;
}

const lastName = (path: string): string => path.split("/").findLast((name) => name !== "") ?? path;

/** What it does now, in a few words: the running tool, what it said last, or why it is in its state. */
export const workText = (pane: PaneView): string => {
  const { state, activity, progress } = pane;
  const tool = activity?.tool ?? null;
  const said = displayLine(activity?.said ?? "");
  const reason = reasonWords(pane.reason_code);
  const beside = displayLine(progress ?? "");
  const join = (...parts: readonly string[]): string => parts.filter((part) => part !== "").join(" · ");
  switch (state) {
    case "running":
      return join(tool === null ? reason : `running ${displayLine(toolText(tool))}`, beside);
    case "completed":
      return join(said === "" ? STATE_WORDS.completed : said, beside);
    case "waiting_approval":
    case "waiting_input":
      // What it asks is shown by itself.
      return beside;
    case "error":
    case "idle":
    case "unknown":
      return join(reason === "" ? STATE_WORDS[state] : reason, beside);
    case null:
      return "no agent";
  }
};

/**
 * The second line, part by part: agent, machine (only where there are several), folder and branch, and what it does now. Parts
 * that nobody told are left out.
 */
export const rowParts = (pane: PaneView, { hasMachines }: { hasMachines: boolean }): RowPart[] => {
  const { activity, identity } = pane;
  const parts: RowPart[] = [
    { kind: "agent", text: agentName(pane) },
    { kind: "machine", text: hasMachines ? displayLine(identity.target) : "" },
    { kind: "place", text: displayLine(lastName(activity?.folder ?? "")) },
    { kind: "branch", text: displayLine(activity?.branch ?? "") },
    { kind: "work", text: workText(pane) },
  ];
  return parts.filter(({ text }) => text !== "");
};

/** Since when the row's age counts: the turn while it works, else the state. Null: nobody knows. */
export const rowSince = ({ state, since, activity }: PaneView): string | null =>
  state === "running" ? (activity?.turn_began_at ?? since) : since;

const BADGES = {
  command: "Approve",
  edit: "Edit",
  plan: "Plan",
  trust: "Trust",
  tool: "Approve",
  question: "Question",
  other: "Asks",
} as const;

export interface CardBadge {
  tone: "approval" | "question" | "error";
  text: string;
}

const ERROR_BADGES: Readonly<Record<string, string>> = {
  usage_limit: "Limit",
  rate_limited: "Limit",
  auth_failed: "Sign in",
  crashed: "Crashed",
};

/** The one word of a card that says why it is there; null for a row that needs nobody. */
export const cardBadge = ({ state, request, reason_code: reason }: PaneView): CardBadge | null => {
  if (state === "error") return { tone: "error", text: ERROR_BADGES[reason ?? ""] ?? "Error" };
  if (state === null || !isWaiting(state)) return null;
  const tone = state === "waiting_approval" ? "approval" : "question";
  if (request !== null) return { tone, text: BADGES[request.kind] };
  if (reason === "auth_needed") return { tone, text: "Sign in" };
  return { tone, text: state === "waiting_approval" ? "Approve" : "Question" };
};

export interface Total {
  key: "needs" | "working" | "done";
  count: number;
  /** `4 need you`. */
  text: string;
  /** The states that it counts; a click on it shows only these. */
  states: readonly CanonicalState[];
}

const NEEDS = ["waiting_approval", "waiting_input", "error"] as const;

/** The totals in words, those of nothing left out: `4 need you`, `8 working`, `2 done`. */
export const totalsOf = (counts: Readonly<Record<CanonicalState, number>>): Total[] => {
  const needs = NEEDS.reduce((sum, state) => sum + counts[state], 0);
  const totals: Total[] = [
    { key: "needs", count: needs, text: `${needs} ${needs === 1 ? "needs" : "need"} you`, states: NEEDS },
    { key: "working", count: counts.running, text: `${counts.running} working`, states: ["running"] },
    { key: "done", count: counts.completed, text: `${counts.completed} done`, states: ["completed"] },
  ];
  return totals.filter(({ count }) => count > 0);
};
