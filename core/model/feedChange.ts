// What a commit changed in the rows that clients see: reported by ingest, sent on by the feed, read by notifications.
import type { CanonicalState } from "./state.ts";
import type { PaneView, TargetView } from "./view.ts";

/** `version`: of the stored transitions; `at`: epoch ms. */
export type FeedChange =
  | {
      kind: "pane";
      version: number;
      at: number;
      pane: PaneView;
      previousState: CanonicalState | null;
      isTransition: boolean;
    }
  | { kind: "removed"; version: number; at: number; identity: PaneView["identity"] }
  | { kind: "target"; version: number; at: number; target: TargetView }
  | { kind: "target_removed"; version: number; at: number }
  /** Everything may have changed: clients must discard what they know. */
  | { kind: "reset"; version: number; at: number; reason: string };
