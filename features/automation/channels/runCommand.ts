// Hands a message to a program: by its argument vector and without a shell, the message as JSON on standard input, the person's
// home as its folder. What it prints is not read; what it leaves running after its time is ended with it.
import { spawn, type ChildProcess } from "node:child_process";
import { errorCodeOf } from "../../../core/model/systemError.ts";
import type { ChannelMessage } from "./channelMessage.ts";
import { notDelivered, type Delivery, type DeliveryContext } from "./delivery.ts";

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
