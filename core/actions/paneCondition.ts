// Conditions for tmux's `if-shell -F` on what a pane shows and runs at the moment of a command. Pure. Rows and names come
// from programs that may be hostile: nothing of them reaches a format but letters, digits and a few harmless signs.

/**
 * A regular expression (POSIX extended) that fits `text` as a whole. What could mean something to it or to a format fits
 * any character; what is more than one byte fits anything, because tmux counts it by its locale.
 */
const toPattern = (text: string): string =>
  `^${text.trimEnd().replaceAll(/[^ -~]+|[^A-Za-z0-9 _/-]/g, (sign) => (/^[ -~]$/.test(sign) ? "." : ".*"))}$`;

const all = (conditions: readonly string[]): string =>
  conditions.reduceRight((rest, condition) => `#{&&:${condition},${rest}}`, "1");

/** What must still hold when a command arrives at a pane. */
export interface PaneCondition {
  /** First process of the pane. */
  panePid: number;
  /** Foreground program, as a look named it. */
  command?: string | undefined;
  /** Rows, as a look gave them, that must all be on the visible screen. */
  screenShows?: readonly string[] | undefined;
}

/**
 * A format that is true while the pane has that first process, is neither dead nor synchronised with others, and runs and
 * shows what is asked. Works on tmux 3.3a; a tmux that does not know a part of it says false.
 */
export const paneCondition = ({ panePid, command, screenShows = [] }: PaneCondition): string =>
  all([
    `#{==:#{pane_pid},${panePid}}`,
    "#{?pane_dead,0,1}",
    "#{?pane_synchronized,0,1}",
    ...(command === undefined ? [] : [`#{m/r:${toPattern(command)},#{pane_current_command}}`]),
    ...screenShows.map((row) => `#{C/r:${toPattern(row)}}`),
  ]);
