// Reads Gemini CLI's screen and title. The title is the agent's own word on working, asking and being ready; the screen
// says what it asks and how a turn ended. Positive proof or nothing: history higher up never counts.
import type { Status } from "../../core/model/state.ts";
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import { asks, ofWholeScreen, shows, visibleLines } from "../common/screenText.ts";
import { THINKING } from "../common/signals.ts";
import { hasSelector, readDialog } from "./screen/dialogs.ts";
import { findInputBox, titleStateOf, type TitleState } from "./screen/layout.ts";
import { readTurn } from "./screen/turn.ts";

const QUESTION_HINT = /Enter to (select|submit)|Answer Questions/;

/** What the title alone proves, where the screen shows nothing that is known. */
const readTitle = (title: TitleState | null, lines: readonly string[]): Reading | null => {
  if (title === "working") return hasSelector(lines) ? null : shows(THINKING, "medium", "title: working");
  if (title !== "action") return null;
  const isQuestion = lines.slice(-15).some((line) => QUESTION_HINT.test(line));
  const status: Status = isQuestion
    ? { state: "waiting_input", reasonCode: "question" }
    : { state: "waiting_approval", reasonCode: "permission_tool" };
  return asks(status, "low", "title: action required", { kind: "other", title: "Gemini needs your answer" });
};

/** State and request that title and bottom of the screen positively show, or null. */
export const readGeminiScreen = (screen: Screen): Reading | null => {
  const lines = visibleLines(screen);
  const title = titleStateOf(screen.title);
  const box = findInputBox(lines);
  if (box !== null) return readTurn(box, title);
  return ofWholeScreen(screen, readDialog(lines, title, screen.width)) ?? readTitle(title, lines);
};
