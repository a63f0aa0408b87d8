// The panes of documents: what is asked of and changed on a tmux server, which pane a document belongs to by its project's
// registry, whether that is still the pane that was claimed, the daemon's rows of panes, and the project's windows.
import { join, sep } from "node:path";
import { AgtmuxError, isMissing } from "../../core/model/errors.ts";
import {
  type PaneLife,
  readRegistry,
  type Registry,
  type RegistryEntry,
} from "../../features/documents/files/registry.ts";
import type { PlacedPane, TmuxCommand } from "../../features/documents/model/layoutPlan.ts";
import type { CliContext, DaemonClient } from "../command/context.ts";
import { cleanLine } from "../render/clean.ts";
import { realpath } from "node:fs/promises";
import type { PaneView } from "../../core/model/view.ts";
import {
  locateDocument,
  projectOf,
  shownPath,
  type DocumentPaths,
} from "../../features/documents/files/documentPaths.ts";
import { readText } from "../../features/documents/files/wholeFile.ts";
import { checkId } from "../../features/documents/flow/documentChanges.ts";
import { parseComponents } from "../../features/documents/model/documentText.ts";
import { readFrontmatter, type Frontmatter } from "../../features/documents/model/frontmatter.ts";
import { localPath } from "./place.ts";

// tmux: a listing is one call. A change is one more, which does nothing if another server has replaced the one that was listed.

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
  if (!WORD.test(word)) throw new Error(`tmux can't take '${word}'`);
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
const currentSocket = ({ env }: CliContext): string => {
  const [socket = ""] = (env["TMUX"] ?? "").split(",");
  if (socket !== "") return socket;
  return join(env["TMUX_TMPDIR"] || "/tmp", `tmux-${process.getuid?.() ?? 0}`, "default");
};

export const checkPaneId = (pane: string): string => {
  if (PANE_ID.test(pane)) return pane;
  throw new AgtmuxError("E_USAGE", `'${cleanLine(pane)}' isn't a pane id`, {
    remedy: "Ids look like %4.",
  });
};

/** `@3`, and `3` as older programs write it; null: none is named. */
export const checkWindowId = (window: string | undefined): string | null => {
  if (window === undefined || window === "") return null;
  const found = /^@?(\d+)$/.exec(window);
  if (found !== null) return `@${found[1]}`;
  throw new AgtmuxError("E_USAGE", `'${cleanLine(window)}' isn't a window id`, {
    remedy: "Ids look like @3.",
  });
};

/** What is on each tmux server, asked once for one command. */
export interface PaneLook {
  /** The server that the command is about where nothing else is said. */
  readonly here: string;
  /** Where the person's own claims are. */
  readonly home: string;
  at(socket: string): Promise<readonly TmuxPane[]>;
}

export const createPaneLook = (context: CliContext): PaneLook => {
  const asked = new Map<string, Promise<readonly TmuxPane[]>>();
  return {
    here: currentSocket(context),
    home: context.paths().home,
    at: (socket) => {
      const known = asked.get(socket) ?? listPanes(context, socket);
      asked.set(socket, known);
      return known;
    },
  };
};

const isSameLife = (a: PaneLife, b: PaneLife): boolean =>
  a.socket === b.socket &&
  a.serverPid === b.serverPid &&
  a.serverStart === b.serverStart &&
  a.panePid === b.panePid;

type Found =
  | { readonly isAlive: true; readonly pane: string; readonly live: TmuxPane }
  | { readonly isAlive: false; readonly reason: string };

/** A second and more: the times of entries are whole, and clocks differ. */
const AHEAD_MS = 60_000;

/**
 * Why an entry of another program is not believed; null: it is. Where it was claimed and when is all that is known of it, and the
 * registry may have come with the repository, from another machine.
 */
const findDoubt = async (
  { pane, cwd, started }: RegistryEntry,
  { life }: TmuxPane,
  root: string,
): Promise<string | null> => {
  const [from, at] = [cwd.startsWith("/") ? await realPathOf(cwd) : null, Date.parse(started)];
  if (from !== root && from?.startsWith(`${root}${sep}`) !== true)
    return `pane ${pane} was claimed from another folder, ${cwd}`;
  if (at < (life.serverStart - 1) * 1_000) return restarted(pane);
  return at <= Date.now() + AHEAD_MS ? null : `can't tell when pane ${pane} was claimed`;
};

