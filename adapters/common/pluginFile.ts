// Plugins of ours: the integration that installs one as a file of its own where the agent looks for plugins, and the source of the
// event writer that such a file carries. Nobody else's file is touched: the first line has the hash of the rest, which
// distinguishes a file that somebody edited or put there from ours, of whatever version. Only plans changes.
import { createHash } from "node:crypto";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { Integration, IntegrationRequest } from "../../core/ports/agentAdapter.ts";
import type { PersonStep } from "../../core/model/adapterView.ts";

const MAX_BYTES = 256 * 1024;
const MARK = /^\/\/ agtmux integration, written by agtmux; sha256 ([0-9a-f]{64})\n/;

interface OwnFile {
  path: (configDir: string) => string;
  /** The code after the first line; the same for the same event script. */
  bodyOf: (eventScript: string) => string;
  /** What `inspect` calls the one entry. */
  entry: string;
  /** Fails with E_INTEGRATION_REFUSED where the file must not be installed. */
  mayInstall?: (request: IntegrationRequest) => Promise<void>;
  /** What keeps an installed file from working, as sentences for the person. */
  problemsOf?: (request: IntegrationRequest) => Promise<readonly string[]>;
  /** What the person still has to do before it runs. */
  stepsOf?: (request: IntegrationRequest) => Promise<readonly PersonStep[]>;
  /** How the agent notifies by itself. */
  notifications?: NonNullable<Integration["notifications"]>;
  testEvent: Integration["testEvent"];
}

const hashOf = (body: string): string => createHash("sha256").update(body).digest("hex");

/** The whole file: its mark and the body. */
const markedFile = (body: string): string =>
  `// agtmux integration, written by agtmux; sha256 ${hashOf(body)}\n${body}`;

/** True for a file that some version of agtmux wrote and nobody has changed since. */
const isOurs = (text: string): boolean => {
  const mark = MARK.exec(text);
  return mark !== null && mark[1] === hashOf(text.slice(mark[0].length));
};

const refuseForeign = (path: string, text: string): void => {
  if (isOurs(text)) return;
  const what = MARK.test(text) ? "was edited after agtmux wrote it" : "was not written by agtmux";
  throw new AgtmuxError("E_INTEGRATION_REFUSED", `${path} ${what}.`, {
    remedy: "Move the file away and repeat; it was not changed.",
  });
};

/** A file that agtmux did not write, or that was edited, is neither replaced nor removed. */
export const createOwnFileIntegration = (file: OwnFile): Integration => ({
  async planInstall(request) {
    const path = file.path(request.configDir);
    const before = await request.files.readText(path, MAX_BYTES);
    const after = markedFile(file.bodyOf(request.eventScript));
    if (before === after) return [];
    if (before !== null) refuseForeign(path, before);
    await file.mayInstall?.(request);
    return [{ path, before, after }];
  },

  async planUninstall(request) {
    const path = file.path(request.configDir);
    const before = await request.files.readText(path, MAX_BYTES);
    if (before === null) return [];
    refuseForeign(path, before);
    return [{ path, before, after: null }];
  },

  async inspect(request) {
    const path = file.path(request.configDir);
    const text = await request.files.readText(path, MAX_BYTES);
    if (text === null) return { installed: false, missing: [file.entry], problems: [] };
    const installed = text === markedFile(file.bodyOf(request.eventScript));
    const problems = [...((await file.problemsOf?.(request)) ?? [])];
    if (!isOurs(text)) problems.unshift(`${path} is not as agtmux wrote it`);
    else if (!installed) problems.unshift(`${path} belongs to another agtmux installation or version`);
    const steps = (await file.stepsOf?.(request)) ?? [];
    return { installed, missing: installed ? [] : [file.entry], problems, steps };
  },

  ...(file.notifications === undefined ? {} : { notifications: file.notifications }),
  testEvent: file.testEvent,
});

// Event writer: source text that plugins carry into an agent's own process. It writes the same event file as
// resources/hooks/agtmux-event (core/model/envelope.ts), but with asynchronous calls: it never blocks the agent, never
// throws and never prints. Events of one process keep their order: one file after the other, names counted up.

/** Folder of the spool that belongs to an installed event script: `<home>/bin/agtmux-event` has `<home>/spool`. */
const spoolOf = (eventScript: string): string => `${eventScript.split("/").slice(0, -2).join("/")}/spool`;

/**
 * JavaScript that defines `send(event, payload)`, which returns at once, and `flush()`, which resolves when everything
 * sent is written, after 500 ms at the latest. Needs nothing but Node's `fs`; valid as TypeScript too. A payload is cut
 * to texts of 4,000 characters, lists of 40, objects of 60 fields and six levels, and marked `isCut`. `sendWhole(event, payload)`,
 * for what a person is asked, keeps texts of 70,000 characters while the whole payload has at most half a million.
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
