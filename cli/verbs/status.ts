// `agtmux status`: one line for status bars and prompts, most urgent first, and the global roll-up for scripts.
import { AgtmuxError } from "../../core/model/errors.ts";
import type { AwakeView, PaneList, TargetView } from "../../core/model/view.ts";
import { awakeText } from "../../core/model/words.ts";
import { nearlyUsedText } from "../../ui/text/limitText.ts";
import type { CliContext } from "../command/context.ts";
import { cleanLine } from "../render/clean.ts";
import { describeCounts } from "../render/mark.ts";
import { type Colour, type Paint, createPaint } from "../render/table.ts";

/** For tmux's status line, where `#` starts a format and `#[…]` a style. */
const STYLES: Readonly<Record<Colour, string>> = {
  bold: "bold",
  dim: "dim",
  red: "fg=red",
  green: "fg=green",
  yellow: "fg=yellow",
  blue: "fg=blue",
  magenta: "fg=magenta",
  cyan: "fg=cyan",
};

/** One line in which tmux finds no format and no style. */
const escapeTmux = (text: string): string => cleanLine(text).replaceAll("#", "##");

/** Paints with tmux's styles, and escapes the text. */
export const paintTmux: Paint = (colour, text) => `#[${STYLES[colour]}]${escapeTmux(text)}#[default]`;

type Format = "text" | "plain" | "tmux";
export const STATUS_FORMATS: readonly Format[] = ["text", "plain", "tmux"];

const parseFormat = (text: string): Format => {
  const format = STATUS_FORMATS.find((known) => known === text);
  if (format !== undefined) return format;
  throw new AgtmuxError("E_USAGE", `--format: unknown value '${text}'`, {
    remedy: `Use ${STATUS_FORMATS.join(", ")}.`,
  });
};

/** The targets that are missing from the numbers, short enough for a status bar; null when none is missing. */
const describeMissing = ({ problems }: PaneList, targets: readonly TargetView[]): string | null => {
  if (problems.length === 0) return null;
  const names = targets.flatMap(({ target, health }) => (health === "ok" ? [] : [`${target} ${health}`]));
  return names.length === 0 ? "incomplete" : names.join(", ");
};

const renderStatus = (
  { summary }: PaneList,
  { missing, awake, limits }: { missing: string | null; awake: AwakeView | null; limits: string },
  { paint, isShort }: { paint: Paint; isShort: boolean },
): string => {
  const { needs_action: needs, by_state } = summary;
  const need = needs === 0 ? [] : [paint("bold", `${needs} need${needs === 1 ? "s" : ""} you`)];
  const counts = describeCounts(by_state, paint, isShort ? 0 : null);
  const parts = isShort ? [counts] : [...need, counts === "" ? "no agents" : counts];
  return [
    parts.filter((part) => part !== "").join(paint("dim", " · ")),
    ...(missing === null ? [] : [paint("yellow", `(${cleanLine(missing)})`)]),
    ...(isShort || limits === "" ? [] : [paint("dim", `(${cleanLine(limits)})`)]),
    ...(isShort || awake === null ? [] : [paint("dim", `(${cleanLine(awakeText(awake))})`)]),
  ]
    .filter((part) => part !== "")
    .join(" ");
};

const paintOf = (format: Format, context: CliContext): Paint => {
  switch (format) {
    case "text":
      return context.paint;
    case "plain":
      return createPaint(false);
    case "tmux":
      return paintTmux;
  }
};

/** Fails with E_DAEMON_UNAVAILABLE where no daemon runs and none may be started. */
export const runStatus = async (
  context: CliContext,
  options: {
    json?: boolean;
    format?: string;
    /** commander's form of --no-start. */
    start: boolean;
  },
): Promise<void> => {
  const format = parseFormat(options.format ?? "text");
  if (options.json === true && options.format !== undefined)
    throw new AgtmuxError("E_USAGE", "--format and --json exclude each other");
  const client = await context.connect(options.start ? {} : { start: false });
  try {
    const list = await client.call((api) => api.panes.query({}));
    const targets = await client.call((api) => api.targets.query());
    const awake = targets.find(({ kind }) => kind === "local")?.awake ?? null;
    if (options.json === true) {
      const { schema_version, generated_at, filters, summary, problems } = list;
      context.print(
        `${JSON.stringify({ schema_version, generated_at, filters, summary, problems, awake })}\n`,
      );
      return;
    }
    const look = { paint: paintOf(format, context), isShort: format === "tmux" };
    context.print(
      `${renderStatus(list, { missing: describeMissing(list, targets), awake, limits: nearlyUsedText(targets, Date.parse(list.generated_at)) }, look)}\n`,
    );
  } finally {
    client.close();
  }
};
