// Sessions and windows, computed from their panes, and sessions and machines in words. Sessions of one name on several targets
// are one row when asked to. Pure; like the list it orders and counts, and knows nothing of pixels.
import type { PaneView, TargetView } from "../../core/model/view.ts";
import { placeName, HEALTH_WORDS } from "../text/rowText.ts";
import { byPlace, collator, countRows, sessionKeyOf, type StateCounts } from "./groups.ts";
import { displayLine } from "../text/displayText.ts";

interface SessionPlace {
  target: string;
  server: string;
  health: TargetView["health"];
  agentCount: number;
}

export interface SessionSummary {
  key: string;
  name: string;
  /** One, unless sessions are merged by name. */
  places: readonly SessionPlace[];
  windowCount: number;
  agentCount: number;
  needsCount: number;
  counts: StateCounts;
}

export interface WindowSummary {
  key: string;
  index: number;
  name: string;
  /** Where it is, when the session is on several targets; else null. */
  place: string | null;
  counts: StateCounts;
  panes: readonly PaneView[];
}

const placeKeyOf = ({ identity }: PaneView): string =>
  JSON.stringify([identity.target, identity.tmux_server]);

const windowKeyOf = (pane: PaneView): string => JSON.stringify([sessionKeyOf(pane), pane.identity.window_id]);

export const sessionRowKey = (pane: PaneView, isMerged: boolean): string =>
  isMerged ? `name:${pane.identity.session_name}` : sessionKeyOf(pane);

const placesOf = (panes: readonly PaneView[], targets: ReadonlyMap<string, TargetView>): SessionPlace[] =>
  [...Map.groupBy(panes, placeKeyOf).values()]
    .flatMap(([first, ...others]) =>
      first === undefined
        ? []
        : [
            {
              target: first.identity.target,
              server: first.identity.tmux_server,
              health: targets.get(first.identity.target)?.health ?? "ok",
              agentCount: others.length + 1,
            },
          ],
    )
    .toSorted((left, right) => collator.compare(placeName(left), placeName(right)));

/** Those that need a person first, then by name and place. */
export const summariseSessions = (
  panes: Iterable<PaneView>,
  targets: ReadonlyMap<string, TargetView>,
  isMerged: boolean,
): SessionSummary[] =>
  [...Map.groupBy(panes, (pane) => sessionRowKey(pane, isMerged))]
    .map(([key, members]) => ({
      key,
      name: members[0]?.identity.session_name ?? "",
      places: placesOf(members, targets),
      windowCount: new Set(members.map(windowKeyOf)).size,
      agentCount: members.length,
      needsCount: members.filter((pane) => pane.needs_action).length,
      counts: countRows(members),
    }))
    .toSorted(
      (left, right) =>
        Number(right.needsCount > 0) - Number(left.needsCount > 0) ||
        collator.compare(left.name, right.name) ||
        collator.compare(left.key, right.key),
    );

/** The windows of one session, by place and index, each with its panes in order. */
export const windowsOf = (panes: readonly PaneView[]): WindowSummary[] => {
  const isSpread = new Set(panes.map(placeKeyOf)).size > 1;
  const windows = [...Map.groupBy(panes, windowKeyOf)].flatMap(([key, members]) => {
    const [first] = members;
    if (first === undefined) return [];
    const place = placeName({ target: first.identity.target, server: first.identity.tmux_server });
    return [
      {
        key: `window:${key}`,
        index: first.window_index,
        name: first.window_name,
        place: isSpread ? place : null,
        counts: countRows(members),
        panes: members.toSorted(byPlace),
      },
    ];
  });
  return windows.toSorted(
    (left, right) =>
      collator.compare(left.place ?? "", right.place ?? "") ||
      left.index - right.index ||
      collator.compare(left.key, right.key),
  );
};

// Words: where a session is and how large, what kind of machine it is, and how its tmux servers are.

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;

/** `3 windows, 4 agents`. */
export const sessionSize = ({ windowCount, agentCount }: SessionSummary): string =>
  `${counted(windowCount, "window")}, ${counted(agentCount, "agent")}`;

/** Its machines; of several, how many agents are on each. What is wrong with one is said. */
export const sessionPlaces = ({ places }: SessionSummary): string =>
  places
    .map((place) => {
      const ill = HEALTH_WORDS[place.health];
      const share = places.length > 1 ? ` ${place.agentCount}` : "";
      return `${displayLine(placeName(place))}${share}${ill === "" ? "" : ` (${ill})`}`;
    })
    .join(", ");

/** `this machine`, `SSH · vm1 · ssh2`. */
export const machineKind = ({ kind, connection_ref: name, transport }: TargetView): string =>
  kind === "local"
    ? "this machine"
    : ["SSH", name === null ? "" : displayLine(name), transport ?? ""].filter(Boolean).join(" · ");

export const serverText = ({
  tmux_server: name,
  status,
  pane_count: count,
  problem,
}: TargetView["servers"][number]): string => {
  switch (status) {
    case "ok":
      return displayLine(`${name}: ${counted(count, "pane")}`);
    case "no_server":
      return displayLine(`${name}: no tmux server is running`);
    case "error":
      return displayLine(`${name}: cannot be read${problem === null ? "" : `, ${problem}`}`);
  }
};
