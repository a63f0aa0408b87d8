// What the verbs about documents ask a tmux server, and how: a listing is one call. A change is one more call, which does nothing
// if another server has taken the place of the one that was listed.
import { join } from "node:path";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { PaneLife } from "../../features/documents/files/registry.ts";
import type { PlacedPane, TmuxCommand } from "../../features/documents/model/layoutPlan.ts";
import type { CliContext } from "../context.ts";
import { cleanLine } from "../render/clean.ts";

const TIMEOUT_MS = 5_000;
const PANE_ID = /^%\d+$/;
const ATTACHED = 1e12;

export interface TmuxPane extends PlacedPane {
  readonly life: PaneLife;
  readonly width: number;
  readonly height: number;
  readonly isActive: boolean;
  readonly sessionName: string;
  /** When its session was used last, in seconds; those that somebody is attached to come after all others. */
  readonly usedAt: number;
  readonly isWindowActive: boolean;
  readonly windowWidth: number;
  readonly windowHeight: number;
  readonly isZoomed: boolean;
}

const FIELDS = [
  "pid",
  "start_time",
  "session_attached",
  "session_activity",
  "window_active",
  "window_zoomed_flag",
  "window_width",
  "window_height",
  "pane_pid",
  "pane_active",
  "pane_index",
  "pane_left",
  "pane_top",
  "pane_width",
  "pane_height",
];
/** A session's name is a text; tmux lets no control character into it. */
const FORMAT = [...FIELDS, "pane_id", "window_id", "session_id", "session_name"]
  .map((name) => `#{${name}}`)
  .join(",");

const numberAt = (numbers: readonly string[], field: string): number =>
  Number(numbers[FIELDS.indexOf(field)]);

const parsePane = (socket: string, line: string): TmuxPane | null => {
  const parts = line.split(",");
  const numbers = parts.slice(0, FIELDS.length);
  const [pane = "", window = "", session = "", ...name] = parts.slice(FIELDS.length);
  if (!PANE_ID.test(pane) || !/^@\d+$/.test(window) || !/^\$\d+$/.test(session)) return null;
  const at = (field: string) => numberAt(numbers, field);
  return {
    pane,
    window,
    session,
    sessionName: name.join(","),
    life: { socket, serverPid: at("pid"), serverStart: at("start_time"), panePid: at("pane_pid") },
    usedAt: at("session_activity") + (at("session_attached") > 0 ? ATTACHED : 0),
    isWindowActive: at("window_active") === 1,
    isZoomed: at("window_zoomed_flag") === 1,
    windowWidth: at("window_width"),
    windowHeight: at("window_height"),
    isActive: at("pane_active") === 1,
    index: at("pane_index"),
    left: at("pane_left"),
    top: at("pane_top"),
    width: at("pane_width"),
    height: at("pane_height"),
  };
};

const run = async (
  context: CliContext,
  socket: string,
  args: readonly string[],
): Promise<{ stdout: string; problem: string | null }> => {
  const { createLocalTmux } = await import("../../core/connections/localTmux.ts");
  const tmux = createLocalTmux({ ...context.env }, socket);
  const { exitCode, stdout, stderr, timedOut } = await tmux.run(args, { timeoutMs: TIMEOUT_MS });
  if (exitCode === 0) return { stdout, problem: null };
  return { stdout, problem: timedOut ? "it did not answer in time" : stderr.trim() || "it failed" };
};

/** Null where tmux refuses. @throws AgtmuxError E_SOCKET_UNSAFE where the server is not the person's own. */
export const askTmux = async (
  context: CliContext,
  socket: string,
  args: readonly string[],
): Promise<string | null> => {
  const { stdout, problem } = await run(context, socket, args);
  return problem === null ? stdout : null;
};

/** Every pane of the server, each once; none where no server runs. */
export const listPanes = async (context: CliContext, socket: string): Promise<readonly TmuxPane[]> => {
  const text = await askTmux(context, socket, ["list-panes", "-a", "-F", FORMAT]);
  const panes = new Map<string, TmuxPane>();
  for (const line of (text ?? "").split("\n")) {
    const found = parsePane(socket, line);
    // A window that is linked is listed in each of its sessions.
    if (found !== null && !panes.has(found.pane)) panes.set(found.pane, found);
  }
  return [...panes.values()];
};

/** Words of ours: ids, numbers and layouts; nothing that tmux would expand or end a command at. */
const WORD = /^[\w%@$:,+\-[\]{}x]+$/;

const quoted = (word: string): string => {
  if (!WORD.test(word)) throw new Error(`'${word}' is no word for tmux`);
  return `'${word}'`;
};

/**
 * One call for all of them, which does nothing if the socket belongs to another server by now: ids would mean other panes.
 * @throws AgtmuxError E_STALE_SNAPSHOT then, E_UNSUPPORTED with what tmux refuses.
 */
export const changeTmux = async (
  context: CliContext,
  { socket, serverPid, serverStart }: PaneLife,
  commands: readonly TmuxCommand[],
): Promise<void> => {
  if (commands.length === 0) return;
  const isSame = `#{&&:#{==:#{pid},${serverPid}},#{==:#{start_time},${serverStart}}}`;
  const list = commands.map((words) => words.map(quoted).join(" ")).join(" ; ");
  const { stdout, problem } = await run(context, socket, [
    "if-shell",
    "-F",
    isSame,
    list,
    "display-message -p other",
  ]);
  if (problem !== null)
    throw new AgtmuxError("E_UNSUPPORTED", `tmux refused: ${cleanLine(problem).slice(0, 200)}`, {
      remedy: "Look at the window; every pane is still there.",
    });
  if (stdout.trim() === "other")
    throw new AgtmuxError("E_STALE_SNAPSHOT", "the tmux server was started again just now; nothing was done");
};

/** The tmux server that a command is typed in, else the person's usual one: editors are not inside any. */
export const currentSocket = ({ env }: CliContext): string => {
  const [socket = ""] = (env["TMUX"] ?? "").split(",");
  if (socket !== "") return socket;
  return join(env["TMUX_TMPDIR"] || "/tmp", `tmux-${process.getuid?.() ?? 0}`, "default");
};

export const checkPaneId = (pane: string): string => {
  if (PANE_ID.test(pane)) return pane;
  throw new AgtmuxError("E_USAGE", `'${cleanLine(pane)}' is no id of a pane`, {
    remedy: "Ids look like %4.",
  });
};

/** `@3`, and `3` as older programs write it; null: none is named. */
export const checkWindowId = (window: string | undefined): string | null => {
  if (window === undefined || window === "") return null;
  const found = /^@?(\d+)$/.exec(window);
  if (found !== null) return `@${found[1]}`;
  throw new AgtmuxError("E_USAGE", `'${cleanLine(window)}' is no id of a window`, {
    remedy: "Ids look like @3.",
  });
};
