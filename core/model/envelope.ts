// The event file that `resources/hooks/agtmux-event` drops into the spool, as read back by the drain, and what the events of our
// wrapper say.
import * as z from "zod";

/** Format version in the file's first line: `agtmux-event 1`. */
export const ENVELOPE_VERSION = 1;

/** Payloads beyond this many bytes are not parsed; the event's name still counts. */
export const MAX_PAYLOAD_BYTES = 4 * 1024 * 1024;

/**
 * `payload` is what the agent handed over, parsed; null when it was empty, not JSON, no object, or too large, with
 * `payloadProblem` saying which. `tmuxSocket`/`tmuxServerPid` come from `$TMUX`, `paneId` from `$TMUX_PANE`; all null for
 * an agent outside tmux. `eventTime` is the file's modification time in epoch ms with fractions.
 */
export const envelopeSchema = z.object({
  spoolName: z.string().min(1).max(255),
  agentType: z.string().regex(/^[a-z0-9_-]{1,40}$/),
  eventName: z.string().max(100).nullable(),
  tmuxSocket: z.string().nullable(),
  tmuxServerPid: z.number().int().positive().nullable(),
  paneId: z
    .string()
    .regex(/^%\d+$/)
    .nullable(),
  parentPid: z.number().int().positive().nullable(),
  eventTime: z.number(),
  payload: z.record(z.string(), z.unknown()).nullable(),
  payloadProblem: z.enum(["empty", "not_json", "not_object", "too_large"]).nullable(),
});
export type Envelope = z.infer<typeof envelopeSchema>;

// Wrapper: the two events of `resources/hooks/agtmux-run`, that an agent was started and how it ended. They come through the spool
// like those of agents, but they are our own: no adapter reads them.

const payloadSchema = z.object({
  pid: z.number().int().positive().nullable(),
  status: z.number().int().min(0).max(255).optional(),
});

/** `pid`: the agent's own process; `status`: its exit status, 128 + n after signal n. */
type WrapperEvent =
  | { kind: "start"; pid: number | null }
  | { kind: "exit"; pid: number | null; status: number };

/** Only our wrapper uses these names; an event with another payload is ignored. */
export const isWrapperEvent = ({ eventName }: Envelope): boolean =>
  eventName === "wrapper.start" || eventName === "wrapper.exit";

/** Null for any other event, and for a payload that the wrapper did not write. */
export const readWrapperEvent = (envelope: Envelope): WrapperEvent | null => {
  if (!isWrapperEvent(envelope)) return null;
  const parsed = payloadSchema.safeParse(envelope.payload);
  if (!parsed.success) return null;
  const { pid, status } = parsed.data;
  if (envelope.eventName === "wrapper.start") return { kind: "start", pid };
  return status === undefined ? null : { kind: "exit", pid, status };
};
