// The event file's format, read back. Pure. The first line and the fields come from our own script, the payload from the
// agent: neither is trusted.
import { ENVELOPE_VERSION, envelopeSchema, MAX_PAYLOAD_BYTES, type Envelope } from "../model/envelope.ts";

/** A header is shorter than this; a file without an empty line up to here is not one of ours. */
export const MAX_HEADER_BYTES = 16 * 1024;

const FIRST_LINE = `agtmux-event ${ENVELOPE_VERSION}`;

export interface EventFile {
  /** Unique over time: names of files are reused when pids are. */
  spoolName: string;
  /** Modification time, epoch ms with fractions. */
  eventTime: number;
  /** Size of the whole file in bytes. */
  size: number;
  /** Its start: all of it, or at least MAX_HEADER_BYTES where the payload is too large. */
  bytes: Buffer;
}

export type ParsedEnvelope = { isOk: true; envelope: Envelope } | { isOk: false; problem: string };

const objectSchema = envelopeSchema.shape.payload.unwrap();

type Payload = Pick<Envelope, "payload" | "payloadProblem">;

const parsePayload = (text: string): Payload => {
  if (text.trim() === "") return { payload: null, payloadProblem: "empty" };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { payload: null, payloadProblem: "not_json" };
  }
  const object = objectSchema.safeParse(value);
  return object.success
    ? { payload: object.data, payloadProblem: null }
    : { payload: null, payloadProblem: "not_object" };
};

/** `TMUX` is `<socket path>,<server pid>,<session number>`; the path may hold commas. */
const parseTmux = (value: string): Pick<Envelope, "tmuxSocket" | "tmuxServerPid"> => {
  const [, socket, pid] = /^(\/.*),(\d{1,10}),\d{1,10}$/.exec(value) ?? [];
  const isWhole = socket !== undefined && pid !== undefined && Number(pid) > 0;
  return isWhole
    ? { tmuxSocket: socket, tmuxServerPid: Number(pid) }
    : { tmuxSocket: null, tmuxServerPid: null };
};

/** Fails for another version, a header without end and an invalid agent name; the message quotes no content. */
export const parseEnvelope = ({ spoolName, eventTime, size, bytes }: EventFile): ParsedEnvelope => {
  const headerEnd = bytes.subarray(0, MAX_HEADER_BYTES).indexOf("\n\n");
  if (headerEnd === -1) return { isOk: false, problem: "the header has no end" };
  const [first, ...lines] = bytes.subarray(0, headerEnd).toString("utf8").split("\n");
  if (first !== FIRST_LINE) return { isOk: false, problem: `the first line is not "${FIRST_LINE}"` };
  const fields = new Map(
    lines.map((line): [string, string] => {
      const at = line.indexOf("=");
      return [line.slice(0, Math.max(at, 0)), line.slice(at + 1)];
    }),
  );
  const payloadStart = headerEnd + 2;
  const pane = fields.get("pane") ?? "";
  const parentPid = fields.get("ppid") ?? "";
  const parsed = envelopeSchema.safeParse({
    spoolName,
    agentType: fields.get("agent"),
    eventName: (fields.get("event") ?? "").slice(0, 100) || null,
    ...parseTmux(fields.get("tmux") ?? ""),
    paneId: /^%\d{1,10}$/.test(pane) ? pane : null,
    parentPid: /^[1-9]\d{0,9}$/.test(parentPid) ? Number(parentPid) : null,
    eventTime,
    ...(size - payloadStart > MAX_PAYLOAD_BYTES
      ? { payload: null, payloadProblem: "too_large" }
      : parsePayload(bytes.subarray(payloadStart).toString("utf8"))),
  });
  if (parsed.success) return { isOk: true, envelope: parsed.data };
  return { isOk: false, problem: `wrong field ${parsed.error.issues[0]?.path.join(".") ?? ""}` };
};
