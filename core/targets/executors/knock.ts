// One TCP connection that says nothing. macOS asks a person whether a program may reach the local network when the program itself
// connects, and not when a program that it started does.
import { connect } from "node:net";

/** Resolves when it was answered, refused, or not heard for so long; the outcome is for whoever connects next. */
export const knock = async (
  address: { host: string; port: number; family: 0 | 4 | 6 },
  limitMs: number,
): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = connect(address);
  socket.setTimeout(limitMs);
  for (const event of ["connect", "error", "timeout"]) socket.once(event, resolve);
  await promise;
  socket.destroy();
};
