// What both ends of a connection know before any call: who answers, which protocol it speaks, and how an error looks on the wire.
import type { AgtmuxError } from "../model/errors.ts";

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

/** The part of an error on the wire that tRPC's `data` carries beside the message. */
export interface WireError {
  agtmuxCode: AgtmuxError["code"];
  remedy: string;
  details: readonly string[];
}
