// How a recorded frame is drawn into a terminal.
import type { Recording } from "../../adapters/testkit/recordings.ts";

/**
 * What a terminal must receive to show the frame: title, screen, mouse and cursor modes, then each line at its row. Lines
 * are not wrapped: a pane narrower than the recording cuts them.
 */
export const drawFrame = (recording: Recording): string => {
  const lines = recording.ansi.replace(/\n$/, "").split("\n");
  const mouse = ["1000", "1002", "1003", "1006"].map(
    (mode) => `\u001b[?${mode}${recording.hasMouse ? "h" : "l"}`,
  );
  const { cursor } = recording;
  return [
    `\u001b]0;${recording.title}\u0007`,
    `\u001b[?1049${recording.isAlternate ? "h" : "l"}`,
    ...mouse,
    "\u001b[?25l\u001b[?7l\u001b[0m\u001b[2J",
    ...lines.map((line, row) => `\u001b[${row + 1};1H${line}`),
    "\u001b[0m\u001b[?7h",
    cursor === undefined
      ? ""
      : `\u001b[${cursor.y + 1};${cursor.x + 1}H${cursor.isVisible ? "\u001b[?25h" : ""}`,
  ].join("");
};
