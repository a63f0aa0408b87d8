// How one message is handed over, to a web address (`postMessage`) or a program (`runCommand`), with the channel's secret
// (`readSecret`). Handing over never rejects, and ends within its time limit. Retries are up to the queue in channelSet.ts.
import { join } from "node:path";
import { FileProblem, openPlain } from "../../../core/files/plainFile.ts";
import { errorCodeOf } from "../../../core/model/errors.ts";
import { type Channel, topicOf } from "../../../core/model/notifications.ts";
import type { ChannelMessage, ReplyButton } from "./channelMessage.ts";
import { createHash } from "node:crypto";
import { spawn, type ChildProcess } from "node:child_process";

// Secrets: each is read from its channel's own file, each time again, so that a changed one counts at once. It is refused where
// others could read it, and is never stored, logged or shown.

const MAX_SECRET = 4_096;

/** Says what is wrong with the file, by its path; never with its content. */
export class SecretProblem extends Error {}

/** `path` as in config.json; `home` stands for `~`. @throws SecretProblem */
export const readSecret = async (path: string, home: string, uid: number): Promise<string> => {
  const place = path.startsWith("~/") ? join(home, path.slice(2)) : path;
  try {
    await using file = await openPlain({ path: place }, uid);
    if (file === null) throw new SecretProblem(`${place} cannot be read (ENOENT)`);
    const found = await file.stat();
    if ((found.mode & 0o077) !== 0)
      throw new SecretProblem(`others may read ${place}: run 'chmod 600' on it`);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_SECRET + 1), 0, MAX_SECRET + 1, 0);
    const secret = buffer.toString("utf8", 0, bytesRead).trim();
    if (bytesRead > MAX_SECRET || !/^[\x21-\x7e]+$/.test(secret))
      throw new SecretProblem(`${place} has to hold the secret on one line, and nothing else`);
    return secret;
  } catch (error) {
    if (error instanceof SecretProblem) throw error;
    const what =
      error instanceof FileProblem ? error.message : `${place} cannot be read (${errorCodeOf(error)})`;
    throw new SecretProblem(what, { cause: error });
  }
};

/** Of one attempt. `mayRetry`: the same may work in a moment. `detail` never holds what was sent, nor a secret. */
export type Delivery =
  | { readonly outcome: "delivered" }
  | { readonly outcome: "not_delivered"; readonly detail: string; readonly mayRetry: boolean };

interface DeliveryContext {
  /** Environment of the person. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly uid: number;
  readonly timeoutMs: number;
  /** Ends the attempt early. */
  readonly signal: AbortSignal;
}

export type Deliver = (
  channel: Channel,
  message: ChannelMessage,
  context: DeliveryContext,
) => Promise<Delivery>;

const notDelivered = (detail: string, mayRetry = false): Delivery => ({
  outcome: "not_delivered",
  detail,
  mayRetry,
});

// Web addresses: JSON to a webhook, ntfy's own form to a topic. No redirect is followed; only the status of an answer counts.

type WebChannel = Extract<Channel, { kind: "webhook" | "ntfy" }>;

interface WebRequest {
  readonly url: string;
  readonly method: "POST" | "DELETE";
  readonly body: unknown;
}

/** ntfy replaces and withdraws by an id of its own form. */
const sequenceOf = (id: string): string => createHash("sha256").update(id).digest("base64url").slice(0, 32);

/**
 * https://docs.ntfy.sh/publish/#action-buttons. The phone publishes without an account: no secret of the channel is in a message.
 * `Firebase: no`: the answer takes no way round over another company.
 */
const toAction = ({ label, url, body }: ReplyButton) =>
  body === null
    ? { action: "view", label, url, clear: true }
    : { action: "http", label, url, method: "POST", headers: { Firebase: "no" }, body, clear: true };

/** https://docs.ntfy.sh/publish: publishing as JSON goes to the address above the topic. */
const ntfyRequest = (address: string, message: ChannelMessage): WebRequest => {
  const topic = topicOf(address);
  if (message.event === "withdraw")
    return { url: `${address}/${sequenceOf(message.id)}`, method: "DELETE", body: undefined };
  const missed = message.missed === 0 ? "" : `\n${message.missed} earlier messages were dropped.`;
  return {
    url: address.slice(0, -topic.length),
    method: "POST",
    body: {
      topic,
      title: message.title,
      message: `${message.text || message.title}${missed}`,
      priority: message.kind === "waiting_approval" || message.kind === "waiting_input" ? 4 : 3,
      sequence_id: sequenceOf(message.id),
      ...(message.buttons === undefined ? {} : { actions: message.buttons.map(toAction) }),
    },
  };
};

