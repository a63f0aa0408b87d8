// tRPC over a message port: its messages, and the client end. No node imports: the renderer bundles this file.
import * as z from "zod";
import { TRPCClientError, type TRPCLink } from "@trpc/client";
import type { AnyTRPCRouter } from "@trpc/server";
import { observable } from "@trpc/server/observable";
import type { AppRouter } from "../api/router.ts";

/** One end of a two-way message channel. Messages are structured-cloneable; order is kept. */
export interface MessagePortPair {
  send(message: unknown): void;
  /** Returns a function that stops listening. */
  onMessage(listener: (message: unknown) => void): () => void;
}

const id = z.number().int().nonnegative();

/** What a client may send. `ack` counts received values of a subscription, so that a slow client slows the feed down. */
export const clientMessageSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("call"),
    id,
    type: z.enum(["query", "mutation", "subscription"]),
    path: z.string().min(1).max(200),
    input: z.unknown(),
  }),
  z.object({ kind: z.literal("stop"), id }),
  z.object({ kind: z.literal("ack"), id }),
]);
export type ClientMessage = z.infer<typeof clientMessageSchema>;

/** What the server sends back. `shape` is a tRPC error shape. */
export const serverMessageSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("data"), id, data: z.unknown() }),
  z.object({ kind: z.literal("end"), id }),
  z.object({
    kind: z.literal("error"),
    id,
    shape: z.object({ message: z.string(), code: z.number(), data: z.record(z.string(), z.unknown()) }),
  }),
]);
export type ServerMessage = z.infer<typeof serverMessageSchema>;

/** How many values of one subscription may be sent before the client acknowledges them. */
export const SUBSCRIPTION_WINDOW = 32;

/** A link to one of the routers at the other end of the port. */
type MessageLink = <TRouter extends AnyTRPCRouter = AppRouter>() => TRPCLink<TRouter>;

/** Call it once per port: it numbers the calls and is the port's only reader. Each router at the other end has its own link. */
export const messageLinks = (port: MessagePortPair): MessageLink => {
  const listeners = new Map<number, (message: ServerMessage) => void>();
  let lastId = 0;
  const send = (message: ClientMessage) => port.send(message);
  port.onMessage((raw) => {
    const parsed = serverMessageSchema.safeParse(raw);
    if (parsed.success) listeners.get(parsed.data.id)?.(parsed.data);
  });
  return () =>
    () =>
    ({ op }) =>
      observable((observer) => {
        lastId += 1;
        const id = lastId;
        const isSubscription = op.type === "subscription";
        const finish = () => listeners.delete(id);
        const stop = () => {
          if (finish()) send({ kind: "stop", id });
        };
        listeners.set(id, (message) => {
          switch (message.kind) {
            case "data":
              observer.next({ result: { type: "data", data: message.data } });
              if (isSubscription) send({ kind: "ack", id });
              else {
                finish();
                observer.complete();
              }
              return;
            case "end":
              finish();
              observer.complete();
              return;
            case "error":
              finish();
              observer.error(TRPCClientError.from({ error: message.shape }));
              return;
          }
        });
        send({ kind: "call", id, type: op.type, path: op.path, input: op.input });
        op.signal?.addEventListener("abort", stop, { once: true });
        return stop;
      });
};

/** For a port with the daemon's router alone. */
export const messageLink = (port: MessagePortPair): TRPCLink<AppRouter> => messageLinks(port)();