const realPathOf = async (path: string): Promise<string | null> => {
  try {
    return await realpath(path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
};

const restarted = (pane: string): string => `the tmux server was started again, and ${pane} is another pane`;

/** Why it is not the pane that was claimed; null: it is. */
const findChange = (entry: RegistryEntry, known: PaneLife, { life }: TmuxPane): string | null => {
  if (isSameLife(known, life)) return null;
  return known.serverPid === life.serverPid && known.serverStart === life.serverStart
    ? `pane ${entry.pane} has another program now`
    : restarted(entry.pane);
};

/** Whether an entry still means the pane that was claimed. */
export const findPane = async (look: PaneLook, registry: Registry, id: string): Promise<Found> => {
  const entry = Object.hasOwn(registry.entries, id) ? registry.entries[id] : undefined;
  if (entry === undefined) return { isAlive: false, reason: "no pane is claimed for it" };
  const known = registry.own[id]?.life ?? null;
  const panes = await look.at(known?.socket ?? look.here);
  const live = panes.find(({ pane }) => pane === entry.pane);
  if (live === undefined) return { isAlive: false, reason: `pane ${entry.pane} is gone` };
  const reason =
    known === null ? await findDoubt(entry, live, registry.root) : findChange(entry, known, live);
  return reason === null ? { isAlive: true, pane: entry.pane, live } : { isAlive: false, reason };
};

/**
 * What the daemon knows of a pane, by its id in its own tmux server. @throws AgtmuxError E_UNSUPPORTED where it does not watch that
 * server: a claim for such a pane would help nobody.
 */
export const rowOf = async (client: DaemonClient, { life, pane }: TmuxPane): Promise<PaneView> => {
  const insideTmux = `${await realpath(life.socket)},${life.serverPid},0`;
  try {
    return await client.call((api) => api.resolve.query({ ref: pane, insideTmux, tmuxPane: pane }));
  } catch (error) {
    if (!(error instanceof AgtmuxError) || error.code !== "E_REF_NOT_FOUND") throw error;
    throw new AgtmuxError(
      "E_UNSUPPORTED",
      `pane ${pane} is in a tmux server that agtmux does not watch: ${cleanLine(life.socket)}`,
      { cause: error, remedy: "Name that server in 'tmux_servers' of config.json, and repeat." },
    );
  }
};

/** Where a daemon runs, it has to know the pane. @throws AgtmuxError E_UNSUPPORTED as above. */
export const checkWatched = async (context: CliContext, pane: TmuxPane): Promise<void> => {
  let client: DaemonClient;
  try {
    client = await context.connect({ start: false });
  } catch (error) {
    if (error instanceof AgtmuxError) return;
    throw error;
  }
  try {
    await rowOf(client, pane);
  } finally {
    client.close();
  }
};

/** Which pane it is, among those of several tmux servers. */
export const keyOf = ({ life, pane }: TmuxPane): string => `${life.socket} ${life.serverPid} ${pane}`;

/** The same for many panes, by `keyOf`: one pane per tmux server is asked for, which names the server; one list has the others. */
export const rowsOf = async (
  client: DaemonClient,
  panes: readonly TmuxPane[],
): Promise<ReadonlyMap<string, PaneView>> => {
  const rows = new Map<string, PaneView>();
  const servers = Map.groupBy(panes, ({ life }) => `${life.socket} ${life.serverPid} ${life.serverStart}`);
  for (const [first, ...others] of servers.values()) {
    if (first === undefined) continue;
    const row = await rowOf(client, first);
    rows.set(keyOf(first), row);
    const { target, tmux_server: server } = row.identity;
    const { items } =
      others.length === 0
        ? { items: [] }
        : await client.call((api) => api.panes.query({ target, all: true }));
    const own = items.filter(({ identity }) => identity.tmux_server === server);
    const known = new Map(own.map((item) => [item.identity.pane_id, item]));
    // A pane that is only just there is in no list yet.
    for (const pane of others) rows.set(keyOf(pane), known.get(pane.pane) ?? (await rowOf(client, pane)));
  }
  return rows;
};

export const dead = (name: string, reason: string): AgtmuxError =>
  new AgtmuxError("E_REF_NOT_FOUND", `${name}: ${cleanLine(reason)}`, {
    remedy: "Run 'agtmux doc claim' for it in the pane of its agent; nothing was sent.",
  });

export interface ClaimedDocument {
  readonly paths: DocumentPaths;
  /** As it is shown. */
  readonly name: string;
  readonly frontmatter: Frontmatter;
}

/** The document with what its frontmatter says. @throws AgtmuxError E_USAGE, E_DOCUMENT_INVALID */
export const openClaimed = async (file: string): Promise<ClaimedDocument> => {
  const paths = await locateDocument(localPath(file), process.cwd());
  const name = cleanLine(shownPath(paths));
  const text = await readText(paths.file);
  // A document that could not be answered in is refused before anything is started or typed.
  parseComponents(text);
  const frontmatter = readFrontmatter(text);
  checkId(frontmatter);
  return { paths, name, frontmatter };
};

export const findClaimed = (
  look: PaneLook,
  registry: Registry,
  { frontmatter: { session } }: ClaimedDocument,
): Promise<Found> =>
  session === null
    ? Promise.resolve({ isAlive: false, reason: "no pane is claimed for it" })
    : findPane(look, registry, session);

/** @throws AgtmuxError E_REF_NOT_FOUND with the reason. */
export const claimedPane = async (look: PaneLook, file: string) => {
  const document = await openClaimed(file);
  const found = await findClaimed(look, await readRegistry(document.paths, look.home), document);
  if (!found.isAlive) throw dead(document.name, found.reason);
  return { ...document, live: found.live };
};

/** Panes that documents of the project have. */
export const ownedPanes = async (look: PaneLook, registry: Registry): Promise<ReadonlySet<string>> => {
  const found = await Promise.all(Object.keys(registry.entries).map((id) => findPane(look, registry, id)));
  return new Set(found.flatMap((one) => (one.isAlive ? [one.pane] : [])));
};

/** The window that a pane was claimed in, also as older programs write it. */
export const claimedWindow = ({ window }: RegistryEntry): string | null =>
  window === undefined ? null : window.replace(/^@?/, "@");

/** The registry of the folder that a command is typed in. */
export const currentProject = (): ReturnType<typeof projectOf> => projectOf(process.cwd());

/**
 * The window that is meant: the named one where it is there, else the first that is there of those that this project's documents
 * have, else none. @throws AgtmuxError E_DOCUMENT_INVALID for a registry that does not parse.
 */
export const findWindow = (
  panes: readonly TmuxPane[],
  { entries }: Registry,
  wanted: { window: string | null; root: string },
): string | null => {
  if (wanted.window === null) return null;
  const isThere = (window: string) => panes.some((pane) => pane.window === window);
  if (isThere(wanted.window)) return wanted.window;
  const others = Object.values(entries)
    .filter(({ cwd }) => cwd === wanted.root)
    .map(claimedWindow);
  return others.find((window) => window !== null && isThere(window)) ?? null;
};
