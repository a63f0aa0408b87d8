// The event file that `resources/hooks/agtmux-event` drops into the spool, as read back by the drain.
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
