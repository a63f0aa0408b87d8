// The connections to the browser bridge. Any local user can open them, as often as they like: those that have not shown the
// session are few and go first, so that somebody with the session always finds room.
import type { Server } from "node:http";
import type { Socket } from "node:net";

/** How many may stay without a session. A page shows its session with its first request. */
const MAX_STRANGERS = 64;
/**
 * A request follows its connection at once: within this time, in milliseconds, a connection without a session may still turn
 * out to be the person's.
 */
const GRACE_MS = 250;
/** The most at once, however young: about twice what the system queues for us, so that each new connection is read first. */
const MAX_AT_ONCE = 1_024;

export interface WebConnections {
  /** The connection has shown the session. */
  admit(socket: Socket): void;
  /** Ends all connections, but for one that is still answered. */
  endAll(except?: Socket): void;
}

/** Watches the connections of `server` until it closes. */
export const watchConnections = (server: Server): WebConnections => {
  /** By the time at which they came, which is their order. */
  const strangers = new Map<Socket, number>();
  const admitted = new Set<Socket>();
  let timer: NodeJS.Timeout | null = null;

  /** The oldest go, down to `most`, as far as they came before `before`. */
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