const requestOf = (channel: WebChannel, message: ChannelMessage): WebRequest => {
  switch (channel.kind) {
    case "webhook":
      return { url: channel.url, method: "POST", body: message };
    case "ntfy":
      return ntfyRequest(channel.url, message);
  }
};

const describeStatus = (status: number): Delivery => {
  if (status >= 200 && status < 300) return { outcome: "delivered" };
  if (status >= 300 && status < 400)
    return notDelivered(`the address redirects (${status}), which is not followed: name the final one`);
  const hint = status === 401 || status === 403 ? ": check the secret" : "";
  return notDelivered(`the address answered ${status}${hint}`, status === 429 || status >= 500);
};

const describeFailure = (error: unknown, timeoutMs: number): Delivery => {
  if (error instanceof Error && error.name === "TimeoutError")
    return notDelivered(`no answer within ${timeoutMs / 1_000} s`, true);
  if (error instanceof Error && error.name === "AbortError") return notDelivered("the channel was closed");
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return notDelivered(`the address cannot be reached (${errorCodeOf(cause) || "no connection"})`, true);
};

export const postMessage = async (
  channel: WebChannel,
  message: ChannelMessage,
  { home, uid, signal, timeoutMs }: DeliveryContext,
): Promise<Delivery> => {
  try {
    const secret = channel.secret_file === null ? null : await readSecret(channel.secret_file, home, uid);
    const { url, method, body } = requestOf(channel, message);
    const response = await fetch(url, {
      method,
      headers: {
        "user-agent": "agtmux",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(secret === null ? {} : { authorization: `Bearer ${secret}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    // The answer counts by its status alone: an endless one is not waited for, and one that breaks off changes nothing.
    response.body?.cancel().catch(() => {});
    return describeStatus(response.status);
  } catch (error) {
    return error instanceof SecretProblem ? notDelivered(error.message) : describeFailure(error, timeoutMs);
  }
};

// Programs: run by argument vector and without a shell, with the message as JSON on standard input, in the person's home. What one
// prints is not read; what it leaves running after its time is ended with it.

/** What a program needs to find others, the desktop and the person's language; keys and tokens of the daemon's are not in it. */
const PASSED_ON =
  /^(?:HOME|PATH|USER|LOGNAME|SHELL|LANG|LC_[A-Z]+|TZ|TMPDIR|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|DBUS_SESSION_BUS_ADDRESS|XDG_[A-Z_]+)$/;

const environmentOf = ({ env, home }: DeliveryContext): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && PASSED_ON.test(name) ? [[name, value]] : [],
    ),
  ),
  HOME: home,
});

/** The program and its children, which form a group of their own. Only while the program itself has not ended. */
const endGroup = (child: ChildProcess): void => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    if (errorCodeOf(error) !== "ESRCH") throw error;
  }
};

const describeEnd = (status: number | null, signal: NodeJS.Signals | null): Delivery =>
  status === 0
    ? { outcome: "delivered" }
    : notDelivered(
        signal === null ? `the program ended with status ${status}` : `the program was ended by ${signal}`,
      );

const describeStart = (error: Error, program: string): Delivery => {
  const code = errorCodeOf(error);
  if (code === "ENOENT") return notDelivered(`there is no program '${program}'`);
  if (code === "EACCES") return notDelivered(`'${program}' may not be run`);
  return notDelivered(`'${program}' could not be started (${code})`, code === "EAGAIN");
};

export const runCommand = (
  argv: readonly string[],
  message: ChannelMessage,
  context: DeliveryContext,
): Promise<Delivery> => {
  const [program = "", ...args] = argv;
  return new Promise((resolve) => {
    const { signal, timeoutMs, home } = context;
    if (signal.aborted) return resolve(notDelivered("the channel was closed"));
    const child = spawn(program, args, {
      cwd: home,
      env: environmentOf(context),
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    });
    let stopped: Delivery | null = null;
    const stop = (why: string): void => {
      stopped = notDelivered(why);
      endGroup(child);
    };
    const timer = setTimeout(() => stop(`the program did not end within ${timeoutMs / 1_000} s`), timeoutMs);
    const onAbort = (): void => stop("the channel was closed");
    signal.addEventListener("abort", onAbort, { once: true });
    const settle = (delivery: Delivery): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      child.stdin.destroy();
      resolve(stopped ?? delivery);
    };
    child.once("error", (error) => settle(describeStart(error, program)));
    child.once("exit", (status, by) => settle(describeEnd(status, by)));
    // A program that does not read its input is no failure.
    child.stdin.on("error", () => {});
    child.stdin.end(`${JSON.stringify(message)}\n`);
  });
};
