// Hands a message to a web address: as JSON to a webhook, in ntfy's own form to an ntfy topic. No redirect is followed, and no
// answer is read: only its status counts.
import { createHash } from "node:crypto";
import { topicOf, type Channel } from "../../../core/model/channel.ts";
import { errorCodeOf } from "../../../core/model/systemError.ts";
import type { ChannelMessage } from "./channelMessage.ts";
import { notDelivered, type Delivery, type DeliveryContext } from "./delivery.ts";
import { readSecret, SecretProblem } from "./readSecret.ts";

type WebChannel = Extract<Channel, { kind: "webhook" | "ntfy" }>;

interface WebRequest {
  readonly url: string;
  readonly method: "POST" | "DELETE";
  readonly body: unknown;
}

/** ntfy replaces and withdraws by an id of its own form. */
const sequenceOf = (id: string): string => createHash("sha256").update(id).digest("base64url").slice(0, 32);

/** https://docs.ntfy.sh/publish: publishing as JSON goes to the address above the topic. */
const ntfyRequest = (address: string, message: ChannelMessage): WebRequest => {
  const topic = topicOf(address);
  if (message.event === "withdraw")
    return { url: `${address}/${sequenceOf(message.id)}`, method: "DELETE", body: undefined };
  const missed = message.missed === 0 ? "" : `\n${message.missed} earlier messages were dropped.`;
  return {
    url: address.slice(0, -topic.length),
    method: "POST",
    body: {
      topic,
      title: message.title,
      message: `${message.text || message.title}${missed}`,
      priority: message.kind === "waiting_approval" || message.kind === "waiting_input" ? 4 : 3,
      sequence_id: sequenceOf(message.id),
    },
  };
};

const requestOf = (channel: WebChannel, message: ChannelMessage): WebRequest => {
  switch (channel.kind) {
    case "webhook":
      return { url: channel.url, method: "POST", body: message };
    case "ntfy":
      return ntfyRequest(channel.url, message);
  }
};

const describeStatus = (status: number): Delivery => {
  if (status >= 200 && status < 300) return { outcome: "delivered" };
  if (status >= 300 && status < 400)
    return notDelivered(`the address redirects (${status}), which is not followed: name the final one`);
  const hint = status === 401 || status === 403 ? ": check the secret" : "";
  return notDelivered(`the address answered ${status}${hint}`, status === 429 || status >= 500);
};

const describeFailure = (error: unknown, timeoutMs: number): Delivery => {
  if (error instanceof Error && error.name === "TimeoutError")
    return notDelivered(`no answer within ${timeoutMs / 1_000} s`, true);
  if (error instanceof Error && error.name === "AbortError") return notDelivered("the channel was closed");
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return notDelivered(`the address cannot be reached (${errorCodeOf(cause) || "no connection"})`, true);
};

export const postMessage = async (
  channel: WebChannel,
  message: ChannelMessage,
  { home, uid, signal, timeoutMs }: DeliveryContext,
): Promise<Delivery> => {
  try {
    const secret = channel.secret_file === null ? null : await readSecret(channel.secret_file, home, uid);
    const { url, method, body } = requestOf(channel, message);
    const response = await fetch(url, {
      method,
      headers: {
        "user-agent": "agtmux",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(secret === null ? {} : { authorization: `Bearer ${secret}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    // The answer counts by its status alone: an endless one is not waited for, and one that breaks off changes nothing.
    response.body?.cancel().catch(() => {});
    return describeStatus(response.status);
  } catch (error) {
    return error instanceof SecretProblem ? notDelivered(error.message) : describeFailure(error, timeoutMs);
  }
};
