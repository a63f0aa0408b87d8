// `agtmux doc focus|resync`: going to the pane of a document, and removing entries whose panes are gone. `agtmux doc layout|sync`:
// the panes of documents stand as the documents do in the editor, with at most three calls of tmux: one asks where every pane is,
// one makes all changes, one checks the result.
import {
  changeRegistry,
  readRegistry,
  withoutEntries,
  type Registry,
} from "../../features/documents/files/registry.ts";
import { type TmuxCommand, planLayout } from "../../features/documents/model/layoutPlan.ts";
import type { CliContext } from "../command/context.ts";
import { cleanLine } from "../render/clean.ts";
import {
  claimedPane,
  createPaneLook,
  currentProject,
  dead,
  findPane,
  changeTmux,
  checkPaneId,
  type TmuxPane,
  claimedWindow,
  findClaimed,
  findWindow,
  openClaimed,
  ownedPanes,
  type PaneLook,
  checkWindowId,
  listPanes,
} from "./claims.ts";
import { AgtmuxError } from "../../core/model/errors.ts";

// Focus and resync: tmux is only asked, and told which pane to select.

export const selecting = (pane: string): TmuxCommand[] => [
  ["select-window", "-t", pane],
  ["select-pane", "-t", pane],
];

export const focusPane = (context: CliContext, { life, pane }: TmuxPane): Promise<void> =>
  changeTmux(context, life, selecting(pane));

export const runFocus = async (
  context: CliContext,
  file: string,
  options: { pane?: string },
): Promise<void> => {
  const look = createPaneLook(context);
  if (options.pane === undefined) return focusPane(context, (await claimedPane(look, file)).live);
  const wanted = checkPaneId(options.pane);
  const found = (await look.at(look.here)).find(({ pane }) => pane === wanted);
  if (found === undefined) throw dead(wanted, "there is no such pane");
  return focusPane(context, found);
};

export const runResync = async (context: CliContext): Promise<void> => {
  const project = await currentProject();
  const look = createPaneLook(context);
  const registry = await readRegistry(project, look.home);
  const lines: string[] = [];
  const gone: string[] = [];
  for (const [id, { file, pane }] of Object.entries(registry.entries)) {
    const found = await findPane(look, registry, id);
    if (!found.isAlive) gone.push(id);
    lines.push(found.isAlive ? `${file}: pane ${pane}` : `${file}: removed, ${found.reason}`);
  }
  if (gone.length > 0) await changeRegistry(project, look.home, (before) => withoutEntries(before, gone));
  context.print(lines.length === 0 ? "No document is claimed.\n" : `${lines.map(cleanLine).join("\n")}\n`);
};

// Layout and sync.

const warn = (context: CliContext, message: string): void =>
  void context.stderr.write(`agtmux: warning: ${cleanLine(message)}.\n`);

/** The pane of a file; null, with a warning, where it has none. */
const paneOf = async (
  context: CliContext,
  look: PaneLook,
  registry: Registry,
  file: string,
): Promise<TmuxPane | null> => {
  try {
    const found = await findClaimed(look, registry, await openClaimed(file));
    if (found.isAlive) return found.live;
    warn(context, `${file} is left out: ${found.reason}`);
  } catch (error) {
    // An editor has other files open as well; one of them must not keep the rest from its place.
    if (!(error instanceof AgtmuxError)) throw error;
    warn(context, `${file} is left out: ${error.message}`);
  }
  return null;
};

/** Panes by column, each once: several documents may have one. `only`: those of other panes are left out. */
const resolveColumns = async (
  context: CliContext,
  look: PaneLook,
  registry: Registry,
  { columns, only }: { columns: readonly (readonly string[])[]; only: ReadonlySet<string> | null },
): Promise<TmuxPane[][]> => {
  const seen = new Set<string>();
  const resolved: TmuxPane[][] = [];
  for (const column of columns) {
    const own: TmuxPane[] = [];
    for (const file of column) {
      const found = await paneOf(context, look, registry, file);
      if (found === null || seen.has(found.pane) || only?.has(found.pane) === false) continue;
      seen.add(found.pane);
      own.push(found);
    }
    if (own.length > 0) resolved.push(own);
  }
  return resolved;
};

/** The window that has the most of them; of several the fullest. */
const fullestWindow = (wanted: readonly TmuxPane[], panes: readonly TmuxPane[]): string => {
  const count = (among: readonly TmuxPane[], window: string) =>
    among.filter((one) => one.window === window).length;
  const windows = [...new Set(wanted.map(({ window }) => window))];
  const [first = ""] = windows.toSorted(
    (a, b) => count(wanted, b) - count(wanted, a) || count(panes, b) - count(panes, a),
  );
  return first;
};

interface Wanted {
  readonly columns: readonly (readonly TmuxPane[])[];
  /** Null: the one that has the most of them. */
  readonly window: string | null;
  readonly mayLeave: (pane: string) => boolean;
  /** As in the plan. */
  readonly isApart: boolean;
  readonly focus: string | null;
}

