// What exists on one tmux server and what its panes show: the pane listing with its format and parser, the visible screens, and the
// probes, which say cheaply whether a new listing is due (`probeTopology`, and one each for servers of this machine and behind a
// connection). When to ask is the caller's decision. Measured on tmux 3.3a with 200 panes in 20 sessions (bench/tmux.ts): each
// format variable costs the server about 1 µs per pane.
import type { Pane, ServerInstance } from "../model/runtime.ts";
import { cleanName, cleanText, cleanLine } from "./cleanText.ts";
import type { TmuxServer, QueryResult } from "./tmuxServer.ts";
import { createHash } from "node:crypto";
import type { ReadCommand } from "./tmuxCommand.ts";
import type { Clock } from "../ports/clock.ts";
import type { Screen } from "../ports/agentAdapter.ts";

// Pane listing: one format and its parser. Numbers come first, separated by spaces; the three free texts stand between marks that
// hold the query's nonce, so that no title or name can shift a field or forge a row, whatever characters a version of tmux lets
// through.

const MAX_NAME = 200;
const MAX_TITLE = 500;

const NUMBER_FIELDS = [
  "pane_id",
  "session_id",
  "window_id",
  "window_index",
  "pane_index",
  "pane_pid",
  "pane_active",
  "pane_dead",
  "alternate_on",
  "pane_in_mode",
  "pane_width",
  "pane_height",
  "cursor_x",
  "cursor_y",
  "history_size",
  "window_activity",
  "session_grouped",
  "pane_dead_status",
  "pane_tty",
] as const;

/**
 * When the pane printed last, epoch seconds; where tmux does not tell that, when something in its window did. That of a window moves
 * also when a person goes to it.
 */
const activityOf = ({ tellsPaneOutput }: Pick<TmuxServer, "tellsPaneOutput">): string =>
  tellsPaneOutput
    ? "#{?pane_last_output_time,#{pane_last_output_time},#{window_activity}}"
    : "#{window_activity}";

/** Not `pane_current_command`: it costs a read of the process table per pane (facts of tmux 3.3a). */
export const rowFormat = (nonce: string, server: Pick<TmuxServer, "tellsPaneOutput">): string => {
  const mark = `<${nonce}>`;
  const numbers = NUMBER_FIELDS.map((name) =>
    name === "window_activity" ? activityOf(server) : `#{${name}}`,
  ).join(" ");
  return `${mark}${numbers}${mark}#{pane_title}${mark}#{window_name}${mark}#{session_name}${mark}`;
};

/**
 * The pid of a pane for which tmux names no process: since 3.8 where the pane is dead or its program closed the terminal, when older
 * versions go on naming the last one.
 */
export const NO_PROCESS = -1;

/** A pane as one session has it. */
type ListedPane = Omit<Pane, "targetId" | "server" | "alsoIn" | "updatedAt"> & { isGrouped: boolean };

const parseRow = (parts: readonly string[]): ListedPane | null => {
  const [numbers = "", title = "", windowName = "", sessionName = ""] = parts;
  const fields = numbers.split(" ");
  if (fields.length !== NUMBER_FIELDS.length) return null;
  const field = (name: (typeof NUMBER_FIELDS)[number]): string => fields[NUMBER_FIELDS.indexOf(name)] ?? "";
  const integer = (name: (typeof NUMBER_FIELDS)[number]): number =>
    /^-?\d{1,15}$/.test(field(name)) ? Number(field(name)) : Number.NaN;
  const isSet = (name: (typeof NUMBER_FIELDS)[number]): boolean => integer(name) > 0;
  const paneId = field("pane_id");
  const sessionId = field("session_id");
  const windowId = field("window_id");
  if (!/^%\d{1,10}$/.test(paneId) || !/^\$\d{1,10}$/.test(sessionId) || !/^@\d{1,10}$/.test(windowId))
    return null;
  const row = {
    paneId,
    sessionId,
    sessionName: cleanName(sessionName, MAX_NAME, sessionId),
    windowId,
    windowIndex: integer("window_index"),
    windowName: cleanName(windowName, MAX_NAME, windowId),
    paneIndex: integer("pane_index"),
    panePid: field("pane_pid") === "" ? NO_PROCESS : integer("pane_pid"),
    tty: cleanText(field("pane_tty"), MAX_NAME),
    title: cleanText(title, MAX_TITLE),
    isActive: isSet("pane_active"),
    isDead: isSet("pane_dead"),
    deadStatus: Number.isNaN(integer("pane_dead_status")) ? null : integer("pane_dead_status"),
    isAlternate: isSet("alternate_on"),
    inMode: isSet("pane_in_mode"),
    width: integer("pane_width"),
    height: integer("pane_height"),
    cursorX: integer("cursor_x"),
    cursorY: integer("cursor_y"),
    historySize: integer("history_size"),
    windowActivity: integer("window_activity"),
    isGrouped: isSet("session_grouped"),
  };
  return Object.values(row).some((value) => Number.isNaN(value)) ? null : row;
};

