// What came of handing one message over, and what every way of doing so is given. No way ever rejects or stays longer than its
// time limit.
import type { Channel } from "../../../core/model/channel.ts";
import type { ChannelMessage } from "./channelMessage.ts";

/** Of one attempt. `mayRetry`: the same may work in a moment. `detail` never holds what was sent, nor a secret. */
export type Delivery =
  | { readonly outcome: "delivered" }
  | { readonly outcome: "not_delivered"; readonly detail: string; readonly mayRetry: boolean };

export interface DeliveryContext {
  /** Environment of the person. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly uid: number;
  readonly timeoutMs: number;
  /** Ends the attempt early. */
  readonly signal: AbortSignal;
}

export type Deliver = (
  channel: Channel,
  message: ChannelMessage,
  context: DeliveryContext,
) => Promise<Delivery>;

export const notDelivered = (detail: string, mayRetry = false): Delivery => ({
  outcome: "not_delivered",
  detail,
  mayRetry,
});
