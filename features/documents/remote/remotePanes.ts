// Panes of another machine for its documents: which life they are in, and going to one. tmux there is only asked, told which pane to
// select, and what to say on a pane's screen.
import { AgtmuxError } from "../../../core/model/errors.ts";
import { printWords } from "../../../core/model/tmuxHooks.ts";
import type { PaneView } from "../../../core/model/view.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import type { RemotePane } from "../calls.ts";

const TIMEOUT_MS = 5_000;
const SHOWN_MS = "3000";
const FORMAT = ["pane_id", "window_id", "pid", "start_time", "pane_pid", "socket_path"]
  .map((name) => `#{${name}}`)
  .join(" ");

const askTmux = async (
  context: FeatureContext,
  { identity }: PaneView,
  words: readonly string[],
): Promise<string> => {
  const tmux = context.target(identity.target).tmux(identity.tmux_server);
  return (await tmux.run(words, { timeoutMs: TIMEOUT_MS })).stdout;
};

const findLife = async (context: FeatureContext, row: PaneView): Promise<RemotePane | null> => {
  const { pane_id: pane } = row.identity;
  const text = await askTmux(context, row, printWords(FORMAT, pane));
  const [id, window = "", serverPid, serverStart, panePid, ...socket] = text.replace(/\n$/, "").split(" ");
  if (id !== pane || !/^@\d+$/.test(window)) return null;
  return {
    row,
    window,
    life: {
      socket: socket.join(" "),
      serverPid: Number(serverPid),
      serverStart: Number(serverStart),
      panePid: Number(panePid),
    },
  };
};

/** The panes with this id, of each tmux server of the machine. @throws AgtmuxError E_TARGET_UNKNOWN, E_TARGET_UNREACHABLE */
export const findRemotePanes = async (
  context: FeatureContext,
  { target, pane }: { target: string; pane: string },
): Promise<RemotePane[]> => {
  // Rows outlive a connection: what they were may not be taken for what is.
  context.target(target);
  const rows = context.rows
    .all()
    .filter(({ identity }) => identity.target === target && identity.pane_id === pane);
  const found = await Promise.all(rows.map((row) => findLife(context, row)));
  return found.filter((one) => one !== null);
};

const rowOf = (context: FeatureContext, ref: string): PaneView => {
  const row = context.rows.all().find(({ identity }) => identity.pane_ref === ref);
  if (row === undefined) throw new AgtmuxError("E_STALE_SNAPSHOT", "the pane is no longer there");
  return row;
};

export const selectRemotePane = async (
  context: FeatureContext,
  { ref, serverPid, serverStart }: { ref: string; serverPid: number; serverStart: number },
): Promise<void> => {
  const row = rowOf(context, ref);
  const { pane_id: pane } = row.identity;
  // After a restart of the server its ids mean other panes.
  const isSame = `#{&&:#{==:#{pid},${serverPid}},#{==:#{start_time},${serverStart}}}`;
  const select = `select-window -t ${pane} ; select-pane -t ${pane} ; display-message -p done`;
  const said = await askTmux(context, row, ["if-shell", "-F", isSame, select, "display-message -p other"]);
  if (said.trim() !== "done")
    throw new AgtmuxError("E_STALE_SNAPSHOT", "the pane is another one by now; nothing was selected");
};

/** The log is read by the skill. A link could lead anywhere. */
const LOG_SCRIPT = '[ -L "$1/.agent-doc/claims.log" ] || printf "%s\\n" "$2" >>"$1/.agent-doc/claims.log"';

export const tellClaimed = async (
  context: FeatureContext,
  { ref, root, name }: { ref: string; root: string; name: string },
): Promise<void> => {
  const row = rowOf(context, ref);
  const { pane_id: pane, target } = row.identity;
  // `#` would begin a format of tmux.
  const message = `Claimed ${name} (pane ${pane})`.replaceAll("#", "##");
  await askTmux(context, row, ["display-message", "-d", SHOWN_MS, "-t", pane, message]);
  const words = ["sh", "-c", LOG_SCRIPT, "sh", root, `Claimed ${name} for pane ${pane}`];
  await context.target(target).run(words, { timeoutMs: TIMEOUT_MS });
};
