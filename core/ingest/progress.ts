// The progress line of a runtime: which of its sources speaks, and when a change of it is told. It makes no transition
// and is not stored: after a restart it comes back with the next reading, or with the stored event that it rests on. Nor does it
// ever decide anything. It is cleaned into a steady line, because a text that ticks would be a change every second.
import { compareByTime, orderKeyOf } from "../engine/order.ts";
import { MAX_PROGRESS, ROOT_AGENT } from "../model/evidence.ts";
import type { RuntimeEntry } from "./liveState.ts";

/** More than a line of any terminal; keeps hostile text cheap. */
const MAX_INPUT = 1_000;

/** What ticks: spinners, remarks in brackets that count, durations with their preposition, tokens and bytes. */
const TICKING: readonly RegExp[] = [
  /^(?:[\u2800-\u28ff·✢✳✶✻✽∗*•]\s+)+/u,
  /\((?=[^()]*(?:\d\s?(?:ms|[smh]\b|seconds?|tokens?)|esc to))[^()]*\)/gi,
  /\b(?:(?:in|for|after)\s+)?\d+(?:\.\d+)?\s?(?:ms|s|sec|secs|seconds?|m|min|minutes?|h|hours?)\b(?:…|\.{3})?/gi,
  /[↑↓]?\s*\b\d[\d.,]*\s?k?\s?tokens?\b/gi,
  /\b\d+(?:\.\d+)?\s?[kM]?B\b/g,
];

const EDGES = /^[\s·•|,;:—–-]+|[\s·•|,;:—–-]+$/gu;

/** One line without control characters and without anything that counts time or tokens; null where nothing is left. */
export const steadyProgress = (text: string): string | null => {
  const line = text
    .slice(0, MAX_INPUT)
    // oxlint-disable-next-line no-control-regex -- agents' texts are hostile: control characters must not reach a terminal
    .replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ");
  const steady = TICKING.reduce((rest, pattern) => rest.replace(pattern, " "), line)
    .replaceAll(/\s+/g, " ")
    .replaceAll(EDGES, "");
  return steady === "" ? null : steady.slice(0, MAX_PROGRESS);
};

/** A change of the line alone is told at most this often, so that a line with a counter does not become a stream of changes. */
const PROGRESS_INTERVAL_MS = 3_000;

/** A text as an adapter gave it, made steady and free of secrets. */
export const cleanProgress = (
  text: string | null | undefined,
  redact: (text: string, maxLength: number) => string,
): string | null => {
  const steady = steadyProgress(text ?? "");
  return steady === null ? null : redact(steady, MAX_PROGRESS);
};

/** The line of the event that the present state rests on. */
const ofWinningEvent = ({ resolution, facts }: RuntimeEntry): string | null => {
  const winner = resolution?.verdicts.find(({ outcome }) => outcome === "won");
  for (const { eventId, signal } of facts.turns.values())
    if (eventId === winner?.eventId) return steadyProgress(signal.progress ?? "");
  return null;
};

/** How many sub-agents were heard of since the turn began and have not ended. */
const subAgentsAtWork = ({ facts }: RuntimeEntry): number => {
  const turnBegan = facts.boundaries.get(ROOT_AGENT);
  let count = 0;
  for (const [agentId, last] of facts.lastActivity) {
    if (agentId === ROOT_AGENT) continue;
    const ended = facts.boundaries.get(agentId);
    const isOver = [turnBegan, ended].some(
      (edge) => edge !== undefined && compareByTime(last, orderKeyOf(edge)) <= 0,
    );
    if (!isOver) count += 1;
  }
  return count;
};

const ofSubAgents = (entry: RuntimeEntry): string | null => {
  const count = entry.resolution?.status.state === "running" ? subAgentsAtWork(entry) : 0;
  return count === 0 ? null : `${count} sub-agent${count === 1 ? "" : "s"}`;
};

/** A line counts only if it was read in the state that is shown: a spinner's line says nothing of a dialog. */
const wantedProgress = (entry: RuntimeEntry): string | null => {
  const { resolution, progress } = entry;
  if (resolution === null || resolution.status.state === "unknown") return null;
  for (const read of [progress.poller, progress.transcript])
    if (read?.state === resolution.status.state && read.text !== null) return read.text;
  return ofWinningEvent(entry) ?? ofSubAgents(entry) ?? progress.files;
};

/** True when the line has changed and its last change was told long enough ago. */
export const isProgressDue = (entry: RuntimeEntry, now: number): boolean =>
  now - entry.progress.shownAt >= PROGRESS_INTERVAL_MS && wantedProgress(entry) !== entry.progress.shown;

/** Takes the present line into what clients see; a row that is told of anyway (`isTold`) takes it along at once. */
export const showProgress = (entry: RuntimeEntry, now: number, isTold: boolean): void => {
  if (!isTold && !isProgressDue(entry, now)) return;
  const shown = wantedProgress(entry);
  if (shown !== entry.progress.shown) entry.progress = { ...entry.progress, shown, shownAt: now };
};
