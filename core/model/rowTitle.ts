// What a row is called, on every surface and in notifications: the work, where anybody told it. Pure. Only types are imported
// beside the cleaning of texts, so that a command which prints a table does not load a schema library.
import type { PaneView } from "./view.ts";
import { visibleLine } from "./visibleText.ts";

export interface RowTitle {
  text: string;
  /** What the person asked, the agent's own name for its session, or only the name of the window or the folder. */
  source: "prompt" | "session" | "window" | "folder";
}

/** A prompt of fewer words (`yes`, `go on`) says nothing of the work. */
const TELLING_WORDS = 3;
/** Scripts that are written without blanks: that many of their characters are a sentence. */
const isUnspaced = (text: string): boolean =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]{6}/u.test(
    text,
  );

const isTelling = (text: string): boolean => text.split(" ").length >= TELLING_WORDS || isUnspaced(text);

/** What tmux calls a window by itself: the program in front. */
const PROGRAMS = new Set([
  ..."ash bash csh dash elvish fish ksh mksh nu powershell pwsh sh tcsh xonsh zsh".split(" "),
  ..."bun deno node npm npx pnpm python python3 ruby ssh sudo tmux uv yarn".split(" "),
]);
const SIGNS = /^(?:[\u2800-\u28ff·✢✳✶✻✽●○◇✦✋⏳\u{1f514}*•-]\ufe0f?\s*)+(?=\S)/u;
/** `user@host:` as shells write it before the folder. */
const HOST = /^[\w.-]+@[\w.-]+:\s*/;

const lastName = (path: string): string => path.split("/").findLast((name) => name !== "") ?? "";

/** The window's name without spinner and host; a path by its last part; empty where it only names the program. */
const nameOfWindow = (pane: PaneView): string => {
  const bare = visibleLine(pane.window_name).replace(SIGNS, "").replace(HOST, "");
  const name = /^[~/]\S*$/.test(bare) ? lastName(bare) : bare;
  const own = [pane.agent, pane.agent_name].map((one) => (one ?? "").toLowerCase());
  const low = name.toLowerCase();
  return name === "~" || PROGRAMS.has(low.replace(/^-/, "")) || own.includes(low) ? "" : name;
};

/** The last part of the folder in which the agent works; empty where it is not known. */
export const folderOf = ({ activity }: PaneView): string => visibleLine(lastName(activity?.folder ?? ""));

/** The last prompt's first line; one that says nothing gives way to the session's name; else the window's name, else the folder. */
export const rowTitle = (pane: PaneView): RowTitle => {
  const prompt = visibleLine(pane.activity?.prompt ?? "");
  const session = visibleLine(pane.activity?.session_title ?? "");
  if (prompt !== "" && (session === "" || isTelling(prompt))) return { text: prompt, source: "prompt" };
  if (session !== "") return { text: session, source: "session" };
  const folder = folderOf(pane);
  const name = nameOfWindow(pane);
  if (name !== "" && name !== folder) return { text: name, source: "window" };
  if (folder !== "") return { text: folder, source: "folder" };
  return { text: visibleLine(pane.window_name) || `window ${pane.window_index}`, source: "window" };
};
