// What a row says of the work tree that its agent works in: what is not committed, and who else works there. Pure.
import type { PaneView } from "../../core/model/view.ts";
import { displayLine } from "./displayText.ts";

/** `+12 −3 ↑2`: lines in files that git knows, and commits that its upstream lacks. Of other files, how many. Empty: nothing. */
export const changesText = ({ workspace }: PaneView): string => {
  const changes = workspace?.changes ?? null;
  if (changes === null) return "";
  const { files, added, removed, ahead } = changes;
  const hasLines = (added ?? 0) + (removed ?? 0) > 0;
  const lines = hasLines
    ? `+${added ?? 0} \u{2212}${removed ?? 0}`
    : files > 0
      ? `${files} ${files === 1 ? "file" : "files"}`
      : "";
  const commits = (ahead ?? 0) > 0 ? `\u{2191}${ahead ?? 0}` : "";
  return [lines, commits].filter((part) => part !== "").join(" ");
};

/** `shares folder with work:1.0 and 2 others`; empty where nobody else works there. */
export const sharesText = ({ workspace }: PaneView, { hasMachines }: { hasMachines: boolean }): string => {
  const [first, ...others] = workspace?.shares_with ?? [];
  if (first === undefined) return "";
  const name = displayLine(hasMachines ? first.short_ref : first.place);
  const more = others.length === 0 ? "" : ` and ${others.length} ${others.length === 1 ? "other" : "others"}`;
  return `shares folder with ${name}${more}`;
};
