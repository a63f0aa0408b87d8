// Changes of files as a person sees them before they are made.
import { cleanLine, cleanLines } from "./clean.ts";
import type { Colour, Paint } from "./table.ts";

const colourOf = (line: string): Colour | null => {
  if (line.startsWith("+")) return "green";
  if (line.startsWith("-")) return "red";
  return line.startsWith("@@") ? "cyan" : null;
};

/** Changes of files as a person sees them before they are made: each path and its diff. */
export const changeLines = (
  changes: readonly { path: string; diff: string }[],
  { paint }: { paint: Paint },
): string[] =>
  changes.flatMap(({ path, diff }) => [
    paint("bold", cleanLine(path)),
    ...cleanLines(diff.trimEnd()).map((line) => {
      const colour = colourOf(line);
      return colour === null ? line : paint(colour, line);
    }),
    "",
  ]);
