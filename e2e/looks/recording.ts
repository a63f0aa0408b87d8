// A recording of a terminal as an animated SVG: frames of text that follow each other by CSS, in the viewer's own colour scheme and
// monospaced font. Whoever asks for less motion sees the first frame alone.
import { escapeMarkup, screenParts, TERMINAL_THEMES, type ScreenPart } from "./terminalScreen.ts";

export interface Frame {
  /** As `capture-pane -e` tells it. */
  readonly screen: string;
  /** The key that made it, and what for. */
  readonly key: string;
  readonly caption: string;
  readonly ms: number;
}

const CELL = { width: 7.8, height: 17 };
const FONT_PX = 13;
const EDGE = 12;
const FOOT = 34;

const variables = (theme: readonly string[]): string =>
  theme.map((colour, index) => `--c${index}:${colour}`).join(";");

const classesOf = ({ colour, isBold, isDim }: ScreenPart): string =>
  [colour === null ? "" : `k${colour}`, isBold ? "b" : "", isDim ? "d" : ""].filter(Boolean).join(" ");

const px = (value: number): string => String(Math.round(value * 10) / 10);

const drawPart = (part: ScreenPart, column: number, row: number): string => {
  const text = part.text.trimEnd();
  const [x, y] = [EDGE + column * CELL.width, EDGE + row * CELL.height];
  const back = part.isReversed
    ? `<rect class="r" x="${px(x)}" y="${px(y)}" width="${px(part.text.length * CELL.width)}" height="${CELL.height}"/>`
    : "";
  if (text.trim() === "") return back;
  const indent = text.length - text.trimStart().length;
  // No font is as wide as the next one: each part is held to its cells.
  const place = `x="${px(x + indent * CELL.width)}" y="${px(y + FONT_PX)}" textLength="${px((text.length - indent) * CELL.width)}"`;
  const classes = part.isReversed ? "v" : classesOf(part);
  return `${back}<text ${classes === "" ? "" : `class="${classes}" `}${place}>${escapeMarkup(text.trimStart())}</text>`;
};

const drawFrame = ({ screen, key, caption }: Frame, index: number, rows: number): string => {
  const lines = screenParts(screen).map((parts, row) => {
    let column = 0;
    return parts
      .map((part) => {
        const drawn = drawPart(part, column, row);
        column += part.text.length;
        return drawn;
      })
      .join("");
  });
  const y = 2 * EDGE + rows * CELL.height;
  const width = key.length * CELL.width + 12;
  const cap = `<rect class="cap" x="${EDGE}" y="${y}" width="${px(width)}" height="20" rx="4"/><text class="b" x="${EDGE + 6}" y="${y + 14}">${escapeMarkup(key)}</text>`;
  return `<g class="f f${index}">${lines.join("")}${key === "" ? "" : cap}<text x="${px(EDGE + (key === "" ? 0 : width + 8))}" y="${y + 14}">${escapeMarkup(caption)}</text></g>`;
};

/** `alt` is what is told instead of it. */
export const recordingSvg = (
  frames: readonly Frame[],
  { columns, rows, alt }: { columns: number; rows: number; alt: string },
): string => {
  const total = frames.reduce((sum, { ms }) => sum + ms, 0);
  let from = 0;
  const steps = frames.map(({ ms }, index) => {
    const percent = (at: number): string => `${Math.round((at / total) * 100_000) / 1_000}%`;
    const [start, end] = [percent(from), percent(from + ms)];
    from += ms;
    const before = index === 0 ? "" : "0%{visibility:hidden}";
    const after = index === frames.length - 1 ? "" : `${end},100%{visibility:hidden}`;
    return `@keyframes f${index}{${before}${start}{visibility:visible}${after}}.f${index}{animation-name:f${index}}`;
  });
  const width = Math.ceil(2 * EDGE + columns * CELL.width);
  const height = 2 * EDGE + rows * CELL.height + FOOT;
  const colours = TERMINAL_THEMES.light.slice(2).map((_, index) => `.k${index}{fill:var(--c${index + 2})}`);
  const css = [
    `svg{${variables(TERMINAL_THEMES.light)}}`,
    `@media(prefers-color-scheme:dark){svg{${variables(TERMINAL_THEMES.dark)}}}`,
    `text{font:${FONT_PX}px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:var(--c0)}`,
    `.back{fill:var(--c1);stroke:var(--c0);stroke-opacity:.25}.r{fill:var(--c0)}.v{fill:var(--c1)}.cap{fill:none;stroke:var(--c0);stroke-opacity:.5}`,
    `.b{font-weight:700}.d{opacity:.7}`,
    ...colours,
    `.f{visibility:hidden;animation-duration:${total}ms;animation-timing-function:step-end;animation-iteration-count:infinite}`,
    ...steps,
    `@media(prefers-reduced-motion:reduce){.f{animation:none}.f0{visibility:visible}}`,
  ].join("");
  const drawn = frames.map((frame, index) => drawFrame(frame, index, rows));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img"><title>${escapeMarkup(alt)}</title><style>${css}</style><rect class="back" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>${drawn.join("\n")}</svg>\n`;
};
