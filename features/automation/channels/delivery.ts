// How one message is handed over: what each kind of channel is given for it, and what comes of it. Handing over never rejects,
// and ends within its time limit.
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
