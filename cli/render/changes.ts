// Changes of files as a person is shown them before they are made: each path and its diff.
import type { CliContext } from "../context.ts";
import { cleanLine, cleanLines } from "./clean.ts";
import type { Colour } from "./paint.ts";

const colourOf = (line: string): Colour | null => {
  if (line.startsWith("+")) return "green";
  if (line.startsWith("-")) return "red";
  return line.startsWith("@@") ? "cyan" : null;
};

export const changeLines = (
  changes: readonly { path: string; diff: string }[],
  { paint }: Pick<CliContext, "paint">,
): string[] =>
  changes.flatMap(({ path, diff }) => [
    paint("bold", cleanLine(path)),
    ...cleanLines(diff.trimEnd()).map((line) => {
      const colour = colourOf(line);
      return colour === null ? line : paint(colour, line);
    }),
    "",
  ]);
