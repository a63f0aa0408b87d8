// Conditions for tmux's `if-shell -F` on what a pane shows and runs at the moment of a command. Pure. Rows and names come
// from programs that may be hostile: every sign of theirs that means something to a pattern or to a format is escaped, so that
// it stands for itself.

/** What a POSIX extended expression reads as more than itself. */
const META = /[\\^$.[\]|()*+?{}]/g;
/** What ends or begins a part of a tmux format. */
const FORMAT_SIGN = /[#,}]/g;

/** A format's text for an extended regular expression that fits `text` as a whole, to the letter but for blanks at its end. */
const toPattern = (text: string): string =>
  `^${text.replace(/ +$/, "").replaceAll(META, "\\$&")}$`.replaceAll(FORMAT_SIGN, "#$&");

/** A format that is true when all are. Balanced: tmux gives up on formats that are nested deeper than a hundred times. */
const all = (conditions: readonly string[]): string => {
  if (conditions.length <= 1) return conditions[0] ?? "1";
  const half = Math.ceil(conditions.length / 2);
  return `#{&&:${all(conditions.slice(0, half))},${all(conditions.slice(half))}}`;
};

/** A row of the visible screen. `line`: from 0 at the top. */
export interface PlacedRow {
  line: number;
  text: string;
}

/** What must still hold when a command arrives at a pane. */
export interface PaneCondition {
  /** First process of the pane. */
  panePid: number;
  /** Foreground program, as a look named it. */
  command?: string | undefined;
  /** Rows, as a look gave them, that must all be somewhere on the visible screen. */
  screenShows?: readonly string[] | undefined;
  /** Rows that must be the first of their text on the screen, and stand just there. */
  dialog?: readonly PlacedRow[] | undefined;
  cursor?: { x: number; y: number } | undefined;
  size?: { width: number; height: number } | undefined;
}

const isEqual = (variable: string, value: number): string => `#{==:#{${variable}},${value}}`;

/**
 * A format that is true while the pane has that first process, is neither dead nor synchronised with others, and runs and
 * shows what is asked. Works from tmux 3.2a on; a tmux that does not know a part of it says false.
 */
export const paneCondition = ({
  panePid,
  command,
  screenShows = [],
  dialog = [],
  cursor,
  size,
}: PaneCondition): string =>
  all([
    isEqual("pane_pid", panePid),
    "#{?pane_dead,0,1}",
    "#{?pane_synchronized,0,1}",
    ...(command === undefined ? [] : [`#{m/r:${toPattern(command)},#{pane_current_command}}`]),
    ...(cursor === undefined ? [] : [isEqual("cursor_x", cursor.x), isEqual("cursor_y", cursor.y)]),
    ...(size === undefined ? [] : [isEqual("pane_width", size.width), isEqual("pane_height", size.height)]),
    ...screenShows.map((row) => `#{C/r:${toPattern(row)}}`),
    // tmux counts lines from 1; the first from the top that fits is the one it gives.
    ...dialog.map(({ line, text }) => `#{==:#{C/r:${toPattern(text)}},${line + 1}}`),
  ]);
