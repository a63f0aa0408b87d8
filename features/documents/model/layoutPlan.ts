// How panes are brought into columns, as an editor shows their documents: the tmux commands for it, from where every pane is now.
// Pure: what tmux would do with its list of panes is played here, so that one list of commands is enough.

export interface PlacedPane {
  /** `%4` */
  readonly pane: string;
  readonly window: string;
  /** A session that has the window: panes that leave the window go there. */
  readonly session: string;
  /** Rises in tmux's own order of the window's panes. */
  readonly index: number;
  readonly left: number;
  readonly top: number;
}

interface LayoutWindow {
  readonly window: string;
  readonly width: number;
  readonly height: number;
  /** A pane fills it: places say nothing then. */
  readonly isZoomed: boolean;
}

interface Arrangement {
  /** Of the whole tmux server. */
  readonly panes: readonly PlacedPane[];
  readonly window: LayoutWindow;
  /** Left to right; top to bottom in each. Every pane once, and there. */
  readonly columns: readonly (readonly string[])[];
  /** Whether a pane that is not wanted leaves the window, into one of its own; others stay, in a last column. */
  readonly mayLeave: (pane: string) => boolean;
  /** Others that stay have to be at the right of all; else anywhere, as long as the wanted ones are in their order. */
  readonly isApart: boolean;
}

export type TmuxCommand = readonly string[];

/** Smaller ones show nothing. */
const MIN_WIDTH = 2;
const MIN_HEIGHT = 1;

const inWindow = ({ panes, window }: Arrangement): PlacedPane[] =>
  panes.filter((one) => one.window === window.window).toSorted((a, b) => a.index - b.index);

const isRising = (numbers: readonly number[]): boolean =>
  numbers.every((number, at) => at === 0 || number > (numbers[at - 1] ?? 0));

/** Whether the wanted panes stand as they should, whatever their sizes are. */
const isInPlace = (
  { columns, window, isApart }: Arrangement,
  present: readonly PlacedPane[],
  staying: readonly PlacedPane[],
): boolean => {
  const place = new Map(present.map((one) => [one.pane, one]));
  const places = columns.map((column) => column.map((pane) => place.get(pane)));
  if (places.flat().includes(undefined)) return false;
  const found = places.map((column) => column.filter((one) => one !== undefined));
  const last = found.at(-1)?.at(-1);
  const isRightOf = ({ index, left }: PlacedPane): boolean =>
    window.isZoomed ? index > (last?.index ?? -1) : left > (last?.left ?? -1);
  if (isApart && !staying.every(isRightOf)) return false;
  if (window.isZoomed) return isRising(found.flat().map(({ index }) => index));
  return (
    found.every(
      (column) =>
        new Set(column.map(({ left }) => left)).size === 1 && isRising(column.map(({ top }) => top)),
    ) && isRising(found.map((column) => column[0]?.left ?? 0))
  );
};

/** `count` parts of a length with a border line between each two, as even as they can be. */
const shares = (length: number, count: number): number[] => {
  const room = length - (count - 1);
  return Array.from({ length: count }, (_one, at) => Math.floor(room / count) + (at < room % count ? 1 : 0));
};

/** tmux's own sum over a layout. */
const checksum = (layout: string): string => {
  let sum = 0;
  for (const character of layout)
    sum = ((sum >> 1) + ((sum & 1) << 15) + (character.codePointAt(0) ?? 0)) & 0xffff;
  return sum.toString(16).padStart(4, "0");
};

/** A layout of columns as tmux writes one down; null where the window is too small for it. */
export const layoutOf = (
  columns: readonly (readonly string[])[],
  { width, height }: Pick<LayoutWindow, "width" | "height">,
): string | null => {
  const widths = shares(width, columns.length);
  if (widths.some((one) => one < MIN_WIDTH)) return null;
  let left = 0;
  const cells: string[] = [];
  for (const [at, column] of columns.entries()) {
    const own = widths[at] ?? 0;
    const heights = shares(height, column.length);
    if (heights.some((one) => one < MIN_HEIGHT)) return null;
    let top = 0;
    const rows: string[] = [];
    for (const [row, pane] of column.entries()) {
      rows.push(`${own}x${heights[row]},${left},${top},${pane.slice(1)}`);
      top += (heights[row] ?? 0) + 1;
    }
    cells.push(rows.length === 1 ? (rows[0] ?? "") : `${own}x${height},${left},0[${rows.join(",")}]`);
    left += own + 1;
  }
  const whole = cells.length === 1 ? (cells[0] ?? "") : `${width}x${height},0,0{${cells.join(",")}}`;
  return `${checksum(whole)},${whole}`;
};

/** Joins, leaves and swaps, and with each what tmux's list of the window's panes becomes. */
class Moves {
  readonly commands: TmuxCommand[] = [];
  readonly list: string[];
  private readonly window: string;

  constructor(window: string, list: readonly string[]) {
    this.window = window;
    this.list = [...list];
  }

  join(pane: string): void {
    const beside = this.list.at(-1) ?? "";
    // Equal shares first, so that there is space beside each.
    if (this.list.length > 1) this.commands.push(["select-layout", "-t", this.window, "tiled"]);
    this.commands.push(["join-pane", "-d", "-h", "-s", pane, "-t", beside]);
    this.list.push(pane);
  }

  leave(pane: string, session: string): void {
    this.commands.push(["break-pane", "-d", "-s", pane, "-t", `${session}:`]);
    this.list.splice(this.list.indexOf(pane), 1);
  }

  order(wanted: readonly string[]): void {
    for (const [at, pane] of wanted.entries()) {
      const there = this.list[at];
      if (there === undefined || there === pane) continue;
      this.commands.push(["swap-pane", "-d", "-s", pane, "-t", there]);
      this.list[this.list.indexOf(pane)] = there;
      this.list[at] = pane;
    }
  }
}

/**
 * The commands, in order; none where everything is in its place. Null where the window is too small. Panes that leave stay alive,
 * each in a window of its own.
 */
export const planLayout = (arrangement: Arrangement): readonly TmuxCommand[] | null => {
  const { columns, window, mayLeave } = arrangement;
  const present = inWindow(arrangement);
  const wanted = columns.flat();
  const others = present.filter(({ pane }) => !wanted.includes(pane));
  const leaving = others.filter(({ pane }) => mayLeave(pane));
  const staying = others.filter(({ pane }) => !mayLeave(pane));
  if (leaving.length === 0 && isInPlace(arrangement, present, staying)) return [];
  const all = staying.length === 0 ? columns : [...columns, staying.map(({ pane }) => pane)];
  const layout = layoutOf(all, window);
  if (layout === null) return null;
  const moves = new Moves(
    window.window,
    present.map(({ pane }) => pane),
  );
  const missing = wanted.filter((pane) => !moves.list.includes(pane));
  // A window ends with its last pane, so one that stays comes before the first leaves.
  if (leaving.length === present.length) for (const pane of missing.splice(0, 1)) moves.join(pane);
  for (const { pane, session } of leaving) moves.leave(pane, session);
  for (const pane of missing) moves.join(pane);
  moves.order(all.flat());
  if (all.flat().length > 1) moves.commands.push(["select-layout", "-t", window.window, layout]);
  return moves.commands;
};
