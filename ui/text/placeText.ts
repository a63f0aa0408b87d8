// Sessions and machines in words: where a session is and how large, what kind of machine it is, and how its tmux servers are. Pure.
import type { TargetView } from "../../core/model/view.ts";
import type { SessionSummary } from "../lists/sessions.ts";
import { displayLine } from "./displayText.ts";
import { HEALTH_WORDS } from "./healthText.ts";
import { placeName } from "./paneText.ts";

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
