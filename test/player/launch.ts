// How a player is started so that the process table shows what it shows of the real agent.
import { constants, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * A program of its own name; a script that node runs; a native program below such a script, which is then the agent; a
 * package's script that another runtime runs; or a process that renamed itself and its whole command line.
 */
export type Launch = "named" | "script" | "launcher" | { runtime: string; script: string } | "renamed";

/** Where npm puts the agents whose program is known by its file. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  claude: ["node_modules", "@anthropic-ai", "claude-code", "bin", "claude"],
  codex: ["node_modules", "@openai", "codex-linux-x64", "bin", "codex"],
  opencode: ["node_modules", "opencode-ai", "bin", "opencode"],
};

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const line = (...words: readonly string[]): string => words.map(quoted).join(" ");

/** Puts the played program into `folder`; returns the command line that starts it, with `environment` before it. */
export const prepareLaunch = (options: {
  launch: Launch;
  agent: string;
  /** The shell that plays and its script. */
  bash: string;
  script: string;
  folder: string;
  environment: string;
}): string => {
  const { launch, agent, bash, script, folder, environment } = options;
  const place = (...path: string[]): string => {
    const at = join(folder, ...path);
    mkdirSync(dirname(at), { recursive: true });
    return at;
  };
  // A copy, because the file behind a link is what counts.
  const program = (...path: string[]): string => {
    const at = place(...path);
    copyFileSync(bash, at, constants.COPYFILE_FICLONE);
    return at;
  };
  if (typeof launch === "object") {
    const copy = place("node_modules", launch.script);
    copyFileSync(script, copy);
    return `${environment} ${line(program("bin", launch.runtime), copy, folder)}`;
  }
  switch (launch) {
    case "named":
      return `${environment} ${line(program(...(PLACES[agent] ?? ["bin", agent])), script, folder)}`;
    case "script": {
      const copy = place("bin", agent);
      copyFileSync(script, copy);
      return `${environment} ${line(program("bin", "node"), copy, folder)}`;
    }
    case "launcher": {
      const native = program("node_modules", "@github", `${agent}-linux-x64`, agent);
      const launcher = place("bin", agent);
      writeFileSync(launcher, `${line(native, script, folder)}\nexit $?\n`);
      return `${environment} ${line(program("bin", "node"), launcher, folder)}`;
    }
    case "renamed": {
      // A bash without arguments runs the file that BASH_ENV names; the player then takes the terminal back.
      const told = `export ${environment} BASH_ENV=${quoted(script)} PLAYER_FOLDER=${quoted(folder)}`;
      return `(${told}; exec -a ${agent} ${quoted(program("bin", agent))} </dev/null)`;
    }
  }
};
