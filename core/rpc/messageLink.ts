// The client end of tRPC over a message port. No node imports: the renderer bundles this file.
import { TRPCClientError, type TRPCLink } from "@trpc/client";
import { observable } from "@trpc/server/observable";
import type { AppRouter } from "../api/router.ts";
import {
  serverMessageSchema,
  type ClientMessage,
  type MessagePortPair,
  type ServerMessage,
} from "./messages.ts";

/** One link per port: it numbers the calls and is the port's only reader. */
export const messageLink = (port: MessagePortPair): TRPCLink<AppRouter> => {
  const listeners = new Map<number, (message: ServerMessage) => void>();
  let lastId = 0;
  const send = (message: ClientMessage) => port.send(message);
  port.onMessage((raw) => {
    const parsed = serverMessageSchema.safeParse(raw);
    if (parsed.success) listeners.get(parsed.data.id)?.(parsed.data);
  });
  return () =>
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