/** Rows that parse; `malformed` counts the others. A newline inside a name does not break a row. */
export const parseRows = (
  lines: readonly string[],
  nonce: string,
): { rows: ListedPane[]; malformed: number } => {
  const rows: ListedPane[] = [];
  let malformed = 0;
  // Every row holds five marks: its text starts after the first and ends at the fifth.
  const parts = lines.join("\n").split(`<${nonce}>`);
  if ((parts[0] ?? "").trim() !== "") malformed += 1;
  for (let at = 1; at < parts.length; at += 5) {
    const row = at + 3 < parts.length ? parseRow(parts.slice(at, at + 4)) : null;
    const between = parts[at + 4];
    if (row === null || (between ?? "x").trim() !== "") malformed += 1;
    if (row !== null) rows.push(row);
  }
  return { rows, malformed };
};

const idNumber = (id: string): number => Number(id.slice(1));

/** Orders sessions to choose the one that stands for a pane: ungrouped before grouped, then the lowest id. */
const byRank = (a: ListedPane, b: ListedPane): number =>
  Number(a.isGrouped) - Number(b.isGrouped) || idNumber(a.sessionId) - idNumber(b.sessionId);

/**
 * One entry per pane, in the order of the listing: the row of the session that stands for it, with every other link of its
 * window in `alsoIn`. Of the links of one session the lowest index comes first.
 */
export const foldRows = (
  rows: readonly ListedPane[],
): (Omit<ListedPane, "isGrouped"> & { alsoIn: Pane["alsoIn"] })[] => {
  const byPane = Map.groupBy(rows, (row) => row.paneId);
  return [...byPane.values()].flatMap((group) => {
    const ranked = group.toSorted((a, b) => byRank(a, b) || a.windowIndex - b.windowIndex);
    const [first, ...others] = ranked;
    if (first === undefined) return [];
    const { isGrouped: _, ...chosen } = first;
    const alsoIn = others.map(({ sessionId, sessionName, windowIndex }) => ({
      sessionId,
      sessionName,
      windowIndex,
    }));
    return [{ ...chosen, alsoIn }];
  });
};

// Screens: the visible part only, never the scrollback, as clean bounded lines.

export const MAX_SCREEN_LINES = 300;
export const MAX_SCREEN_COLUMNS = 1_000;
/**
 * Panes per query. On this machine each pane costs the server some turns of its loop; over a connection, which may be slow, a query
 * must be answered in time, and others wait behind it.
 */
const PANES_PER_QUERY = { direct: 50, polling: 20 } as const;

const TAB_COLUMNS = 8;

/**
 * From 3.6 on tmux gives a tab as it was printed; older versions give the blanks that it draws. Every character counts as one
 * column.
 */
const withoutTabs = (line: string): string => {
  let drawn = "";
  for (const part of line.split(/(\t)/))
    drawn += part === "\t" ? " ".repeat(TAB_COLUMNS - (drawn.length % TAB_COLUMNS)) : part;
  return drawn;
};

/** A screen's lines, top to bottom, without trailing blank lines. Of a screen that is too tall only the bottom is kept. */
export const cleanScreen = (lines: readonly string[]): string[] => {
  const last = lines.findLastIndex((line) => line.trimEnd() !== "");
  return lines
    .slice(Math.max(0, last + 1 - MAX_SCREEN_LINES), last + 1)
    .map((line) => cleanLine(withoutTabs(line), MAX_SCREEN_COLUMNS));
};

/**
 * The visible screens of some panes. A pane that is gone, or a server that does not answer, is missing in the map. While a
 * pane is in copy mode this is still the program's screen (tmux 3.3a).
 */
