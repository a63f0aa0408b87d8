// A session that an agent keeps, in words: for the popover and the picker.
import type { HistorySession } from "../../core/model/history.ts";
import { displayLine } from "./displayText.ts";

/** Its name; without one, what was asked first. */
export const sessionTitle = ({ title, first_prompt, agent_name }: HistorySession): string =>
  displayLine(title ?? first_prompt ?? `Session of ${agent_name}`);

const folderName = (folder: string): string => folder.split("/").findLast((part) => part !== "") ?? "/";

/** Agent, folder and branch. */
export const sessionPlace = ({ agent_name, folder, branch }: HistorySession): string =>
  [agent_name, folder === null ? null : folderName(folder), branch]
    .filter((part) => part !== null)
    .map(displayLine)
    .join(" \u00b7 ");

export const sessionKey = ({ identity }: HistorySession): string =>
  `${identity.agent}:${identity.session_id}`;
