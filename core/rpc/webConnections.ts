// The connections to the browser bridge. Any local user can open as many as they like. So only a few may lack the session, and
// these are closed first: somebody with the session always finds room.
import type { Server } from "node:http";
import type { Socket } from "node:net";

/** How many connections without a session may stay. A page shows its session with its first request. */
const MAX_STRANGERS = 64;
/**
 * A request follows its connection at once: within this time, in milliseconds, a connection without a session may still turn
 * out to be the person's.
 */
const GRACE_MS = 250;
/**
 * The most connections at once, however young. It is about twice what the system queues for us, so that each new connection is
 * read before it can be closed.
 */
const MAX_AT_ONCE = 1_024;

export interface WebConnections {
  /** The connection has shown the session. */
  admit(socket: Socket): void;
  /** Ends all connections, except one that is still being answered. */
  endAll(except?: Socket): void;
}

/** Watches the connections of `server` until it closes. */
export const watchConnections = (server: Server): WebConnections => {
  /** Connections by the time at which they came, oldest first. */
  const strangers = new Map<Socket, number>();
  const admitted = new Set<Socket>();
  let timer: NodeJS.Timeout | null = null;

  /** Closes the oldest until `most` are left, but only those that came before `before`. */
  const trim = (most: number, before: number): void => {
    for (const [socket, cameAt] of strangers) {
      if (strangers.size <= most || cameAt > before) return;
      strangers.delete(socket);
      socket.destroy();
    }
  };
  const trimLater = (): void => {
    if (timer !== null || strangers.size <= MAX_STRANGERS) return;
    timer = setTimeout(() => {
      timer = null;
      trim(MAX_STRANGERS, performance.now() - GRACE_MS);
      trimLater();
    }, GRACE_MS);
  };
  server.on("connection", (socket: Socket) => {
    strangers.set(socket, performance.now());
    socket.once("close", () => {
      strangers.delete(socket);
      admitted.delete(socket);
    });
    trim(MAX_AT_ONCE, Number.POSITIVE_INFINITY);
    trimLater();
  });
  server.on("close", () => {
    if (timer !== null) clearTimeout(timer);
  });
  return {
    admit: (socket) => {
      if (strangers.delete(socket)) admitted.add(socket);
    },
    endAll: (except) => {
      for (const socket of [...strangers.keys(), ...admitted]) if (socket !== except) socket.destroy();
    },
  };
};
