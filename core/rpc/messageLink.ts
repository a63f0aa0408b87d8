// The client end of tRPC over a message port. No node imports: the renderer bundles this file.
import { TRPCClientError, type TRPCLink } from "@trpc/client";
import type { AnyTRPCRouter } from "@trpc/server";
import { observable } from "@trpc/server/observable";
import type { AppRouter } from "../api/router.ts";
import {
  serverMessageSchema,
  type ClientMessage,
  type MessagePortPair,
  type ServerMessage,
} from "./messages.ts";

/** A link to one of the routers at the other end of the port. */
export type MessageLink = <TRouter extends AnyTRPCRouter = AppRouter>() => TRPCLink<TRouter>;

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
