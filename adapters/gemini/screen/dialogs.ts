// Dialogs of Gemini CLI: permissions, questions, folder trust. They replace the input box and end the screen in their
// frame; the frame, its selector and the question in it together are the proof. Sources: frames recorded with 0.61.0
// (shell permission, question, trust); the other questions in the words of the program's own source, hence medium.
import type { PromptRequest } from "../../../core/model/request.ts";
import type { Confidence, Status } from "../../../core/model/state.ts";
import type { Reading } from "../../../core/ports/agentAdapter.ts";
import { boundedText, oneLine } from "../../common/payload.ts";
import { frameAtBottom, splitInnerFrame, withoutBlankEnds } from "../../common/frames.ts";
import { withRoles } from "../../common/roles.ts";
import { asks, isBlank, joined, movesTo } from "../../common/screenText.ts";
import { optionsOf, readNumberedOptions, splitFooter, type Selector } from "../../common/selector.ts";
import type { TitleState } from "./layout.ts";

const FORM = { mark: "●", maxIndent: 4 };
const QUESTION_FOOTER = /Enter to (select|submit)/;
const SHELL = /^Allow execution of:? /;
const EDIT = /^Apply this change\?/;
const PLAN = /^(Ready to start implementation\?|Approve this plan|Start implementation)/;
const OTHER_PERMISSION = /^(Do you want to (proceed|continue|allow)|Allow (execution|tool|access|this))/;
const KNOWN = [SHELL, EDIT, PLAN, OTHER_PERMISSION];
const TRUST = /Do you trust the files in this folder\?/;
const PERMISSION_OPTION = /^(Allow|Yes)\b/;

/** Digits choose in permission dialogs (seen: `1`), Escape denies; its own label names it. */
const permissionKeys = (index: number, label: string): string[] | null =>
  /\(esc\)/i.test(label) ? ["Escape"] : index < 9 ? [String(index + 1)] : null;

/** Recorded 0.61.0; "Modify with external editor" is neither. */
const PERMISSION_ROLES = {
  approve: /^Allow once$/,
  always: /^Allow (all server tools |tool )?for (this|all future) sessions?$/,
  deny: /^No, suggest changes \(esc\)$/,
};

interface Dialog {
  /** The frame's lines above the selector. */
  lines: readonly string[];
  selector: Selector;
  footer: string;
}

/** The question directly above the selector: from its known beginning, else its whole paragraph. */
const questionOf = (lines: readonly string[]): string => {
  const text = withoutBlankEnds(lines);
  const gap = text.findLastIndex((line) => isBlank(line) || /^\s?[╭╰│]/.test(line));
  const paragraph = text.slice(gap + 1);
  const known = paragraph.findLastIndex((line) => KNOWN.some((pattern) => pattern.test(line.trim())));
  return joined(known < 0 ? paragraph : paragraph.slice(known));
};

/** `? Shell  touch x`: what the tool is and what it works on. */
const headOf = (lines: readonly string[]): { tool: string; subject: string } => {
  const head = /^ ?\? +(\S+)\s+(.*)$/.exec(withoutBlankEnds(lines)[0] ?? "");
  return { tool: head?.[1] ?? "", subject: head?.[2]?.trim().replace(/^Writing to /, "") ?? "" };
};

const permission = (
  dialog: Dialog,
  question: string,
  rule: {
    reasonCode: "permission_tool" | "permission_edit" | "plan";
    kind: PromptRequest["kind"];
    confidence: Confidence;
  },
): Reading => {
  const { tool, subject } = headOf(dialog.lines);
  const inner = splitInnerFrame(dialog.lines)?.inner ?? [];
  const framed = withoutBlankEnds(inner).join("\n");
  const body = rule.kind === "edit" ? subject || framed : framed || subject;
  const status: Status = { state: "waiting_approval", reasonCode: rule.reasonCode };
  return asks(status, rule.confidence, `${question} / ${dialog.selector.labels.join(" / ")}`, {
    kind: rule.kind,
    title: oneLine(question) || "Gemini needs your permission",
    body: body === "" ? null : boundedText(body),
    toolName: tool === "" ? null : oneLine(tool, 200),
    options: withRoles(optionsOf(dialog.selector, permissionKeys), PERMISSION_ROLES),
  });
};