export const captureScreens = async (
  server: TmuxServer,
  paneIds: readonly string[],
): Promise<Map<string, string[]>> => {
  const screens = new Map<string, string[]>();
  const atOnce = PANES_PER_QUERY[server.mode];
  for (let from = 0; from < paneIds.length; from += atOnce) {
    const ids = paneIds.slice(from, from + atOnce);
    const result = await server.query(ids.map((paneId) => ["capture-pane", "-p", "-t", paneId]));
    if (result.status !== "ok") break;
    for (const [index, answer] of result.answers.entries())
      if (answer.isOk) screens.set(ids[index] ?? "", cleanScreen(answer.lines));
  }
  return screens;
};

/** A screen of one moment with its size, its mode and where its cursor stands. */
export type ScreenLook = Omit<Screen, "title" | "styledLines">;

const LOOK_FIELDS =
  "#{cursor_x} #{cursor_y} #{cursor_flag} #{alternate_on} #{pane_width} #{pane_height}" as const;

const parseLook = (about: string, rows: readonly string[]): ScreenLook | null => {
  const numbers = about.split(" ").map(Number);
  const [x = 0, y = 0, isVisible, isAlternate, width = 0, height = 0] = numbers;
  if (numbers.length !== 6 || numbers.some((value) => !Number.isInteger(value))) return null;
  const lines = cleanScreen(rows);
  const end = rows.findLastIndex((row) => row.trimEnd() !== "") + 1;
  const cursor = { x, y: y - (end - lines.length), isVisible: isVisible === 1 };
  return { lines, cursor, isAlternate: isAlternate === 1, width, height };
};

/** As `captureScreens`, with more of each. */
export const captureLooks = async (
  server: TmuxServer,
  paneIds: readonly string[],
): Promise<Map<string, ScreenLook>> => {
  const looks = new Map<string, ScreenLook>();
  const atOnce = PANES_PER_QUERY[server.mode];
  for (let from = 0; from < paneIds.length; from += atOnce) {
    const ids = paneIds.slice(from, from + atOnce);
    const result = await server.query(
      ids.flatMap((paneId) => [
        ["display-message", "-p", "-t", paneId, LOOK_FIELDS],
        ["capture-pane", "-p", "-t", paneId],
      ]),
    );
    if (result.status !== "ok") break;
    for (const [index, paneId] of ids.entries()) {
      const [about, screen] = result.answers.slice(index * 2, index * 2 + 2);
      const look = about?.isOk && screen?.isOk ? parseLook(about.lines[0] ?? "", screen.lines) : null;
      if (look !== null) looks.set(paneId, look);
    }
  }
  return looks;
};

// Listing, and the full probe.

/** `problem`: something was wrong with a part (rows skipped), null when all is well. */
type TopologyResult =
  | { status: "ok"; instance: ServerInstance; panes: Pane[]; problem: string | null }
  | { status: "no_server" }
  | { status: "error"; problem: string };

/**
 * `fingerprint` changes when the server is another one, a pane appears, disappears, is respawned, dies, becomes active or
 * moves to another window, index or session, and when a title, window or session is renamed. `windowActivity` (epoch seconds, per
 * pane id) is the time of the last output in the pane, or where tmux does not tell that, in its window.
 */
export type ProbeResult =
  | { status: "ok"; fingerprint: string; windowActivity: ReadonlyMap<string, number> }
  | { status: "no_server" }
  | { status: "error"; problem: string };

const INSTANCE: ReadCommand = ["display-message", "-p", "#{pid} #{start_time} #{socket_path}"];

/** A server that lists more rows (a pane once for each session that shows it) is not believed. */
const MAX_ROWS = 10_000;

/** Shows splits, deaths, new numbers, titles, names and activity. */
const probeFormat = (server: Pick<TmuxServer, "tellsPaneOutput">): string =>
  `#{pane_id} ${activityOf(server)} #{pane_pid} #{pane_dead} #{window_id} #{window_index} #{pane_title} #{window_name} #{session_name}`;

/** The listing of `result`, or why there is none. */
export const readListing = (
  result: QueryResult,
  server: string,
):
  | { status: "ok"; instance: ServerInstance; lines: readonly string[]; at: number }
  | Exclude<QueryResult, { status: "ok" }> => {
  if (result.status !== "ok") return result;
  const [about, listing] = result.answers;
  const [, pid, startedAt, socketPath = ""] =
    /^(\d{1,10}) (\d{1,12}) (.*)$/.exec(about?.lines[0] ?? "") ?? [];
  if (about?.isOk !== true || pid === undefined || listing === undefined)
    return { status: "error", problem: "tmux did not say which server it is" };
  const instance = { server, socketPath, pid: Number(pid), startedAt: Number(startedAt) * 1_000 };
  return { status: "ok", instance, lines: listing.lines, at: result.at };
};

