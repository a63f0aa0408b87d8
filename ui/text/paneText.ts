// How a row is put into words: its name, its state with the reason, and what it asks, each on one line.
import type { CanonicalState } from "../../core/model/state.ts";
import { askedLine } from "../../core/model/requestWords.ts";
import type { PaneView } from "../../core/model/view.ts";
import { REASON_WORDS, STATE_WORDS } from "../../core/model/words.ts";
import { displayLine } from "./displayText.ts";

/** A newer daemon may send reasons that this popover does not know. */
export const KNOWN_REASONS: ReadonlyMap<string, string> = new Map(Object.entries(REASON_WORDS));

/** A reason that is not known is said in the words of its own code. */
export const reasonWords = (code: string | null): string =>
  code === null ? "" : (KNOWN_REASONS.get(code) ?? displayLine(code.replaceAll("_", " ")));

/** `needs approval · asks to edit`; the reason is left out where it only repeats the state. */
export const stateText = (state: CanonicalState, reasonCode: string | null): string => {
  const reason = reasonWords(reasonCode);
  return reason === "" || reason === STATE_WORDS[state]
    ? STATE_WORDS[state]
    : `${STATE_WORDS[state]} · ${reason}`;
};

export const paneState = (pane: PaneView): string =>
  pane.state === null ? "no agent" : stateText(pane.state, pane.reason_code);

/** The window's name. The pane's id is in the row's title. */
export const paneName = (pane: PaneView): string =>
  displayLine(pane.window_name) || `window ${pane.window_index}`;

export const agentName = (pane: PaneView): string => displayLine(pane.agent_name ?? pane.agent ?? "no agent");

/** A target, with its server where that is not the usual one. */
export const placeName = ({ target, server }: { target: string; server: string }): string =>
  server === "default" ? target : `${target}:${server}`;

/** The whole place of a pane, for tooltips and the inbox: `host / work / 2 build / %5`. */
export const panePlace = (pane: PaneView): string => {
  const { target, tmux_server: server, session_name: session, pane_id: id } = pane.identity;
  return [
    placeName({ target, server }),
    displayLine(session),
    `${pane.window_index} ${paneName(pane)}`,
    id,
  ].join(" / ");
};

/** A pane's place and what it does, for use in a question. */
export const panePlaceAndState = (pane: PaneView): string => `${panePlace(pane)}: ${paneState(pane)}`;

/** What is asked, on one line; empty when nothing is. */
export const requestLine = ({ request }: PaneView): string => (request === null ? "" : askedLine(request));

/** A row for screen readers: place, state, and what it asks or else what it says of its work. */
export const paneLabel = (pane: PaneView): string => {
  const asked = requestLine(pane);
  const said = asked === "" && pane.progress !== null ? displayLine(pane.progress) : asked;
  return `${paneName(pane)}, ${agentName(pane)}, ${paneState(pane)}${said === "" ? "" : `: ${said}`}`;
};

/** The live region's text about panes that began to need a person; empty for none. */
export const waitAnnouncement = (panes: readonly PaneView[]): string => {
  const [first] = panes;
  if (first === undefined) return "";
  if (panes.length > 1) return `${panes.length} more panes need you`;
  return `${paneLabel(first)}, in ${displayLine(first.identity.session_name)}`;
};
