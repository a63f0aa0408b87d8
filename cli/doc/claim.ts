// `agtmux doc claim`: a document belongs to a pane from now on. Nothing is started and nothing typed.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { AgtmuxError } from "../../core/model/errors.ts";
import { shownPath } from "../../features/documents/files/documentPaths.ts";
import { changeRegistry, readRegistry, type RegistryEntry } from "../../features/documents/files/registry.ts";
import { appendKept } from "../../features/documents/files/wholeFile.ts";
import { claimDocument } from "../../features/documents/flow/documentChanges.ts";
import { ensureHome } from "../../core/rpc/paths.ts";
import type { CliContext } from "../command/context.ts";
import {
  checkWatched,
  createPaneLook,
  findWindow,
  openClaimed,
  type ClaimedDocument,
  askTmux,
  checkPaneId,
  checkWindowId,
  type TmuxPane,
} from "./claims.ts";

const SHOWN_MS = "3000";

/** Binds it, and says so: on the pane's screen, and in the log that the skill reads. */
export const bindDocument = async (
  context: CliContext,
  { paths, name }: ClaimedDocument,
  { pane, window, life }: TmuxPane,
): Promise<void> => {
  // What cannot be read or written is found before the document is touched.
  const { home } = context.paths();
  ensureHome(context.paths());
  await readRegistry(paths, home);
  const log = join(paths.folder, "claims.log");
  await appendKept(paths, log, "");
  const session = await claimDocument(paths, randomUUID);
  const entry: RegistryEntry = {
    pane,
    pid: life.panePid,
    cwd: paths.root,
    started: new Date(context.now()).toISOString().replace(/\.\d+Z$/, "Z"),
    file: shownPath(paths),
    window,
  };
  await changeRegistry(paths, home, ({ entries, own }) => ({
    entries: { ...entries, [session]: { ...entries[session], ...entry } },
    own: { ...own, [session]: { life, file: paths.file, shownPrompt: null } },
  }));
  const message = `Claimed ${name} (pane ${pane})`;
  // `#` would begin a format of tmux.
  const shown = message.replaceAll("#", "##");
  await askTmux(context, life.socket, ["display-message", "-d", SHOWN_MS, "-t", pane, shown]);
  await appendKept(paths, log, `Claimed ${name} for pane ${pane}\n`);
  context.print(`${message}.\n`);
};

const SIDES = {
  left: ({ left }: TmuxPane) => left,
  right: ({ left, width }: TmuxPane) => -(left + width),
  top: ({ top }: TmuxPane) => top,
  bottom: ({ top, height }: TmuxPane) => -(top + height),
} as const;
type Side = keyof typeof SIDES;
const SIDE_NAMES = ["left", "right", "top", "bottom"] as const satisfies readonly Side[];

const sideOf = (typed: string): Side => {
  const found = SIDE_NAMES.find((side) => side === typed);
  if (found !== undefined) return found;
  throw new AgtmuxError("E_USAGE", `--position '${typed.slice(0, 40)}' is unknown`, {
    remedy: `Use ${SIDE_NAMES.join(", ")}.`,
  });
};

/** Of several on that side the active one, else the first. */
const paneAt = (panes: readonly TmuxPane[], side: Side): TmuxPane | undefined =>
  panes.toSorted(
    (a, b) => SIDES[side](a) - SIDES[side](b) || Number(b.isActive) - Number(a.isActive) || a.index - b.index,
  )[0];

/** The window that a person looks at: that of the pane one is in, else the front one of the session that was used last. */
const currentWindow = (panes: readonly TmuxPane[], own: string | undefined): string | null =>
  (
    panes.find(({ pane }) => pane === own) ??
    panes.filter(({ isWindowActive }) => isWindowActive).toSorted((a, b) => b.usedAt - a.usedAt)[0]
  )?.window ?? null;

export interface ClaimOptions {
  pane?: string;
  position?: string;
  window?: string;
}

type Wanted = { readonly pane: string } | { readonly side: Side; readonly window: string | null };

/** @throws AgtmuxError E_USAGE, and E_UNSUPPORTED where nothing says which pane. */
const wantedPane = ({ env }: CliContext, { pane, position, window }: ClaimOptions): Wanted => {
  const asked = checkWindowId(window);
  if (pane !== undefined) return { pane: checkPaneId(pane) };
  if (position !== undefined) return { side: sideOf(position), window: asked };
  const own = env["TMUX_PANE"];
  if (own !== undefined && own !== "") return { pane: checkPaneId(own) };
  throw new AgtmuxError("E_UNSUPPORTED", "this is not inside tmux", {
    remedy: "Run it in the pane of the agent, or name one with --pane or --position.",
  });
};

export const runClaim = async (context: CliContext, file: string, options: ClaimOptions): Promise<void> => {
  const wanted = wantedPane(context, options);
  const document = await openClaimed(file);
  const look = createPaneLook(context);
  const panes = await look.at(look.here);
  const registry = await readRegistry(document.paths, look.home);
  if ("pane" in wanted) {
    const found = panes.find(({ pane }) => pane === wanted.pane);
    if (found === undefined)
      throw new AgtmuxError("E_REF_NOT_FOUND", `there is no pane ${wanted.pane} in this tmux server`);
    await checkWatched(context, found);
    return bindDocument(context, document, found);
  }
  const { window, side } = wanted;
  const within =
    findWindow(panes, registry, { window, root: document.paths.root }) ??
    currentWindow(panes, context.env["TMUX_PANE"]);
  const found = paneAt(
    panes.filter((one) => one.window === within),
    side,
  );
  if (found === undefined)
    throw new AgtmuxError("E_REF_NOT_FOUND", "there is no tmux server with a pane to claim", {
      remedy: "Start tmux, or run it inside the one that has the agent.",
    });
  await checkWatched(context, found);
  return bindDocument(context, document, found);
};
