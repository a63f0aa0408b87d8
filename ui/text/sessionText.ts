// A session that an agent keeps, in words: for the popover and the picker.
import type { HistorySession } from "../../core/model/history.ts";
import { displayLine } from "./displayText.ts";

/** Its name; without one, what was asked first. */
export const sessionTitle = ({ title, first_prompt, agent_name }: HistorySession): string =>
  displayLine(title ?? first_prompt ?? `Session of ${agent_name}`);

const folderName = (folder: string): string => folder.split("/").findLast((part) => part !== "") ?? "/";

/** Its name; a terminal that draws sessions must not load the schemas for it. */
export const THIS_MACHINE = "host";

/** Its machine where that is another one, agent, folder and branch. */
export const sessionPlace = ({ identity, agent_name, folder, branch }: HistorySession): string =>
  [
    identity.target === THIS_MACHINE ? null : identity.target,
    agent_name,
    folder === null ? null : folderName(folder),
    branch,
  ]
    .filter((part) => part !== null)
    .map(displayLine)
    .join(" \u00b7 ");

export const sessionKey = ({ identity }: HistorySession): string =>
  `${identity.agent}:${identity.session_id}`;
