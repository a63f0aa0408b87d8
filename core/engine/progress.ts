// The progress line: what an agent says of its work beside its state. It never decides anything. Pure. This cleans it into a
// steady line: a text that ticks would be a change every second.
import { MAX_PROGRESS } from "../model/evidence.ts";

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
