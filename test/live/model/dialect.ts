// What a protocol of a model's provider has to be able to do, and what all of them write the same way.
import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { ModelRequest } from "./request.ts";
import type { Reply } from "./reply.ts";

/** A reply that is written with status 200. */
export type Answer = Exclude<Reply, { kind: "fail" }>;

export interface Dialect<Body> {
  readonly name: string;
  /** Whether a POST to this path speaks it. */
  speaks(path: string): boolean;
  parse(body: unknown): Body;
  read(body: Body): ModelRequest;
  /** The body of an HTTP error, as the provider words it. */
  failure(status: number, message: string): unknown;
  /** The same where the account's limit is used up; `resetsAt`, epoch s. Absent: the provider does not say when that ends. */
  limit?(resetsAt: number, message: string): { body: unknown; headers: Readonly<Record<string, string>> };
  isStreamed(body: Body, path: string): boolean;
  whole(body: Body, answer: Answer, request: ModelRequest): Promise<unknown>;
  stream(out: EventStream, body: Body, answer: Answer, request: ModelRequest): Promise<void>;
}

const CUT_AFTER_MS = 300;

export const openStream = (response: ServerResponse) => {
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    "request-id": nextId("req"),
  });
  return {
    send: (data: unknown, event?: string): void => {
      if (response.destroyed) return;
      const text = typeof data === "string" ? data : JSON.stringify(data);
      response.write(`${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`);
    },
    isGone: (): boolean => response.destroyed,
    /** Drops the connection in the middle of an answer. */
    cut: async (): Promise<void> => {
      await wait(CUT_AFTER_MS);
      response.destroy();
    },
  };
};

/** Server-sent events on a response; what is written after the agent has gone away is dropped. */
export type EventStream = ReturnType<typeof openStream>;

/** An id that no other answer of any run has. */
export const nextId = (prefix: string): string =>
  `${prefix}_${crypto.randomUUID().replaceAll("-", "").slice(0, 20)}`;

export const CUT_TEXT = "about to be cut";

/** Names of HTTP errors, as both Anthropic and OpenAI word them. */
const ERROR_TYPES: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
  529: "overloaded_error",
};
export const errorType = (status: number): string => ERROR_TYPES[status] ?? "api_error";
