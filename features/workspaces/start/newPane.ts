// Makes a pane with a command in it: in a session of that name, beside a pane, or in a new session. Names and folders may hold
// anything; tmux expands formats in them, and takes a semicolon at the end of a word for the end of a command.
import { AgtmuxError } from "../../../core/model/errors.ts";
import { PANE_LIFE_FORMAT } from "../../../core/model/job.ts";
import type { FeatureTarget } from "../../../core/ports/feature.ts";

export interface Place {
  session: string;
  /** The pane that the new one is to stand beside; null: a window of its own. */
  beside: string | null;
  folder: string;
  /** Null: tmux names the window. */
  windowName: string | null;
}

export interface NewPane {
  sessionName: string;
  paneId: string;
  /** As tmux says for `PANE_LIFE_FORMAT`. */
  life: string;
}

const TIMEOUT_MS = 10_000;
/** tmux knows the last one since 3.3. */
const FORMAT = `#{pane_id} ${PANE_LIFE_FORMAT} #{session_name}\n#{pane_start_path}`;
/**
 * Whether the pane's program is in the folder $1; the words after it ask tmux where it is. The program gets there a moment after
 * the pane is made. One that is gone is nowhere else.
 */
const IS_THERE = `wanted=$(cd -- "$1" && pwd -P) || exit 1
shift
for i in 1 2 3 4 5 6 7 8 9 10; do
  at=$("$@" 2>/dev/null) || exit 0
  [ "$at" = "$wanted" ] && exit 0
  sleep 0.1
done
exit 1`;

/** A text as tmux takes it to the letter. It leaves signs before a bracket alone, because styles begin like that. */
export const literal = (text: string): string =>
  text.replaceAll(/#+(?!#|\[)/g, (signs) => signs.repeat(2)).replace(/;$/, "\\;");

/** What tmux makes of a session's name, and a name that it can be asked for by. @throws AgtmuxError E_USAGE */
export const sessionNameOf = (name: string): string => {
  if (/[\p{Cc}:.\\]/u.test(name) || name.trim() === "" || name.length > 100)
    throw new AgtmuxError("E_USAGE", `'${name.slice(0, 60)}' cannot be the name of a session`, {
      remedy: "Take up to 100 characters without ':', '.', '\\' and control characters.",
    });
  return name;
};

const run = async (target: FeatureTarget, argv: readonly string[]): Promise<string> => {
  const { exitCode, stdout, stderr, timedOut } = await target.run(argv, { timeoutMs: TIMEOUT_MS });
  if (exitCode === 0) return stdout;
  const why = timedOut
    ? `it did not answer within ${TIMEOUT_MS / 1_000} s`
    : (stderr.trim().split("\n")[0] ?? "");
  throw new AgtmuxError("E_TARGET_UNREACHABLE", `tmux made no pane: ${why.slice(0, 300)}`);
};

/** Its id; null where no session has exactly this name, or no server runs. */
const findSession = async (
  target: FeatureTarget,
  tmux: readonly string[],
  name: string,
): Promise<string | null> => {
  const { exitCode, stdout } = await target.run(
    [...tmux, "list-sessions", "-F", "#{session_id} #{session_name}"],
    { timeoutMs: TIMEOUT_MS },
  );
  if (exitCode !== 0) return null;
  const line = stdout.split("\n").find((one) => one.slice(one.indexOf(" ") + 1) === name);
  return line === undefined ? null : (/^\$\d+/.exec(line)?.[0] ?? null);
};

/**
 * tmux 3.3 to 3.6 crashes, and every session with it, when anybody makes a window while new windows have a manual size. The size
 * of a pane beside another one comes from that.
 * @throws AgtmuxError E_WORKSPACE_REFUSED
 */
export const refuseCrash = async (target: FeatureTarget, tmux: readonly string[]): Promise<void> => {
  const { stdout } = await target.run(
    [...tmux, "show-options", "-gwv", "window-size", ";", "display-message", "-p", "#{version}"],
    { timeoutMs: TIMEOUT_MS },
  );
  const [windowSize, version] = stdout.split("\n");
  if (windowSize !== "manual" || version === undefined || !/^3\.[3-6]/.test(version)) return;
  throw new AgtmuxError(
    "E_WORKSPACE_REFUSED",
    `tmux ${version} crashes when a window is made while 'window-size' is 'manual'`,
    { remedy: "Run 'tmux set -g window-size latest', or start the agent beside a pane with --split." },
  );
};

/** The shell that tmux gives to new panes; empty where no server runs. */
export const askShell = async (target: FeatureTarget, tmux: readonly string[]): Promise<string> => {
  const { stdout } = await target.run(
    ["sh", "-c", '"$@" show-options -gqv default-shell 2>/dev/null || printf %s "$SHELL"', "sh", ...tmux],
    { timeoutMs: TIMEOUT_MS },
  );
  return stdout.trim();
};

/** `folder` is where tmux says that it made the pane; empty where it does not say. */
const isInFolder = async (
  target: FeatureTarget,
  tmux: readonly string[],
  { paneId, folder, wanted }: { paneId: string; folder: string; wanted: string },
): Promise<boolean> => {
  if (folder !== "") return folder === wanted;
  const asked = [...tmux, "display-message", "-p", "-t", paneId, "#{pane_current_path}"];
  const { exitCode } = await target.run(["sh", "-c", IS_THERE, "sh", wanted, ...asked], {
    timeoutMs: TIMEOUT_MS,
  });
  return exitCode === 0;
};

/** @throws AgtmuxError E_TARGET_UNREACHABLE with what tmux says. */
export const makePane = async (
  target: FeatureTarget,
  tmux: readonly string[],
  place: Place,
  command: readonly string[],
): Promise<NewPane> => {
  const where = ["-d", "-P", "-F", FORMAT, "-c", literal(place.folder)];
  const named = place.windowName === null ? [] : ["-n", literal(place.windowName)];
  const session = place.beside === null ? await findSession(target, tmux, place.session) : null;
  const verb =
    place.beside !== null
      ? ["split-window", ...where, "-t", place.beside]
      : session !== null
        ? ["new-window", ...where, ...named, "-t", `${session}:`]
        : ["new-session", ...where, ...named, "-s", literal(place.session), "-x", "200", "-y", "50"];
  const made = await run(target, [...tmux, ...verb, "--", ...command]);
  const [, paneId, life, sessionName, folder] = /^(%\d+) (\d+ \d+ \d+) (.*)\n(.*)\n?$/.exec(made) ?? [];
  if (paneId === undefined || life === undefined || sessionName === undefined)
    throw new AgtmuxError("E_TARGET_UNREACHABLE", "tmux did not say which pane it made");
  // An agent must not work anywhere else than where it was meant to.
  if (!(await isInFolder(target, tmux, { paneId, folder: folder ?? "", wanted: place.folder }))) {
    await run(target, [...tmux, "kill-pane", "-t", paneId]);
    throw new AgtmuxError(
      "E_WORKSPACE_REFUSED",
      `tmux does not take the folder ${place.folder} as it is named`,
    );
  }
  return { paneId, life, sessionName };
};
