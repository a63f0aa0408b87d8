// Which agents work in the same place, so that one may overwrite what the other does. Pure.
import type { PaneView } from "../../core/model/view.ts";
import type { SharedWith } from "../../core/model/workspace.ts";

/** The work tree of a row, else its folder; null where it is not known, and for a row without a living agent. */
export const placeOf = ({ identity, state, reason_code, activity }: PaneView): string | null => {
  if (state === null || identity.runtime_id === null || reason_code === "crashed") return null;
  const folder = activity?.work_tree ?? activity?.folder ?? null;
  return folder === null ? null : `${identity.target}\0${folder.replace(/(?<=.)\/+$/, "")}`;
};

/** `work:1.0`, which can be typed as a reference. */
const nameOf = ({ identity, short_ref, window_index, pane_index }: PaneView): SharedWith => ({
  short_ref,
  place: `${identity.session_name}:${window_index}.${pane_index}`,
});

const MAX_NAMED = 20;

/** By runtime: the others in its place. Rows that share with nobody are not in it. */
export const findSharing = (rows: readonly PaneView[]): ReadonlyMap<string, readonly SharedWith[]> => {
  const byPlace = Map.groupBy(
    rows.filter((row) => placeOf(row) !== null),
    placeOf,
  );
  const sharing = new Map<string, readonly SharedWith[]>();
  for (const together of byPlace.values()) {
    if (together.length < 2) continue;
    // One more than are named, because a row does not name itself.
    const first = together.slice(0, MAX_NAMED + 1);
    for (const row of together) {
      const others = first.filter((other) => other !== row).slice(0, MAX_NAMED);
      sharing.set(row.identity.runtime_id ?? "", others.map(nameOf));
    }
  }
  return sharing;
};
