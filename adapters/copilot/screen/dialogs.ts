// Dialogs of Copilot CLI: permissions and folder trust in a frame, questions between two rules. They replace the input box
// and end the screen; frame or rules, the footer and a known question together are the proof. Source: frames recorded with
// 1.0.102; the file question in the words of measurements.
import type { PromptRequest } from "../../../core/model/request.ts";
import type { Confidence, Status } from "../../../core/model/state.ts";
import type { Reading } from "../../../core/ports/agentAdapter.ts";
import { frameAtBottom, splitInnerFrame, withoutBlankEnds } from "../../common/frames.ts";
import { boundedText, oneLine } from "../../common/payload.ts";
import { withRoles } from "../../common/roles.ts";
import { asks, isBlank, joined, movesTo } from "../../common/screenText.ts";
import {
  optionsOf,
  readNumberedOptions,
  readPlainOptions,
  splitFooter,
  type Selector,
} from "../../common/selector.ts";
import { isRule } from "./layout.ts";

const FORM = { mark: "❯", maxIndent: 4, isWrapped: true };
const SELECT_FOOTER = /to navigate\b.*\benter to select/;
const ANSWER_FOOTER = /\benter (accept|submit|select|to (accept|submit))\b.*\besc (to )?cancel/;
const RUN = /^Do you want to (run|execute) /;
const EDIT = /^Do you want to (create|edit|overwrite|write|update|modify|delete|apply|make)\b/;
const PLAN = /^Do you want to .*\bplan\b|\bapprove this plan\b/i;
const OTHER = /^Do you want to /;
const TRUST = /^Do you trust the files in this folder\?/;
const ASKS = /^Copilot (needs information|is asking|asks|has a question)/;

interface Dialog {
  /** The frame's lines above the selector. */
  lines: readonly string[];
  selector: Selector;
}

/** The paragraph directly above the selector. */
const questionOf = (lines: readonly string[]): string => {
  const text = withoutBlankEnds(lines);
  const gap = text.findLastIndex((line) => isBlank(line) || /^\s?[╭╰│─]/.test(line));
  return joined(text.slice(gap + 1));
};

interface Rule {
  pattern: RegExp;
  status: Status;
  kind: PromptRequest["kind"];
  confidence: Confidence;
}

/** First match wins. */
const PERMISSIONS: readonly Rule[] = [
  {
    pattern: RUN,
    status: { state: "waiting_approval", reasonCode: "permission_tool" },
    kind: "command",
    confidence: "high",
  },
  {
    pattern: PLAN,
    status: { state: "waiting_approval", reasonCode: "plan" },
    kind: "plan",
    confidence: "medium",
  },
  {
    pattern: EDIT,
    status: { state: "waiting_approval", reasonCode: "permission_edit" },
    kind: "edit",
    confidence: "high",
  },
  {
    pattern: OTHER,
    status: { state: "waiting_approval", reasonCode: "permission_tool" },
    kind: "tool",
    confidence: "medium",
  },
];

/** `Do you want to create edit.txt?`: the file. */
const fileOf = (question: string): string | null =>
  /^Do you want to \w+ (\S.*)\?$/.exec(question)?.[1] ?? null;

/** Recorded with 1.0.102. */
const PERMISSION_ROLES = {
  approve: /^Yes$/,
  always: /^Yes, and don't ask again\b/,
  deny: /^No, and tell Copilot what to do differently\b/,
};

const readPermission = ({ lines, selector }: Dialog, footer: string): Reading | null => {
  const question = questionOf(lines);
  const rule = PERMISSIONS.find(({ pattern }) => pattern.test(question));
  if (rule === undefined) return null;
  const framed = withoutBlankEnds(splitInnerFrame(lines)?.inner ?? []).join("\n");
  const body = rule.kind === "edit" ? (fileOf(question) ?? framed) : framed;
  const heading = oneLine(withoutBlankEnds(lines)[0] ?? "");
  return asks(rule.status, rule.confidence, `${question} / ${footer}`, {
    kind: rule.kind,
    title: rule.kind === "edit" || heading === "" ? oneLine(question) : heading,
    body: body === "" ? null : boundedText(body),
    toolName: null,
    options: withRoles(
      optionsOf(selector, (index) => (index < 9 ? [String(index + 1)] : null)),
      PERMISSION_ROLES,
    ),
  });
};

const readTrust = ({ lines, selector }: Dialog, footer: string): Reading | null => {
  if (!TRUST.test(questionOf(lines))) return null;
  const folder = joined(splitInnerFrame(lines)?.inner ?? []);
  return asks(
    { state: "waiting_approval", reasonCode: "trust" },
    "high",
    `${questionOf(lines)} / ${footer}`,
    {
      kind: "trust",
      title: "Do you trust the files in this folder?",
      body: folder === "" ? null : boundedText(folder),
      toolName: null,
      options: optionsOf(selector, (index) => movesTo(index, selector.marked)),
    },
  );
};

const readFramed = (lines: readonly string[]): Reading | null => {
  const frame = frameAtBottom(lines);
  if (frame === null) return null;
  const { footer, end } = splitFooter(frame.content);
  if (!SELECT_FOOTER.test(footer)) return null;
  const selector = readNumberedOptions(frame.content, end, FORM);
  if (selector === null) return null;
  const dialog = { lines: frame.content.slice(0, selector.start), selector };
  return readTrust(dialog, footer) ?? readPermission(dialog, footer);
};

/** The question's text: what stands above the name of the field that takes the answer. */
const questionText = (lines: readonly string[]): string => {
  const text = withoutBlankEnds(lines);
  const field = text.findLastIndex((line) => /^ \S.*:$/.test(line));
  return joined(field > 0 ? text.slice(0, field) : text);
};

/** It ends in the name of a field and the field. */
const isField = (lines: readonly string[]): boolean => {
  const [name = "", ...rest] = withoutBlankEnds(lines).slice(-2);
  return /^ \S.*:$/.test(name) && rest.length === 1;
};

const readQuestion = (lines: readonly string[]): Reading | null => {
  if (!isRule(lines.at(-1) ?? "")) return null;
  const upper = lines.slice(0, -1).findLastIndex(isRule);
  const content = withoutBlankEnds(lines.slice(upper + 1, -1));
  if (upper < 0 || !ASKS.test((content[0] ?? "").trim())) return null;
  const { footer, end } = splitFooter(content);
  if (!ANSWER_FOOTER.test(footer)) return null;
  const selector = readPlainOptions(content, end, FORM);
  const text = questionText(content.slice(1, selector?.start ?? end));
  return asks({ state: "waiting_input", reasonCode: "question" }, "high", `${text} / ${footer}`, {
    kind: "question",
    title: oneLine(text) || "Copilot needs information",
    body: text === "" ? null : boundedText(text),
    toolName: "ask_user",
    options:
      selector === null
        ? []
        : optionsOf(selector, (index, label) =>
            label.startsWith("Other (") ? null : movesTo(index, selector.marked),
          ),
    // A form without options has one field, whose footer says that Enter accepts what stands there.
    ...(selector === null && isField(content.slice(0, end)) ? { textEntry: [] } : {}),
  });
};

/** What the dialog that ends the screen asks, or null. Call only where no input box is at the bottom. */
export const readDialog = (lines: readonly string[]): Reading | null =>
  readFramed(lines) ?? readQuestion(lines);
