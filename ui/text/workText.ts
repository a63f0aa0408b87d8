// What an agent does now, in a few words: the end of a row's second line. Pure.
import type { RunningTool } from "../../core/model/activity.ts";
import type { PaneView } from "../../core/model/view.ts";
import { STATE_WORDS } from "../../core/model/words.ts";
import { displayLine } from "./displayText.ts";
import { reasonWords } from "./paneText.ts";

/** By what the tools of all agents are called, without case and underscores. */
const VERBS: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:bash|shell|exec|execcommand|runshellcommand|localshell|command|terminal|powershell|eval)$/,
    "running",
  ],
  [
    /^(?:edit|write|multiedit|notebookedit|writefile|replace|patch|applypatch|create|strreplace|update)$/,
    "editing",
  ],
  [/^(?:read|readfile|view|readmanyfiles|notebookread|cat)$/, "reading"],
  [/^(?:grep|glob|search|searchfilecontent|find|ls|list|listdirectory|rg|codesearch)$/, "searching"],
  [/^(?:webfetch|fetch|fetchwebpage)$/, "fetching"],
  [/^(?:websearch|googlewebsearch)$/, "searching the web for"],
];

/** `running npm test`, `editing src/refunds.ts`; of other tools their own name. */
export const toolWords = ({ name, subject }: RunningTool): string => {
  const plain = name.toLowerCase().replaceAll(/[_\s-]/g, "");
  const verb = VERBS.find(([names]) => names.test(plain))?.[1];
  const on = displayLine(subject ?? "");
  if (verb !== undefined && on !== "") return `${verb} ${on}`;
  return `using ${displayLine(name)}${on === "" ? "" : ` ${on}`}`;
};

/** Reasons that add nothing to the state's icon. */
const SILENT: ReadonlySet<string> = new Set(["fresh", "demoted", "turn_ended"]);

/** The parts in order, each once; a part that another one has in it is left out. */
const joined = (...parts: readonly string[]): string =>
  parts
    .filter((part, index) => part !== "" && parts.findIndex((other) => other.includes(part)) === index)
    .join(" · ");

/**
 * The running tool, what it said last, or why it is in its state; then what it says beside that: attempts, queued prompts,
 * background work, the words of an error. Empty where the state's icon says it all.
 */
export const workText = (pane: PaneView): string => {
  const { state, activity, progress, reason_code: code } = pane;
  const tool = activity?.tool ?? null;
  const said = displayLine(activity?.said ?? "");
  const reason = SILENT.has(code ?? "") ? "" : reasonWords(code);
  const beside = displayLine(progress ?? "");
  switch (state) {
    case "running": {
      // A wait before the next attempt is worth more than the tool before it.
      const isTold = tool === null || code === "retrying" || code === "compacting";
      return joined(isTold ? reason : toolWords(tool), beside);
    }
    case "completed":
    case "idle":
      return joined(reason, said, beside);
    case "waiting_approval":
    case "waiting_input":
      // What it asks is shown by itself.
      return beside;
    case "error":
    case "unknown":
      return joined(reason === "" ? STATE_WORDS[state] : reason, beside);
    case null:
      return "no agent";
  }
};
