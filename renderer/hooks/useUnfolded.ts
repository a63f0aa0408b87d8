// Which long requests the person has unfolded. It holds for one asking: another prompt in the same row is folded again.
import { useCallback, useState } from "react";
import type { PaneView } from "../../core/model/view.ts";
import { fitsAtOnce } from "../../ui/text/requestText.ts";

const keyOf = ({ identity, prompt_fingerprint }: PaneView): string =>
  `${identity.pane_ref} ${prompt_fingerprint}`;

export interface Unfolded {
  /** The expanded row shows all of the request's text. */
  isShownWhole: (pane: PaneView) => boolean;
  unfold: (pane: PaneView) => void;
}

export const useUnfolded = (): Unfolded => {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const isShownWhole = useCallback(
    (pane: PaneView) => pane.request === null || fitsAtOnce(pane.request) || keys.has(keyOf(pane)),
    [keys],
  );
  const unfold = useCallback((pane: PaneView) => setKeys((before) => new Set(before).add(keyOf(pane))), []);
  return { isShownWhole, unfold };
};
