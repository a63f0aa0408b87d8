// Source text of the event writer that plugins carry into an agent's own process. It writes the same event file as
// resources/hooks/agtmux-event (core/model/envelope.ts), but with asynchronous calls: it never blocks the agent, never
// throws and never prints. Events of one process keep their order: one file after the other, names counted up.

/** Folder of the spool that belongs to an installed event script: `<home>/bin/agtmux-event` has `<home>/spool`. */
export const spoolOf = (eventScript: string): string =>
  `${eventScript.split("/").slice(0, -2).join("/")}/spool`;

/**
 * JavaScript that defines `send(event, payload)`, which returns at once, and `flush()`, which resolves when everything
 * sent is written, after 500 ms at the latest. Needs nothing but Node's `fs`; valid as TypeScript too. A payload is cut
 * to texts of 4,000 characters, lists of 40, objects of 60 fields and six levels, and says so by `isCut`. What a person is
 * asked, `sendWhole(event, payload)`, keeps texts of 70,000 characters as long as all of it is no larger than half a million.
 */
export const eventWriterSource = (
  agentType: string,
  eventScript: string,
): string => `import { promises as fs } from "node:fs";

const SPOOL = ${JSON.stringify(spoolOf(eventScript))};
const MAX_PENDING = 1000;

const MAX_TEXT = 4000;
const MAX_WHOLE_TEXT = 70000;
const MAX_WHOLE = 500000;

// What has no form in JSON counts as cut too, but not what is not there.
const clip = (value, limit, depth = 0) => {
  if (typeof value === "string") {
    limit.isCut ||= value.length > limit.text;
    return value.slice(0, limit.text);
  }
  if (value === null || typeof value === "number" || typeof value === "boolean") return value;
  limit.isCut ||= value !== undefined && (typeof value !== "object" || depth > 5);
  if (typeof value !== "object" || depth > 5) return undefined;
  if (Array.isArray(value)) {
    limit.isCut ||= value.length > 40;
    return value.slice(0, 40).map((item) => clip(item, limit, depth + 1) ?? null);
  }
  const keys = Object.keys(value);
  limit.isCut ||= keys.length > 60;
  return Object.fromEntries(keys.slice(0, 60).map((key) => [key, clip(value[key], limit, depth + 1)]));
};

const textOf = (payload, text) => {
  const limit = { text, isCut: false };
  const clipped = clip(payload, limit);
  return JSON.stringify(limit.isCut ? { ...clipped, isCut: true } : clipped);
};

// A value with control characters could forge a header line: it is left empty.
const headerValue = (name) => {
  const value = process.env[name] ?? "";
  return /[\\x00-\\x1f\\x7f]/.test(value) ? "" : value;
};

const run = Math.floor(Math.random() * 36 ** 6)
  .toString(36)
  .padStart(6, "0");
let count = 0;
let pending = 0;
let queue = Promise.resolve();

const write = async (name, text) => {
  const draft = SPOOL + "/tmp/" + name;
  try {
    await fs.writeFile(draft, text, { mode: 0o600, flag: "wx" });
    await fs.rename(draft, SPOOL + "/new/" + name);
  } catch (error) {
    if (error?.code !== "EEXIST") await fs.rm(draft, { force: true }).catch(() => {});
  }
  pending -= 1;
};

const wholeTextOf = (payload) => {
  const text = textOf(payload, MAX_WHOLE_TEXT);
  return text.length > MAX_WHOLE ? textOf(payload, MAX_TEXT) : text;
};

const sendText = (event, payload) => {
  try {
    if (pending >= MAX_PENDING) return;
    const header = [
      "agtmux-event 1",
      "agent=${agentType}",
      "event=" + event,
      "tmux=" + headerValue("TMUX"),
      "pane=" + headerValue("TMUX_PANE"),
      "ppid=" + process.pid,
    ];
    const text = header.join("\\n") + "\\n\\n" + payload();
    const name = String(process.pid).padStart(7, "0") + "-" + run + "-" + String(++count).padStart(9, "0");
    pending += 1;
    queue = queue.then(() => write(name, text));
  } catch {}
};

const send = (event, payload) => sendText(event, () => textOf(payload, MAX_TEXT));
const sendWhole = (event, payload) => sendText(event, () => wholeTextOf(payload));

const flush = () => {
  let timer;
  const limit = new Promise((resolve) => {
    timer = setTimeout(resolve, 500);
  });
  return Promise.race([queue, limit]).finally(() => clearTimeout(timer));
};
`;
