// The recorded dialogs that tests answer: as the agent draws them, with the keys that it takes.
import { dialogOf } from "./dialogPane.ts";

export const YES = "Yes";
export const CLAUDE_OPTIONS = [
  YES,
  "Yes, and always allow access to /home/dev/project from this project",
  "Yes, and switch to auto mode",
  "No",
];
export const CLAUDE = dialogOf("recordings/claude/waiting_approval", {
  options: CLAUDE_OPTIONS,
  digits: "too",
  escapes: "No",
});
/** The same dialog over another command. */
export const CLAUDE_OTHER = dialogOf("recordings/claude/waiting_approval", {
  name: "other",
  options: CLAUDE_OPTIONS,
  digits: "too",
  replace: ["touch approved.txt", "rm -rf build"],
});
export const CODEX_QUESTION = dialogOf("recordings/codex/waiting_input_question", {
  options: ["Red", "Blue", "None of the above"],
  mark: "›",
});
