// Changes of files as a person sees them before they are made.
import type { CliContext } from "../command/context.ts";
import { cleanLine, cleanLines } from "./clean.ts";
import type { Colour } from "./table.ts";

const colourOf = (line: string): Colour | null => {
  if (line.startsWith("+")) return "green";
  if (line.startsWith("-")) return "red";
  return line.startsWith("@@") ? "cyan" : null;
};

/** Changes of files as a person sees them before they are made: each path and its diff. */
export const changeLines = (
  changes: readonly { path: string; diff: string }[],
  { paint }: CliContext,
): string[] =>
  changes.flatMap(({ path, diff }) => [
    paint("bold", cleanLine(path)),
    ...cleanLines(diff.trimEnd()).map((line) => {
      const colour = colourOf(line);
      return colour === null ? line : paint(colour, line);
    }),
    "",
  ]);
