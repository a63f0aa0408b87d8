// What a pane shows and has shown, bounded and made safe for a terminal. It changes nothing; it goes through the gate all
// the same, so that what is shown is the pane that was meant and the look is on record.
import { AgtmuxError } from "../model/errors.ts";
import { MAX_OUTPUT_BYTES, MAX_OUTPUT_LINES, type PaneOutput } from "../model/actionView.ts";
import type { Pane } from "../model/runtime.ts";
import { cleanText } from "../tmux/cleanText.ts";
import type { PaneClient } from "./paneClient.ts";
import type { VerifiedAction } from "./prepare.ts";

const MAX_LINE = 20_000;
// oxlint-disable-next-line no-control-regex -- it is what this is about
const SGR = /\u001b\[[0-9;:]*m/g;
// Strings that a terminal swallows up to their end: titles, links, device control.
// oxlint-disable-next-line no-control-regex -- it is what this is about
const TERMINAL_STRING = /\u001b[\]P^_X][^\u0007\u001b]*(?:\u0007|\u001b\\|$)/g;
// oxlint-disable-next-line no-control-regex -- it is what this is about
const OTHER_SEQUENCE = /\u001b(?:\[[0-9;:<=>?]*[ -/]*[@-~]|[ -/]*[0-~])?/g;
const RESET = "\u001b[0m";

const cleanPart = (text: string): string =>
  cleanText(text.replace(TERMINAL_STRING, "").replace(OTHER_SEQUENCE, ""), MAX_LINE);
const cleanPlain = (line: string): string => cleanPart(line).trimEnd();

/** Colours stay, everything else that a terminal would obey goes. */
export const keepColours = (line: string): string => {
  const safe = line.replace(TERMINAL_STRING, "");
  const colours = safe.match(SGR) ?? [];
  if (colours.length === 0) return cleanPlain(safe);
  const texts = safe.split(SGR).map(cleanPart);
  return `${texts.map((text, index) => `${text}${colours[index] ?? ""}`).join("")}${RESET}`;
};

const isBlank = (line: string): boolean => line.replace(SGR, "").trim() === "";

/** The newest lines within both bounds. */
export const boundLines = (all: readonly string[], maxLines: number): Pick<PaneOutput, "lines" | "cut"> => {
  const lines: string[] = [];
  let bytes = 0;
  for (const line of all.toReversed()) {
    if (lines.length === maxLines) return { lines: lines.toReversed(), cut: "lines" };
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > MAX_OUTPUT_BYTES) return { lines: lines.toReversed(), cut: "bytes" };
    lines.push(line);
  }
  return { lines: lines.toReversed(), cut: "none" };
};

/**
 * The last `lines` (1 to 10,000) of scrollback and screen, at most 1 MB, blank ones at the end left out. Without `ansi` no
 * control character is left; with it only colours and attributes.
 * @throws AgtmuxError E_STALE_SNAPSHOT when the pane has gone.
 */
export const viewOutput = async (input: {
  action: VerifiedAction;
  pane: Pane;
  client: PaneClient;
  lines: number;
  ansi: boolean;
}): Promise<Pick<PaneOutput, "lines" | "cut" | "is_alternate" | "has_ansi">> => {
  const { pane, client, ansi } = input;
  const wanted = Math.min(Math.max(1, Math.trunc(input.lines)), MAX_OUTPUT_LINES);
  const gone = () => new AgtmuxError("E_STALE_SNAPSHOT", `${input.action.subject.paneRef} is gone.`);
  const capture = await client.capture(pane);
  if (capture === null || capture.panePid !== pane.panePid) throw gone();
  // Above the alternate screen tmux still holds what was there before the program: not this program's output.
  const scrollback = capture.isAlternate ? 0 : wanted;
  // One row more than asked, to know whether something was left out.
  const raw = await client.readScrollback(pane, { scrollback: scrollback === 0 ? 0 : scrollback + 1, ansi });
  if (raw === null) throw gone();
  const clean = raw.map(ansi ? keepColours : cleanPlain);
  const last = clean.findLastIndex((line) => !isBlank(line));
  return {
    ...boundLines(clean.slice(0, last + 1), wanted),
    is_alternate: capture.isAlternate,
    has_ansi: ansi,
  };
};