const readPermission = (dialog: Dialog, title: TitleState | null): Reading | null => {
  const question = questionOf(dialog.lines);
  if (SHELL.test(question)) {
    const isMcp = /MCP tool/.test(question);
    return permission(dialog, question, {
      reasonCode: "permission_tool",
      kind: isMcp ? "tool" : "command",
      confidence: "high",
    });
  }
  if (EDIT.test(question))
    return permission(dialog, question, { reasonCode: "permission_edit", kind: "edit", confidence: "high" });
  if (PLAN.test(question))
    return permission(dialog, question, { reasonCode: "plan", kind: "plan", confidence: "medium" });
  const isAsking = title === "action" && PERMISSION_OPTION.test(dialog.selector.labels[0] ?? "");
  if (!isAsking && (title === "ready" || !OTHER_PERMISSION.test(question))) return null;
  return permission(dialog, question, { reasonCode: "permission_tool", kind: "tool", confidence: "medium" });
};

const readQuestion = (dialog: Dialog, title: TitleState | null): Reading | null => {
  if (!QUESTION_FOOTER.test(dialog.footer)) return null;
  const lines = withoutBlankEnds(dialog.lines);
  const hasHeader = /^ ?Answer Questions\b/.test(lines[0] ?? "");
  if (!hasHeader && title !== "action") return null;
  const text = joined(hasHeader ? lines.slice(1) : lines);
  if (text === "") return null;
  const isSingle = dialog.selector.labels.every((label) => !/^\[.\]/.test(label));
  return asks(
    { state: "waiting_input", reasonCode: "question" },
    hasHeader ? "high" : "medium",
    `${text} / ${dialog.footer}`,
    {
      kind: "question",
      title: oneLine(text),
      body: boundedText(text),
      toolName: "ask_user",
      options: optionsOf(dialog.selector, (index, label) =>
        isSingle && label !== "Enter a custom value" ? movesTo(index, dialog.selector.marked) : null,
      ),
    },
  );
};

const readTrust = (dialog: Dialog): Reading | null => {
  if (!TRUST.test(joined(dialog.lines))) return null;
  if (!dialog.selector.labels.some((label) => label.startsWith("Trust "))) return null;
  const folder = /^Trust folder \((.+)\)$/.exec(dialog.selector.labels[0] ?? "")?.[1] ?? null;
  return asks({ state: "waiting_approval", reasonCode: "trust" }, "high", joined(dialog.lines), {
    kind: "trust",
    title: "Do you trust the files in this folder?",
    body: folder === null ? null : boundedText(folder),
    toolName: null,
    options: optionsOf(dialog.selector, (index) => movesTo(index, dialog.selector.marked)),
  });
};

const FIRST_RUN =
  /How would you like to authenticate for this project\?|Get started|Choose (a|your) .*theme/i;

const readFirstRun = (dialog: Dialog): Reading | null => {
  const text = joined(dialog.lines);
  const found = FIRST_RUN.exec(text);
  if (found === null) return null;
  const reasonCode = /authenticate/.test(text) ? "auth_needed" : "onboarding";
  return asks({ state: "waiting_input", reasonCode }, "medium", found[0], {
    kind: "other",
    title: oneLine(found[0]),
    body: null,
    toolName: null,
    options: optionsOf(dialog.selector, (index) => movesTo(index, dialog.selector.marked)),
  });
};

/** Whether something to choose from ends the screen, known or not: then the title is no word on it. */
export const hasSelector = (lines: readonly string[]): boolean => {
  const frame = frameAtBottom(lines);
  if (frame === null) return false;
  const { end } = splitFooter(frame.content);
  return readNumberedOptions(frame.content, end, { ...FORM, isWrapped: true }) !== null;
};

/** The dialog that ends the screen, or null. Call only where no input box is at the bottom. */
export const readDialog = (lines: readonly string[], title: TitleState | null): Reading | null => {
  const frame = frameAtBottom(lines);
  if (frame === null) return null;
  const { footer, end } = splitFooter(frame.content);
  const isWrapped = !QUESTION_FOOTER.test(footer);
  const selector = readNumberedOptions(frame.content, end, { ...FORM, isWrapped });
  if (selector === null) return null;
  const dialog = { lines: frame.content.slice(0, selector.start), selector, footer };
  // These two come before there is a session, under a title that says nothing of them. For the others, too, the dialog
  // that ends the screen is the proof: the title is read less often and may be the one before.
  const early = readTrust(dialog) ?? readFirstRun(dialog);
  if (early !== null) return early;
  return readQuestion(dialog, title) ?? readPermission(dialog, title);
};