/** Brings them into place. @throws AgtmuxError E_UNSUPPORTED where tmux does not; every pane is still there then. */
export const arrange = async (
  context: CliContext,
  panes: readonly TmuxPane[],
  { columns, window: asked, mayLeave, isApart, focus }: Wanted,
): Promise<void> => {
  const [first] = columns.flat();
  if (first === undefined) return;
  const window = asked ?? fullestWindow(columns.flat(), panes);
  const inside = panes.find((one) => one.window === window) ?? first;
  const size = { width: inside.windowWidth, height: inside.windowHeight };
  const ids = columns.map((column) => column.map(({ pane }) => pane));
  const shape = (now: readonly TmuxPane[]) => ({
    panes: now,
    window: { window, ...size, isZoomed: now.find((one) => one.window === window)?.isZoomed ?? false },
    columns: ids,
    mayLeave,
    isApart,
  });
  const commands = planLayout(shape(panes));
  if (commands === null)
    throw new AgtmuxError("E_UNSUPPORTED", `the window is too small for ${ids.flat().length} panes`, {
      remedy: "Make the terminal larger, or show fewer documents; nothing was moved.",
    });
  const select: TmuxCommand[] = focus === null ? [] : selecting(focus);
  await changeTmux(context, first.life, [...commands, ...select]);
  if (commands.length === 0) return;
  const after = await listPanes(context, first.life.socket);
  if (planLayout(shape(after))?.length !== 0)
    throw new AgtmuxError("E_UNSUPPORTED", "tmux did not bring the panes into their places", {
      remedy: "Repeat it; every pane is still there.",
    });
};

/** Those on the tmux server of the first; panes cannot move between servers. */
const onOneServer = (context: CliContext, columns: readonly TmuxPane[][]): TmuxPane[][] => {
  const socket = columns.flat()[0]?.life.socket;
  return columns
    .map((column) =>
      column.filter(({ life, pane }) => {
        if (life.socket !== socket) warn(context, `pane ${pane} is left out: it is in another tmux server`);
        return life.socket === socket;
      }),
    )
    .filter((column) => column.length > 0);
};

interface Request {
  readonly files: readonly (readonly string[])[];
  readonly window: string | undefined;
  /** Only panes that were claimed in the named window. */
  readonly isFiltered: boolean;
  readonly keepsForeign: boolean;
  readonly focus: string | null;
}

/** Panes whose documents were claimed in a window. */
const claimedIn = ({ entries }: Registry, window: string): ReadonlySet<string> =>
  new Set(Object.values(entries).flatMap((entry) => (claimedWindow(entry) === window ? [entry.pane] : [])));

const arrangeFiles = async (context: CliContext, request: Request): Promise<void> => {
  const asked = checkWindowId(request.window);
  const project = await currentProject();
  const look = createPaneLook(context);
  const registry = await readRegistry(project, look.home);
  const window = findWindow(await look.at(look.here), registry, { window: asked, root: project.root });
  const only = request.isFiltered && window !== null ? claimedIn(registry, window) : null;
  const wanted = { columns: request.files, only };
  const columns = onOneServer(context, await resolveColumns(context, look, registry, wanted));
  const [first] = columns.flat();
  if (first === undefined)
    throw new AgtmuxError("E_REF_NOT_FOUND", "none of these documents has a pane", {
      remedy: "Run 'agtmux doc claim' in the pane of the agent; nothing was moved.",
    });
  const { socket } = first.life;
  const registered = await ownedPanes(look, registry);
  const focused = request.focus === null ? null : await paneOf(context, look, registry, request.focus);
  await arrange(context, await look.at(socket), {
    columns,
    // A window of another server has nothing to do with these panes.
    window: socket === look.here ? window : null,
    mayLeave: (pane) => !request.keepsForeign || registered.has(pane),
    isApart: !request.isFiltered,
    focus: focused?.life.socket === socket ? focused.pane : null,
  });
};

const SPLITS = ["h", "v"];

export const runLayout = async (
  context: CliContext,
  files: readonly string[],
  options: {
    stacked?: boolean;
    split?: string;
    window?: string;
  },
): Promise<void> => {
  const { split = options.stacked === true ? "v" : "h", window } = options;
  if (!SPLITS.includes(split))
    throw new AgtmuxError("E_USAGE", `--split '${split.slice(0, 40)}' is unknown`, {
      remedy: "Use h (side by side) or v (one above the other).",
    });
  const [only, ...more] = files;
  if (only !== undefined && more.length === 0) return runFocus(context, only, {});
  return arrangeFiles(context, {
    files: split === "h" ? files.map((file) => [file]) : [files],
    window,
    isFiltered: true,
    keepsForeign: true,
    focus: files[0] ?? null,
  });
};

export const runSync = async (
  context: CliContext,
  options: {
    col?: readonly string[];
    window?: string;
    focus?: string;
    keepForeign?: boolean;
  },
): Promise<void> => {
  const files = (options.col ?? []).map((column) => column.split(",").filter((file) => file !== ""));
  if (files.flat().length === 0)
    throw new AgtmuxError("E_USAGE", "sync needs a column of files", {
      remedy: "Give --col a.md,b.md, once for each column.",
    });
  await arrangeFiles(context, {
    files,
    window: options.window,
    isFiltered: false,
    keepsForeign: options.keepForeign === true,
    focus: options.focus ?? null,
  });
};
