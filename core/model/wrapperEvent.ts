// The two events of `resources/hooks/agtmux-run`: an agent was started, and how it ended. They come through the spool like
// those of agents, but they are our own: no adapter reads them.
import * as z from "zod";
import type { Envelope } from "./envelope.ts";

const payloadSchema = z.object({
  pid: z.number().int().positive().nullable(),
  status: z.number().int().min(0).max(255).optional(),
});

/** `pid`: the agent's own process; `status`: its exit status, 128 + n after signal n. */
export type WrapperEvent =
  | { kind: "start"; pid: number | null }
  | { kind: "exit"; pid: number | null; status: number };

/** Only our wrapper uses these names; an event with another payload is ignored. */
export const isWrapperEvent = ({ eventName }: Pick<Envelope, "eventName">): boolean =>
  eventName === "wrapper.start" || eventName === "wrapper.exit";

/** Null for any other event, and for a payload that the wrapper did not write. */
export const readWrapperEvent = (envelope: Pick<Envelope, "eventName" | "payload">): WrapperEvent | null => {
  if (!isWrapperEvent(envelope)) return null;
  const parsed = payloadSchema.safeParse(envelope.payload);
  if (!parsed.success) return null;
  const { pid, status } = parsed.data;
  if (envelope.eventName === "wrapper.start") return { kind: "start", pid };
  return status === undefined ? null : { kind: "exit", pid, status };
};
