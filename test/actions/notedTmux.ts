// A program `tmux` that notes the command of each call and then does what the real one does, for counting calls.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface NotedTmux {
  /** With it in front. */
  readonly path: string;
  /** The commands since it was asked last. */
  calls(): string[];
}

export const noteTmux = (folder: string): NotedTmux => {
  const bin = join(folder, "noted");
  const [program, notes] = [join(bin, "tmux"), join(bin, "calls")];
  mkdirSync(bin);
  const real = (process.env["PATH"] ?? "").split(":").map((one) => join(one, "tmux"));
  const script = `#!/bin/sh\nc=$3; [ "$c" != -u ] || c=$4; echo "$c" >>'${notes}'\nfor real in ${real.join(" ")}; do [ ! -x "$real" ] || exec "$real" "$@"; done\n`;
  writeFileSync(program, script);
  chmodSync(program, 0o755);
  return {
    path: `${bin}:${process.env["PATH"]}`,
    calls: () => {
      if (!existsSync(notes)) return [];
      const text = readFileSync(notes, "utf8").trimEnd();
      rmSync(notes);
      return text.split("\n");
    },
  };
};
