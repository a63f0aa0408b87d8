// How a row tells the work: what was asked, who does it and where, what it does now, and since when. The popover, the picker, the
// lists of the command line and the notifications take their words from here, so that a change of wording is made once. Pure.
import { folderOf } from "../../core/model/rowTitle.ts";
import type { CanonicalState } from "../../core/model/state.ts";
import type { PaneView } from "../../core/model/view.ts";
import { formatAge } from "../../core/model/words.ts";
import { displayLine } from "./displayText.ts";
import { agentName } from "./paneText.ts";
import { workText } from "./workText.ts";
import { changesText, sharesText } from "./workspaceText.ts";

export { rowTitle } from "../../core/model/rowTitle.ts";
export { workText } from "./workText.ts";

export interface RowPart {
  kind: "agent" | "machine" | "place" | "branch" | "changes" | "warning" | "work" | "armed";
  text: string;
}

/**
 * The second line, part by part: agent, machine (only where there are several), repository (else the folder) and branch, what is not
 * committed there, who else works there, what it does now,
 * and what is armed for it. Parts that nobody told are left out.
 */
export const rowParts = (pane: PaneView, { hasMachines }: { hasMachines: boolean }): RowPart[] => {
  const { activity, identity } = pane;
  const parts: RowPart[] = [
    { kind: "agent", text: agentName(pane) },
    { kind: "machine", text: hasMachines ? displayLine(identity.target) : "" },
    { kind: "place", text: displayLine(activity?.repository ?? "") || folderOf(pane) },
    { kind: "branch", text: displayLine(activity?.branch ?? "") },
    { kind: "changes", text: changesText(pane) },
    { kind: "warning", text: sharesText(pane, { hasMachines }) },
    { kind: "work", text: workText(pane) },
    { kind: "armed", text: displayLine(pane.armed ?? "") },
  ];
  return parts.filter(({ text }) => text !== "");
};

/** Since when the row's age counts: the turn while it works, else the state. Null: nobody knows. */
export const rowSince = ({ state, since, activity }: PaneView): string | null =>
  state === "running" ? (activity?.turn_began_at ?? since) : since;

/** `3m`; empty where nobody knows. */
export const rowAge = (pane: PaneView, now: number): string => {
  const since = rowSince(pane);
  return since === null ? "" : formatAge(now - Date.parse(since));
};

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
  if (state !== "waiting_approval" && state !== "waiting_input") return null;
  const tone = state === "waiting_approval" ? "approval" : "question";
  if (request !== null) return { tone, text: BADGES[request.kind] };
  if (reason === "auth_needed") return { tone, text: "Sign in" };
  return { tone, text: state === "waiting_approval" ? "Approve" : "Question" };
};

/** What is counted and chosen by: a state, or what finished and nobody has looked at. */
export type Counted = CanonicalState | "unread";

/** It finished, and nobody has looked since. What crashed needs the person anyway; of what is unknown nobody knows that it is done. */
export const isUnreadDone = ({ unread_since: since, needs_action: needsAction, state }: PaneView): boolean =>
  since !== null && !needsAction && state !== "unknown";

export interface Total {
  key: "needs" | "working" | "done";
  count: number;
  /** `4 need you`. */
  text: string;
  /** What it counts; a click on it shows only these. */
  states: readonly Counted[];
}

const NEEDS = ["waiting_approval", "waiting_input", "error"] as const;

/** The totals in words, those of nothing left out: `4 need you`, `8 working`, `2 done`. What was seen is not done any more. */
export const totalsOf = (counts: Readonly<Record<Counted, number>>): Total[] => {
  const needs = NEEDS.reduce((sum, state) => sum + counts[state], 0);
  const totals: Total[] = [
    { key: "needs", count: needs, text: `${needs} ${needs === 1 ? "needs" : "need"} you`, states: NEEDS },
    { key: "working", count: counts.running, text: `${counts.running} working`, states: ["running"] },
    { key: "done", count: counts.unread, text: `${counts.unread} done`, states: ["unread"] },
  ];
  return totals.filter(({ count }) => count > 0);
};
