// What a surface may ask of the daemon, and what goes over the wire beside the documents.
import type { AgtmuxError } from "../model/errors.ts";
import type { IntegrationReport, IntegrationSummary, PersonStep } from "../model/adapterView.ts";
import type { NotificationKind } from "../model/notifications.ts";
import type { AttachPlan } from "../model/action.ts";
import type { PaneView } from "../model/view.ts";

export type { AttachPlan, IntegrationReport, IntegrationSummary };

/** Wire protocol of hello: equal major means compatible. */
export const PROTOCOL_VERSION = 1;

/** Stable across versions, as is `shutdown`: a newer app can always ask an older daemon. */
export interface Hello {
  name: "agtmux";
  version: string;
  protocol: number;
  pid: number;
  startedAt: number;
  host: "app" | "headless" | "test";
  isOnDemand: boolean;
}

/** The three facts of `integrate --verify`. */
export interface IntegrationVerification {
  agent: string;
  entriesPresent: boolean;
  missing: string[];
  problems: string[];
  /** What the person has still to do before the hooks run. */
  steps: PersonStep[];
  deliveryWorks: boolean;
  deliveryDetail: string;
  /** Last event of a real agent (not a test event); null: none yet. */
  lastRealEventAt: string | null;
}

/** What can be done from a notification, through the same gate as everywhere. */
export type NotificationAction =
  | { kind: "approve" | "deny" | "attach"; label: string }
  | { kind: "option"; number: number; label: string };

/** A text answers the prompt (`answer`), or is typed to the agent (`send`). */
export type NotificationReply = "answer" | "send";

export interface AgentNotification {
  id: string;
  /** `watch`: something that the person asked to be told of. */
  kind: NotificationKind | "watch";
  title: string;
  body: string;
  /**
   * The row at the time when the notification was made: its runtime, version and prompt guard the actions. Of many rows, the
   * most urgent.
   */
  pane: PaneView;
  /** How many panes it stands for; if more than one, it leads to the list. */
  count: number;
  /** `default`, `none`, or the name of a system sound. */
  sound: string;
  actions: NotificationAction[];
  /** Null: nothing can be written. */
  reply: NotificationReply | null;
}
export type NotificationEvent =
  | { kind: "show"; notice: AgentNotification }
  | { kind: "withdraw"; id: string };

/** The part of an error on the wire that tRPC's `data` carries beside the message. */
export interface WireError {
  agtmuxCode: AgtmuxError["code"];
  remedy: string;
  details: readonly string[];
}
