// The table of `watch`: redrawn when something changed or ages have advanced, in place and without flicker.
import { createLogUpdate } from "log-update";
import type { DaemonClient } from "../../core/rpc/socketClient.ts";
import type { CliContext } from "../context.ts";
import type { Marks } from "../render/field.ts";
import { loadExactMeasure, PLAIN_MEASURE } from "../render/measure.ts";
import { cut } from "../render/table.ts";
import { resumeFeed } from "../resumeFeed.ts";
import { renderOptionsOf, type AskListing } from "../listing.ts";

export interface TableInput {
  readonly ask: AskListing;
  readonly marks: Marks;
  /** How often ages are redrawn; changes show at once. */
  readonly intervalMs: number;
  readonly all: boolean;
}

/** A burst of changes is one request and one frame. */
const SETTLE_MS = 50;

interface Screen {
  draw(lines: readonly string[]): void;
  close(): void;
}

/** Lines that do not fit are left out, and a line says how many; the last line stays free for the cursor. */
export const clip = (
  lines: readonly string[],
  size: { rows: number; columns: number },
): readonly string[] => {
  const room = Math.max(1, size.rows - 1);
  if (lines.length <= room) return lines;
  const hidden = lines.length - room + 1;
  return [
    ...lines.slice(0, room - 1),
    cut(`… ${hidden} more lines: use filters or a taller terminal`, size.columns, PLAIN_MEASURE),
  ];
};

/** In a terminal each frame replaces the last one; elsewhere each frame that differs is appended. */
const openScreen = (context: CliContext): Screen => {
  if (!context.stdout.isTTY) {
    let last = "";
    return {
      draw: (lines) => {
        const frame = `${lines.join("\n")}\n\n`;
        if (frame !== last) context.print(frame);
        last = frame;
      },
      close: () => {},
    };
  }
  const update = createLogUpdate(context.stdout);
  return {
    draw: (lines) => update(clip(lines, context.stdout).join("\n")),
    close: () => update.done(),
  };
};

/** Runs until the context's signal aborts. */
export const showTable = async (context: CliContext, input: TableInput): Promise<void> => {
  const screen = openScreen(context);
  // A table that stays on the screen loads the exact widths only once.
  const measure = await loadExactMeasure();
  let shown: Awaited<ReturnType<AskListing>> | null = null;
  let client: DaemonClient | null = null;
  let pending: NodeJS.Timeout | null = null;
  const failed = Promise.withResolvers<never>();

  const draw = (): void => {
    if (shown === null) return;
    const lines = shown.table({ ...renderOptionsOf(context, measure, shown.machines), ...input.marks });
    screen.draw(
      client === null ? [...lines, context.paint("yellow", "The daemon is gone; waiting for it…")] : lines,
    );
  };
  const refresh = async (from: DaemonClient): Promise<void> => {
    try {
      shown = await from.call(input.ask);
      draw();
    } catch (error) {
      // If the daemon disappears during the request, the feed notices it; any other error is a real failure.
      if (client === from) failed.reject(error);
    }
  };
  const schedule = (from: DaemonClient): void => {
    pending ??= setTimeout(() => {
      pending = null;
      void refresh(from);
    }, SETTLE_MS);
  };
  const follow = async (): Promise<void> => {
    const since = { version: null, time: null };
    for await (const event of resumeFeed(context, { since, all: input.all, isShown: true })) {
      client = event.kind === "lost" ? null : event.client;
      if (event.kind === "lost") draw();
      else schedule(event.client);
    }
  };

  const ticker = setInterval(draw, input.intervalMs);
  context.stdout.on("resize", draw);
  try {
    await Promise.race([follow(), failed.promise]);
  } finally {
    clearInterval(ticker);
    if (pending !== null) clearTimeout(pending);
    context.stdout.off("resize", draw);
    screen.close();
  }
};