/**
 * Every pane of the server, one entry each. `makeNonce` gives the marks that names cannot forge. A row that cannot be read
 * is left out and counted in `problem`. Instance: pid, start time (epoch ms, whole seconds) and the server's own socket path.
 */
export const listTopology = async (server: TmuxServer, makeNonce: () => string): Promise<TopologyResult> => {
  const nonce = makeNonce();
  const result = await server.query([INSTANCE, ["list-panes", "-a", "-F", rowFormat(nonce, server)]]);
  const listing = readListing(result, server.server);
  if (listing.status !== "ok") return listing;
  const { rows, malformed } = parseRows(listing.lines, nonce);
  if (rows.length > MAX_ROWS)
    return {
      status: "error",
      problem: `tmux lists ${rows.length} panes: more than ${MAX_ROWS} are not watched`,
    };
  const identity = { targetId: server.targetId, server: server.server, updatedAt: listing.at };
  return {
    status: "ok",
    instance: listing.instance,
    panes: foldRows(rows).map((pane) => ({ ...identity, ...pane })),
    problem: malformed === 0 ? null : `tmux list-panes: ${malformed} rows could not be read and are left out`,
  };
};

/** The query of the full probe. */
const probeListing = async (server: TmuxServer): Promise<ReturnType<typeof readListing>> =>
  readListing(await server.query([INSTANCE, ["list-panes", "-a", "-F", probeFormat(server)]]), server.server);

/** `rest`: everything but the activity, which moves with every output. A line of another form is all `rest`. */
interface ProbeLine {
  paneId: string;
  activity: number | null;
  windowId: string | null;
  rest: string;
}

const parseProbeLine = (line: string): ProbeLine => {
  const [, paneId = "", activity, rest = line] = /^(%\d+) (\d+) (.*)$/.exec(line) ?? [];
  const windowId = /^\d* \d+ (@\d+) /.exec(rest)?.[1] ?? null;
  return { paneId, activity: activity === undefined ? null : Number(activity), windowId, rest };
};

/** The full probe, of all panes: ask often, and list when the fingerprint differs from that of the last listing. */
export const probeTopology = async (server: TmuxServer): Promise<ProbeResult> => {
  const listing = await probeListing(server);
  if (listing.status !== "ok") return listing;
  const hash = createHash("sha1").update(`${listing.instance.pid} ${listing.instance.startedAt}`);
  const windowActivity = new Map<string, number>();
  for (const { paneId, activity, rest } of listing.lines.map(parseProbeLine)) {
    // Activity moves with every output; it is reported beside the fingerprint, not in it.
    hash.update(`\n${paneId} ${rest}`);
    if (activity !== null) windowActivity.set(paneId, activity);
  }
  return { status: "ok", fingerprint: hash.digest("hex"), windowActivity };
};

// Local probe, of a server of this machine: while nothing changes, it takes a glance, which asks only for each window's last
// activity and number of panes, at half the cost of the full probe. An answer with the same text as the last one is not parsed
// again.

/** A glance does not show that a resting session, window or pane was renamed or moved: the full probe runs this often. */
const FULL_WHILE_RESTING_MS = 2_600;
/** While something changes, the full probe runs this often; in between only windows that become active count. */
const FULL_WHILE_MOVING_MS = 800;

const GLANCE: ReadCommand = ["display-message", "-p", "#{S:#{W:#{window_activity}.#{window_panes} }}"];

/** A window; it occurs once for each session that shows it. `activity`: epoch seconds of its last output. */
interface Window {
  activity: number;
  panes: number;
}

interface Look {
  /** Pid and start time of the server. */
  of: string;
  /** When it was asked, epoch ms. */
  at: number;
  lines: readonly string[];
  parsed: readonly ProbeLine[];
  /** The windows in the order of the glance; null if the lines do not give them. */
  windows: readonly Window[] | null;
  /** Something had changed shortly before. */
  isMoving: boolean;
  result: Extract<ProbeResult, { status: "ok" }>;
}

const isSame = (a: ProbeLine | undefined, b: ProbeLine): boolean =>
  a === b || (a?.paneId === b.paneId && a.rest === b.rest);

/** tmux gives activity in whole seconds: a change in the second of a probe may have come after it. */
const hasMovedSince = (activity: number, at: number): boolean => activity >= Math.floor(at / 1_000);

