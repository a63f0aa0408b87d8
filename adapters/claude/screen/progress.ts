// What Claude's screen says of the work beside the state: the task that the spinner names, attempts, background work,
// queued prompts and a mode in which fewer dialogs open. Source: frames and texts recorded with 2.1.329.
import { countOf, progressOf, quoteOf, retryIn } from "../../common/progress.ts";
import { joined, type InputBox } from "./layout.ts";

const ATTEMPT = /\bRetrying in \d.{0,40}\(attempt (\d+)\/(\d+)\)/;
const BACKGROUND = /^✻ Waiting for (\d+ background \w+)/;
/** A random verb is one word; a task of its list is named by several. */
const NAMED_TASK = /^[·✢✳✶✻✽∗*] (\S+ \S.{0,80}?)…/;
const MODE = /\b(accept edits|auto mode|plan mode|bypass permissions|don't ask) on\b/;
const QUEUED_HINT = /^\s+Queued · /;

/** Lines from the running line on: queued prompts and task lists stand below it. */
const belowSpinner = (above: readonly string[]): readonly string[] => {
  const at = above.findLastIndex((line) => /^[·✢✳✶✻✽∗*] \S/.test(line));
  return at < 0 ? [] : above.slice(at);
};

/** Null where there is nothing to say. */
export const readProgress = ({ above, footer }: InputBox, isRunning: boolean): string | null => {
  const mode = MODE.exec(footer)?.[1] ?? null;
  if (!isRunning) return progressOf(mode);
  const lines = belowSpinner(above);
  const task = NAMED_TASK.exec(lines[0] ?? "")?.[1];
  const isQueued = lines.some((line) => QUEUED_HINT.test(line));
  return progressOf(
    retryIn(joined(lines), ATTEMPT),
    BACKGROUND.exec(lines[0] ?? "")?.[1] ?? null,
    quoteOf(task === undefined || /compacting/i.test(task) ? null : task),
    isQueued ? countOf(lines.filter((line) => line.startsWith("❯ ")).length, "queued prompt") : null,
    mode,
  );
};
