// Dialogs of a start: trust in a folder, first-run screens, and the offer of another mode. Sources: trust and offer recorded with
// 2.1.329; the first-run screens by their vendor's wording, hence medium.
import type { Reading } from "../../../core/ports/agentAdapter.ts";
import { withoutBlankEnds } from "../../common/frames.ts";
import { indentOf, joined, movesTo } from "../../common/screenText.ts";
import { readPlainOptions } from "../../common/selector.ts";
import { TRUST_APPROVAL } from "../../common/signals.ts";
import { reading, type Dialog } from "./dialog.ts";
import { isRule } from "./layout.ts";

type Option = Dialog["selector"]["options"][number];

const OFFER = /^ {0,2}Make auto mode your default permission mode\?$/;

/** The folder stands alone between two blank lines; null where a part of it may be out of sight. */
const workspaceOf = (lines: readonly string[]): string | null => {
  const heading = lines.findIndex((line) => /^ ?Accessing workspace:$/.test(line));
  const rows = lines.slice(heading + 1).map((row) => row.trim());
  const from = rows.findIndex((row) => row !== "");
  const end = rows.indexOf("", from);
  return heading < 0 || end <= from ? null : rows.slice(from, end).join("\n");
};

/** The other option leaves the agent: its keys are none that anybody should press from afar. */
const toTrustOption = (option: Option): Option =>
  option.label === "Yes, I trust this folder" ? { ...option, role: "approve" } : { ...option, keys: null };

export const readTrust = (dialog: Dialog): Reading | null => {
  const text = joined(dialog.lines.slice(0, dialog.selector.start));
  const isTrust = /Quick safety check|Do you trust the files in this folder\?/.test(text);
  if (!isTrust || !dialog.selector.options.some((option) => /trust|proceed/i.test(option.label))) return null;
  const workspace = workspaceOf(dialog.lines);
  return reading(
    TRUST_APPROVAL,
    "high",
    `Quick safety check / ${dialog.footer}`,
    {
      kind: "trust",
      title: "Trust this folder?",
      body: workspace,
      columns: Math.max(1, dialog.width - 2),
      options: dialog.selector.options.map(toTrustOption),
      isWhole: dialog.hasRule && !dialog.isScrolled && workspace !== null,
    },
    dialog,
  );
};

/** First-run screens and one-time offers: not recorded, known by their vendor's wording. */
const FIRST_RUN: readonly { pattern: RegExp; reasonCode: "onboarding" | "auth_needed" }[] = [
  { pattern: /Select login method/, reasonCode: "auth_needed" },
  { pattern: /Detected a custom API key in your environment/, reasonCode: "auth_needed" },
  { pattern: /Choose the text style that looks best/, reasonCode: "onboarding" },
  { pattern: OFFER, reasonCode: "onboarding" },
];

export const readFirstRun = (dialog: Dialog): Reading | null => {
  for (const { pattern, reasonCode } of FIRST_RUN) {
    const line = dialog.lines
      .slice(0, dialog.selector.start)
      .findLast((text) => pattern.test(text) && indentOf(text) <= 1);
    if (line !== undefined)
      return reading(
        { state: "waiting_input", reasonCode },
        "medium",
        line,
        { kind: "other", title: line, options: dialog.selector.options },
        dialog,
      );
  }
  return null;
};

/** Options without digits: the mark moves to one, and Enter chooses it. Whoever answers sees that it moved. */
const OFFERED = { mark: "❯", maxIndent: 4, isWrapped: false };

/** The offer stands alone below a rule, without a line of keys; its options are the last text on the screen. */
export const readOffer = (screen: readonly string[], width: number): Reading | null => {
  const top = screen.findLastIndex(isRule);
  const lines = screen.slice(top + 1);
  const selector = top < 0 ? null : readPlainOptions(lines, lines.length, OFFERED);
  if (selector === null || selector.end !== lines.length) return null;
  const [title = "", ...rows] = withoutBlankEnds(lines.slice(0, selector.start));
  if (!OFFER.test(title) || indentOf(title) > 2) return null;
  return reading(
    { state: "waiting_input", reasonCode: "onboarding" },
    "high",
    title,
    {
      kind: "other",
      title,
      body: withoutBlankEnds(rows)
        .map((row) => row.trim())
        .join("\n"),
      columns: Math.max(1, width - 4),
      options: selector.labels.map((label, index) => ({ label, keys: movesTo(index, selector.marked) })),
      isWhole: true,
    },
    { top },
  );
};

const CONFIRMS = /^ {1,2}Enter to confirm · Esc to cancel$/;
/** Of a folder beside the project's, one column further out (2.1.329, `--add-dir`). */
const ADDS_FOLDER = /^ Adding a new directory:$/;

/**
 * What it asks before it begins, below a rule: whether a server of the project may be used, a key be taken, prompts be left out. One of
 * its options may leave the agent or open everything, so that none of them has keys. Recorded with 2.1.329.
 */
export const readConfirmation = (screen: readonly string[], width: number): Reading | null => {
  const top = screen.findLastIndex(isRule);
  const lines = screen.slice(top + 1);
  if (top < 0 || !CONFIRMS.test(lines.at(-1) ?? "")) return null;
  const selector = readPlainOptions(lines, lines.length - 1, OFFERED);
  if (selector === null) return null;
  const [title = "", ...rows] = withoutBlankEnds(lines.slice(0, selector.start));
  if (indentOf(title) !== 2 && !ADDS_FOLDER.test(title)) return null;
  return reading(
    { state: "waiting_input", reasonCode: /\bAPI key\b/.test(title) ? "auth_needed" : "onboarding" },
    "high",
    title,
    {
      kind: "other",
      title: title.trim(),
      body: withoutBlankEnds(rows)
        .map((row) => row.trim())
        .join("\n"),
      columns: Math.max(1, width - 4),
      options: selector.labels.map((label) => ({ label, keys: null })),
      isWhole: true,
    },
    { top },
  );
};
