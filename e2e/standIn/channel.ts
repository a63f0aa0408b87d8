// The stand-in's end of the channel to the test. Without a test at the other end the stand-in has no purpose.
import { EventEmitter } from "node:events";
import type { FromApp, ToApp } from "./messages.ts";

/** Emits every message of the test under its kind. */
export const fromTest = new EventEmitter();

export const tellTest = (message: FromApp): void => {
  if (process.connected) process.send?.(message);
};

/** Listens to one kind of message. */
export const onTest = <K extends ToApp["kind"]>(
  kind: K,
  listener: (message: Extract<ToApp, { kind: K }>) => void,
): void => void fromTest.on(kind, listener);

process.on("message", (message: ToApp) => fromTest.emit(message.kind, message));
// The test died, so this process ends.
process.on("disconnect", () => process.exit(1));
