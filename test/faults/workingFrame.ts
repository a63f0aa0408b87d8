// The picture of an agent at work with its clock counted on, as the real one redraws it: a picture that stays the same is no
// sign of life.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Player } from "../player/player.ts";

const FRAME = "tool_running";
const CLOCK = "(3s ";

/** `folder` is made for it; `recordings`: those of the agent. Resolves with each drawing once it is in the terminal. */
export const createWorkingFrame = (
  folder: string,
  recordings: string,
): ((player: Player) => Promise<void>) => {
  mkdirSync(folder);
  for (const kind of ["json", "txt"])
    copyFileSync(join(recordings, `${FRAME}.${kind}`), join(folder, `${FRAME}.${kind}`));
  const recorded = readFileSync(join(recordings, `${FRAME}.ansi`), "utf8");
  if (!recorded.includes(CLOCK)) throw new Error(`the recording ${FRAME} shows no '${CLOCK}'`);
  let seconds = 0;
  return (player) => {
    seconds += 1;
    writeFileSync(join(folder, `${FRAME}.ansi`), recorded.replace(CLOCK, `(${seconds}s `));
    return player.frame(FRAME, folder);
  };
};
