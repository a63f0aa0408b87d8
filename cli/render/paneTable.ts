// `list` for people: one line per agent in the words of the popover's rows, those that need a person first. A wide terminal
// shows what the popover has on a second line.
import type { PaneList, PaneView } from "../../core/model/view.ts";
import { needsFirst } from "../../ui/lists/needsFirst.ts";
import { renderRows, type Field, type RenderOptions } from "./field.ts";
import { renderFoot } from "./foot.ts";
import { PANE_FIELDS } from "./paneFields.ts";

const { state, task, agent_name, where, now, place, row_age, ref } = PANE_FIELDS;

/** From that many columns on there is room for more than the task. */
const WIDE = 100;
export const WIDER = 124;
const WIDEST = 150;

const columnsFor = (width: number | null): Field<PaneView>[] => {
  const room = width ?? Number.MAX_SAFE_INTEGER;
  return [
    state,
    task,
    ...(room >= WIDE ? [agent_name] : []),
    ...(room >= WIDER ? [where] : []),
    ...(room >= WIDEST ? [now] : []),
    place,
    row_age,
    ref,
  ];
};

/** `isSorted`: the order was asked for, and stays. */
export const renderPanes = (
  list: PaneList,
  options: RenderOptions,
  { isSorted } = { isSorted: false },
): string[] => {
  const foot = renderFoot(list, "pane", options);
  if (list.items.length === 0) return ["No agents here.", ...foot];
  const items = isSorted ? list.items : needsFirst(list.items);
  return [...renderRows(items, columnsFor(options.width), options), "", ...foot];
};