/** The windows of all lines, one after the other, each with its panes; a window that two sessions show occurs twice. */
const windowsOf = (rows: readonly ProbeLine[]): Window[] | null => {
  const windows: (Window & { id: string; firstPane: string })[] = [];
  for (const { paneId, windowId, activity } of rows) {
    if (activity === null || windowId === null) return null;
    const current = windows.at(-1);
    if (current?.id === windowId && current.firstPane !== paneId) {
      current.panes += 1;
      current.activity = Math.max(current.activity, activity);
    } else windows.push({ id: windowId, firstPane: paneId, activity, panes: 1 });
  }
  return windows;
};

const parseGlance = (line: string): Window[] | null => {
  const windows = line
    .split(" ")
    .slice(0, -1)
    .map((part) => /^(\d{1,12})\.(\d{1,6})$/.exec(part));
  return windows.every((match) => match !== null)
    ? windows.map(([, activity, panes]) => ({ activity: Number(activity), panes: Number(panes) }))
    : null;
};

/** The windows as they are now; null where that was not answered in this form, or by another server. */
const readGlance = async (server: TmuxServer, of: string): Promise<Window[] | null> => {
  const answer = await server.query([INSTANCE, GLANCE]);
  if (answer.status !== "ok") return null;
  const [about, windows] = answer.answers;
  if (about?.isOk !== true || windows?.isOk !== true || !about.lines[0]?.startsWith(`${of} `)) return null;
  return parseGlance(windows.lines[0] ?? "");
};

/** Whether a window came, went, was split, or printed something that the last full probe cannot have seen. */
const isNewIn = (glance: readonly Window[], { windows, isMoving, at }: Look): boolean =>
  windows === null ||
  windows.length !== glance.length ||
  glance.some(({ activity, panes }, index) => {
    const before = windows[index];
    const isKnownToMove = isMoving && before !== undefined && hasMovedSince(before.activity, at - 1_000);
    return before?.panes !== panes || (!isKnownToMove && hasMovedSince(activity, at));
  });

/**
 * Answers as `probeTopology` does, but its fingerprints can be compared only with each other, and one may change when only the
 * order of panes did. Gives the same object as before when nothing changed. One probe belongs to one server.
 */
export const createLocalProbe = (server: TmuxServer, clock: Clock): (() => Promise<ProbeResult>) => {
  let last: Look | null = null;
  let serial = 0;

  /** True when the full probe would show nothing new, or only changes that can wait. */
  const isAtRest = async (before: Look): Promise<boolean> => {
    const age = clock.now() - before.at;
    if (age >= (before.isMoving ? FULL_WHILE_MOVING_MS : FULL_WHILE_RESTING_MS) || age < 0) return false;
    const glance = await readGlance(server, before.of);
    return glance !== null && !isNewIn(glance, before);
  };

  return async () => {
    if (last !== null && (await isAtRest(last))) return last.result;
    const at = clock.now();
    const listing = await probeListing(server);
    if (listing.status !== "ok") {
      last = null;
      return listing;
    }
    const { lines, instance } = listing;
    const of = `${instance.pid} ${instance.startedAt / 1_000}`;
    const before = last?.of === of ? last : null;
    const parsed = lines.map((line, index) => {
      const known = before?.lines[index] === line ? before.parsed[index] : undefined;
      return known ?? parseProbeLine(line);
    });
    const isUnchanged =
      before?.lines.length === lines.length && parsed.every((row, index) => row === before.parsed[index]);
    const look = {
      of,
      at,
      lines,
      parsed,
      windows: isUnchanged ? before.windows : windowsOf(parsed),
      isMoving: parsed.some(({ activity }) => activity !== null && hasMovedSince(activity, at - 1_000)),
    };
    if (isUnchanged) {
      last = { ...look, result: before.result };
      return last.result;
    }
    const hasMoved =
      before?.lines.length !== lines.length ||
      !parsed.every((row, index) => isSame(before.parsed[index], row));
    if (hasMoved) serial += 1;
    const windowActivity = new Map<string, number>();
    for (const { paneId, activity } of parsed) if (activity !== null) windowActivity.set(paneId, activity);
    last = { ...look, result: { status: "ok", fingerprint: String(serial), windowActivity } };
    return last.result;
  };
};

// Incremental probe, of a server behind a connection: tmux itself leaves out the details of every pane that printed nothing since
// the last probe, so that an idle target costs a few bytes per pane. Now and then everything is read, because a name or title that
// a person sets does not count as activity. Times are on our own clock, because the target's may be hours off.

