// A TCP proxy in this process that makes a good connection bad: latency, a stall in which nothing moves, and a cut. Counts
// what passes.
import { createConnection, createServer, type AddressInfo, type Socket } from "node:net";

export interface Proxy {
  readonly port: number;
  /** One way; both ways together are a round trip of twice that. Applies to what arrives from now on. */
  setDelay(delayMs: number): void;
  /** Nothing moves in either direction, and nothing is closed, until `resume`. */
  stall(): void;
  resume(): void;
  /** Breaks every connection as a lost network does when it comes back: with a reset. */
  cut(): void;
  /** The other end of every connection is gone, and nobody is told: nothing comes any more, no end and no reset. */
  vanish(): void;
  /** New connections are closed at once. */
  refuse(isRefusing: boolean): void;
  readonly bytes: { toServer: number; toClient: number };
  readonly connections: number;
  close(): Promise<void>;
}

export const createProxy = async (targetPort: number, targetHost = "127.0.0.1"): Promise<Proxy> => {
  const pairs = new Set<readonly [Socket, Socket]>();
  const vanished = new Set<Socket>();
  const bytes = { toServer: 0, toClient: 0 };
  let delayMs = 0;
  let isStalled = false;
  let isRefusing = false;
  const waiting: (() => void)[] = [];

  const pass = (from: Socket, to: Socket, count: (length: number) => void): void => {
    // What is delayed keeps its order: each chunk waits for its own time and for the one before it.
    let last = Promise.resolve();
    const later = (deliver: () => void): void => {
      const due = new Promise<void>((done) => setTimeout(done, delayMs));
      last = last.then(async () => {
        await due;
        if (isStalled) await new Promise<void>((done) => waiting.push(done));
        deliver();
      });
    };
    from.on("data", (chunk: Buffer) => {
      count(chunk.length);
      later(() => to.writable && to.write(chunk));
    });
    from.on("end", () => later(() => to.end()));
    from.on("error", () => to.destroy());
    from.on("close", () => later(() => to.destroy()));
  };
  const server = createServer((client) => {
    if (isRefusing) {
      client.destroy();
      return;
    }
    const upstream = createConnection({ port: targetPort, host: targetHost });
    const pair = [client, upstream] as const;
    pairs.add(pair);
    client.setNoDelay(true);
    upstream.setNoDelay(true);
    pass(client, upstream, (length) => (bytes.toServer += length));
    pass(upstream, client, (length) => (bytes.toClient += length));
    client.on("close", () => pairs.delete(pair));
  });
  await new Promise<void>((done, fail) => {
    server.on("error", fail);
    server.listen(0, "127.0.0.1", done);
  });
  const { port } = server.address() as AddressInfo;
  const resume = (): void => {
    isStalled = false;
    for (const go of waiting.splice(0)) go();
  };
  const cut = (): void => {
    for (const [client, upstream] of pairs) {
      client.resetAndDestroy();
      upstream.resetAndDestroy();
    }
    pairs.clear();
  };
  const vanish = (): void => {
    for (const pair of pairs) {
      const [client, upstream] = pair;
      for (const socket of pair)
        for (const event of ["data", "end", "close"]) socket.removeAllListeners(event);
      upstream.destroy();
      // What the client still sends goes nowhere.
      client.resume();
      client.on("close", () => vanished.delete(client));
      vanished.add(client);
    }
    pairs.clear();
  };
  return {
    port,
    setDelay: (next) => {
      delayMs = next;
    },
    stall: () => {
      isStalled = true;
    },
    resume,
    cut,
    vanish,
    refuse: (next) => {
      isRefusing = next;
    },
    bytes,
    get connections() {
      return pairs.size;
    },
    close: async () => {
      cut();
      for (const client of vanished) client.destroy();
      resume();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
};
