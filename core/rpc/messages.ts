// The few messages that carry tRPC over a message port (Electron IPC, a MessagePort, a test's pair). No node imports: the
// renderer bundles this file.
import * as z from "zod";

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
