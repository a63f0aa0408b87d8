// A list of options of which one is marked, as the pi family draws it: the mark, an optional circle or box, the label.
// Source: frames recorded with omp 18.2.3 (`❯`) and pi 0.87.1 (`→`).
import { MAX_OPTIONS, type PromptRequest } from "../../core/model/request.ts";
import { oneLine } from "../common/payload.ts";
import { isBlank, movesTo } from "../common/screenText.ts";

const MARKED = /^(\s{0,3})[❯→] (\S.*)$/u;
const OTHER = /^(\s{2,5})(\S.*)$/u;
const CIRCLE = /^[○◉●◯] /u;
const BOX = /^(?:[☐☑☒✓✔]|\[.\]) /u;
const HINT = /\s+\(Recommended\)$/i;

/** Null unless exactly one of the adjoining lines is marked and the others stand in its column. */
export const readSelector = (lines: readonly string[]): PromptRequest["options"] | null => {
  const shown = lines.filter((line) => !isBlank(line));
  const selected = shown.findIndex((line) => MARKED.test(line));
  if (selected < 0 || shown.length > MAX_OPTIONS) return null;
  const column = MARKED.exec(shown[selected] ?? "")?.[1]?.length ?? 0;
  const labels = shown.map((line, index) => {
    if (index === selected) return MARKED.exec(line)?.[2] ?? "";
    const other = OTHER.exec(line);
    return other?.[1]?.length === column + 2 ? (other[2] ?? "") : null;
  });
  if (labels.includes(null)) return null;
  const isMulti = labels.some((label) => BOX.test(label ?? ""));
  return labels.map((label, index) => ({
    label: oneLine((label ?? "").replace(CIRCLE, "").replace(BOX, "").replace(HINT, "")),
    // With boxes Enter toggles or goes on; what it does was not recorded.
    keys: isMulti || /type your own/i.test(label ?? "") ? null : movesTo(index, selected),
  }));
};
