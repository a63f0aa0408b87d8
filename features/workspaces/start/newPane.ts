// Makes a pane with a command in it: in a session of that name, beside a pane, or in a new session. Names and folders may hold
// anything; tmux expands formats in them, and takes a semicolon at the end of a word for the end of a command.
import { AgtmuxError } from "../../../core/model/errors.ts";
import { PANE_LIFE_FORMAT } from "../../../core/model/job.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { FeatureTarget, FeatureTmux } from "../../../core/ports/feature.ts";

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
/** The program gets into its folder a moment after the pane is made. */
const LOOKS = 10;
const LOOK_EVERY_MS = 100;

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

const run = async (tmux: FeatureTmux, words: readonly string[], mayStart = false): Promise<string> => {
  const { exitCode, stdout, stderr, timedOut } = await tmux.run(words, { timeoutMs: TIMEOUT_MS, mayStart });
  if (exitCode === 0) return stdout;
  const why = timedOut
    ? `it did not answer within ${TIMEOUT_MS / 1_000} s`
    : (stderr.trim().split("\n")[0] ?? "");
  throw new AgtmuxError("E_TARGET_UNREACHABLE", `tmux made no pane: ${why.slice(0, 300)}`);
};

/** Its id; null where no session has exactly this name, or no server runs. */
const findSession = async (tmux: FeatureTmux, name: string): Promise<string | null> => {
  const { exitCode, stdout } = await tmux.run(["list-sessions", "-F", "#{session_id} #{session_name}"], {
    timeoutMs: TIMEOUT_MS,
  });
  if (exitCode !== 0) return null;
  const line = stdout.split("\n").find((one) => one.slice(one.indexOf(" ") + 1) === name);
  return line === undefined ? null : (/^\$\d+/.exec(line)?.[0] ?? null);
};

/**
 * tmux 3.3 to 3.6 crashes, and every session with it, when anybody makes a window while new windows have a manual size. The size
 * of a pane beside another one comes from that.
 * @throws AgtmuxError E_WORKSPACE_REFUSED
 */
export const refuseCrash = async (tmux: FeatureTmux): Promise<void> => {
  const asked = ["show-options", "-gwv", "window-size", ";", "display-message", "-p", "#{version}"];
  const { stdout } = await tmux.run(asked, { timeoutMs: TIMEOUT_MS });
  const [windowSize, version] = stdout.split("\n");
  if (windowSize !== "manual" || version === undefined || !/^3\.[3-6]/.test(version)) return;
  throw new AgtmuxError(
    "E_WORKSPACE_REFUSED",
    `tmux ${version} crashes when a window is made while 'window-size' is 'manual'`,
    { remedy: "Run 'tmux set -g window-size latest', or start the agent beside a pane with --split." },
  );
};

/** The shell that tmux gives to new panes; empty where nobody knows. */
export const askShell = async (target: FeatureTarget, tmux: FeatureTmux): Promise<string> => {
  const asked = await tmux.run(["show-options", "-gqv", "default-shell"], { timeoutMs: TIMEOUT_MS });
  if (asked.exitCode === 0) return asked.stdout.trim();
  // No server runs: the next one takes the person's own.
  const own = await target.run(["sh", "-c", 'printf %s "$SHELL"'], { timeoutMs: TIMEOUT_MS });
  return own.stdout.trim();
};

/** `folder` is where tmux says that it made the pane; empty where it does not say. A pane that is gone is nowhere else. */
const isInFolder = async (
  { target, tmux, clock }: Where,
  { paneId, folder, wanted }: { paneId: string; folder: string; wanted: string },
): Promise<boolean> => {
  if (folder !== "") return folder === wanted;
  const real = await target.run(["sh", "-c", 'cd -- "$1" && pwd -P', "sh", wanted], {
    timeoutMs: TIMEOUT_MS,
  });
  if (real.exitCode !== 0) return false;
  const asked = ["display-message", "-p", "-t", paneId, "#{pane_current_path}"];
  for (let look = 0; look < LOOKS; look++) {
    const { exitCode, stdout } = await tmux.run(asked, { timeoutMs: TIMEOUT_MS });
    if (exitCode !== 0 || stdout === real.stdout) return true;
    await new Promise<void>((next) => clock.setTimer(LOOK_EVERY_MS, next));
  }
  return false;
};

/** Where a pane is made. */
export interface Where {
  readonly target: FeatureTarget;
  readonly tmux: FeatureTmux;
  readonly clock: Pick<Clock, "setTimer">;
}

/** @throws AgtmuxError E_TARGET_UNREACHABLE with what tmux says. */
export const makePane = async (where: Where, place: Place, command: readonly string[]): Promise<NewPane> => {
  const { tmux } = where;
  const options = ["-d", "-P", "-F", FORMAT, "-c", literal(place.folder)];
  const named = place.windowName === null ? [] : ["-n", literal(place.windowName)];
  const session = place.beside === null ? await findSession(tmux, place.session) : null;
  const isNew = place.beside === null && session === null;
  const verb =
    place.beside !== null
      ? ["split-window", ...options, "-t", place.beside]
      : session !== null
        ? ["new-window", ...options, ...named, "-t", `${session}:`]
        : ["new-session", ...options, ...named, "-s", literal(place.session), "-x", "200", "-y", "50"];
  const made = await run(tmux, [...verb, "--", ...command], isNew);
  const [, paneId, life, sessionName, folder] = /^(%\d+) (\d+ \d+ \d+) (.*)\n(.*)\n?$/.exec(made) ?? [];
  if (paneId === undefined || life === undefined || sessionName === undefined)
    throw new AgtmuxError("E_TARGET_UNREACHABLE", "tmux did not say which pane it made");
  // An agent must not work anywhere else than where it was meant to.
  if (!(await isInFolder(where, { paneId, folder: folder ?? "", wanted: place.folder }))) {
    await run(tmux, ["kill-pane", "-t", paneId]);
    throw new AgtmuxError(
      "E_WORKSPACE_REFUSED",
      `tmux does not take the folder ${place.folder} as it is named`,
    );
  }
  return { paneId, life, sessionName };
};