const FULL_OVER_CONNECTION_MS = 15_000;
/**
 * tmux gives activity in whole seconds, so more output in the same second does not show. A change counts as fresh for this
 * long.
 */
const FRESH_SECONDS = 1;

/** What tmux last said of a pane, without its activity. */
type Rest = string;

/** Formats can compare numbers since tmux 3.2; with older versions every probe is a full one. */
const canCompare = ({ major, minor }: { major: number | null; minor: number | null }): boolean =>
  major !== null && (major > 3 || (major === 3 && (minor ?? 0) >= 2));

/** Turns times of the target's clock into times of ours: a change gets the time at which it was seen. */
const createActivityClock = (clock: Clock) => {
  const moved = new Map<string, { activity: number; at: number }>();
  return {
    note: (paneId: string, activity: number): void => {
      if (moved.get(paneId)?.activity === activity) return;
      moved.set(paneId, { activity, at: Math.floor(clock.now() / 1_000) + FRESH_SECONDS });
    },
    retain: (paneIds: { has(paneId: string): boolean }): void => {
      for (const paneId of moved.keys()) if (!paneIds.has(paneId)) moved.delete(paneId);
    },
    /**
     * Activity before this time (by the target's own clock) need not be reported again. The newest time itself counts as new
     * until its second is surely over.
     */
    since: (): number => {
      const newest = Math.max(0, ...[...moved.values()].map(({ activity }) => activity));
      const now = Math.floor(clock.now() / 1_000);
      const isFresh = [...moved.values()].some(({ activity, at }) => activity === newest && at + 1 >= now);
      return isFresh ? newest : newest + 1;
    },
    seconds: (): Map<string, number> => new Map([...moved].map(([paneId, { at }]) => [paneId, at])),
  };
};

/**
 * Answers as `probeTopology` does, with `windowActivity` in our own epoch seconds. One probe belongs to one server; its memory
 * cannot be used for another.
 */
export const createIncrementalProbe = (options: {
  server: TmuxServer;
  version: { major: number | null; minor: number | null };
  clock: Clock;
}): (() => Promise<ProbeResult>) => {
  const { server, version, clock } = options;
  const activity = createActivityClock(clock);
  const rests = new Map<string, Rest>();
  let instance = "";
  let fullAt = Number.NEGATIVE_INFINITY;

  const probeFully = async (): Promise<ProbeResult> => {
    const result = await probeTopology(server);
    if (result.status !== "ok") return result;
    for (const [paneId, at] of result.windowActivity) activity.note(paneId, at);
    activity.retain(result.windowActivity);
    return { ...result, windowActivity: activity.seconds() };
  };
  const read = (lines: readonly string[]): void => {
    const present = new Set<string>();
    for (const line of lines) {
      const [, paneId, at, rest = ""] = /^(%\d+)(?: (\d+) (.*))?$/.exec(line) ?? [];
      if (paneId === undefined) continue;
      present.add(paneId);
      if (at !== undefined) {
        activity.note(paneId, Number(at));
        rests.set(paneId, rest);
      } else if (!rests.has(paneId)) fullAt = Number.NEGATIVE_INFINITY;
    }
    activity.retain(present);
    for (const paneId of rests.keys()) if (!present.has(paneId)) rests.delete(paneId);
  };
  const fingerprint = (): string => {
    const hash = createHash("sha1").update(instance);
    for (const [paneId, rest] of [...rests].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      hash.update(`\n${paneId} ${rest}`);
    return hash.digest("hex");
  };

  return async () => {
    if (!canCompare(version)) return probeFully();
    const now = clock.now();
    const isFull = now - fullAt >= FULL_OVER_CONNECTION_MS;
    const full = probeFormat(server);
    const details = full.slice("#{pane_id}".length);
    const hasMoved = `#{||:#{pane_dead},#{e|>=:${activityOf(server)},${activity.since()}}}`;
    const format = isFull ? full : `#{pane_id}#{?${hasMoved},${details},}`;
    const listing = readListing(
      await server.query([INSTANCE, ["list-panes", "-a", "-F", format]]),
      server.server,
    );
    if (listing.status !== "ok") return listing;
    const found = `${listing.instance.pid} ${listing.instance.startedAt}`;
    if (found !== instance) rests.clear();
    instance = found;
    if (isFull) fullAt = now;
    read(listing.lines);
    return { status: "ok", fingerprint: fingerprint(), windowActivity: activity.seconds() };
  };
};
