// The connection to a server that is fair, that loses and repeats, and that is hostile: endless lines, floods, redirects, nonsense.
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openNtfyServer, type NtfyServer } from "../../../test/fakes/ntfyServer.ts";
import { realClock, until } from "../../../test/setup/realClock.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import { ReplyStream } from "./replyStream.ts";

let server: NtfyServer;
let heard: string[];
let foreign: number;
let stream: ReplyStream;
/** How often a pause of the stream is shorter here than it is. */
const FASTER = 50;
/** Pauses take no time; the limits of a connection are as they are. */
const IMPATIENT: Clock = {
  now: () => realClock.now(),
  setTimer: (ms, then) => {
    pauses.push(ms);
    return realClock.setTimer(ms === 15_000 || ms === 150_000 ? ms : 0, then);
  },
};
/** The pauses that it made, ms. */
let pauses: number[];

beforeEach(async () => {
  server = await openNtfyServer();
  [heard, pauses, foreign] = [[], [], 0];
});
afterEach(async () => {
  await stream.close();
  await server.close();
});

const open = (more: Partial<ConstructorParameters<typeof ReplyStream>[0]> = {}): ReplyStream => {
  stream = new ReplyStream({
    base: server.base,
    topic: "replies",
    clock: {
      now: () => realClock.now(),
      setTimer: (delayMs, callback) => {
        pauses.push(delayMs);
        return realClock.setTimer(delayMs === 15_000 ? 1_000 : delayMs / FASTER, callback);
      },
    },
    secret: () => Promise.resolve(null),
    onOpen: () => Promise.resolve(),
    onMessage: (body) => heard.push(body),
    onForeign: () => (foreign += 1),
    onState: () => {},
    random: () => 0.5,
    ...more,
  });
  return stream;
};
const untilOpen = (): Promise<void> => until(() => stream.state.isOpen, "it is open");
const untilSays = (words: string): Promise<void> =>
  until(() => stream.state.detail.includes(words), `it says '${words}', not '${stream.state.detail}'`);
const untilHeard = (count: number): Promise<void> =>
  until(() => heard.length >= count, `${count} were heard`);
/** A server that answers the first stream in its own way, and the others as it should. */
const onceHostile = (serve: (response: ServerResponse) => void): void => {
  server.onStream = (response) => {
    server.onStream = () => false;
    serve(response);
    return true;
  };
};
const line = (more: object): string =>
  `${JSON.stringify({ id: "a1", event: "message", topic: "replies", ...more })}\n`;

const NDJSON = { "content-type": "application/x-ndjson; charset=utf-8" };

describe("a fair server", () => {
  it("is asked for all of the topic once, then for what came after the last message, and nothing is heard twice", async () => {
    await server.publish("replies", "before");
    open();
    await untilHeard(1);
    await server.publish("replies", "one");
    await untilHeard(2);
    server.drop();
    await server.publish("replies", "while nobody listened").catch(() => 0);
    await until(() => server.streams.length === 1, "it is there again");
    await server.publish("replies", "two");
    await until(() => heard.includes("two"), "the last one is heard");
    expect(heard.filter((one) => one !== "while nobody listened")).toEqual(["before", "one", "two"]);
    const ids = server.all("replies").map(({ id }) => id);
    expect(server.asked.map(({ since }) => since)).toEqual(["all", ids[1]]);
    expect(foreign).toBe(0);
  });

  it("may begin too far back, repeat, delay, and lose; each message is heard at most once", async () => {
    server.deliver = async (message) => {
      if (message.message === "lost") return [];
      if (message.message === "late") await new Promise((done) => setTimeout(done, 50));
      return [message, message];
    };
    open();
    await untilOpen();
    for (const body of ["one", "lost", "late", "two"]) await server.publish("replies", body);
    await untilHeard(3);
    server.onStream = (response, topic) => {
      response.writeHead(200, NDJSON);
      for (const one of server.all(topic)) response.write(`${JSON.stringify(one)}\n`);
      return true;
    };
    server.drop();
    await until(() => heard.includes("lost"), "what was lost comes with the next connection");
    expect(heard.toSorted()).toEqual(["late", "lost", "one", "two"]);
  });

  it("gets the secret in a header and nowhere else", async () => {
    open({ secret: () => Promise.resolve("tk_secret") });
    await untilOpen();
    expect(server.streams[0]?.authorization).toBe("Bearer tk_secret");
    expect(JSON.stringify(server.asked)).not.toContain("tk_secret");
  });

  it("that keeps alive is kept; one that is silent is left", async () => {
    server.keepaliveMs = 20;
    open();
    await untilOpen();
    await new Promise((done) => setTimeout(done, 300));
    expect(server.asked).toHaveLength(1);
    await stream.close();
    // 150 seconds are three here.
    server.keepaliveMs = 60_000;
    open({
      clock: {
        now: () => realClock.now(),
        setTimer: (ms, then) => realClock.setTimer(ms === 15_000 ? ms : ms / 1_500, then),
      },
    });
    await until(() => server.asked.length >= 3, "it asks again");
    expect(stream.state.detail).toMatch(/^(?:|the address was silent)$/);
  });
});

describe("a hostile server", () => {
  it.each([
    [
      "a line without end",
      (response: ServerResponse) => void response.write("x".repeat(40_000)),
      "too long a line",
    ],
    [
      "a flood of lines",
      (response: ServerResponse) => void response.write(line({ event: "keepalive" }).repeat(400)),
      "sends too much",
    ],
    [
      "a flood of bytes",
      (response: ServerResponse) => void response.write(`${"x".repeat(30_000)}\n`.repeat(80)),
      "sends too much",
    ],
    [
      "a redirect",
      (response: ServerResponse) => void response.writeHead(307, { location: "/other/json" }).end(),
      "redirects (307)",
    ],
    ["a refusal", (response: ServerResponse) => void response.writeHead(403).end("words"), "answered 403"],
    ["a limit", (response: ServerResponse) => void response.writeHead(429).end("words"), "answered 429"],
    ["an error", (response: ServerResponse) => void response.writeHead(500).end("words"), "answered 500"],
    ["a cut", (response: ServerResponse) => void response.destroy(), "cannot be reached"],
    [
      "a page",
      (response: ServerResponse) =>
        void response.writeHead(200, { "content-type": "text/html" }).end("<p>\n".repeat(99)),
      "something else than a topic",
    ],
  ])("with %s is left, and asked again after a pause", async (name, serve, words) => {
    onceHostile((response) => {
      if (name.includes("line") || name.includes("flood")) response.writeHead(200, NDJSON);
      serve(response);
    });
    open();
    await untilSays(words);
    expect(stream.state).toMatchObject({ isOpen: false });
    expect(stream.state.detail).not.toContain("words");
    await stream.close();
    expect(server.asked.every(({ topic }) => topic === "replies")).toBe(true);
    expect(heard).toEqual([]);
  });

  it("that does not answer is left in time", async () => {
    onceHostile(() => {});
    open();
    await untilOpen();
    expect(pauses.slice(0, 2)).toEqual([15_000, 1_000]);
  });

  it("is asked again ever more slowly: five minutes at most, a minute at least after a limit", async () => {
    server.onStream = (response) => {
      response.writeHead(500).end();
      return true;
    };
    open({ clock: IMPATIENT });
    const waits = (): number[] => pauses.filter((ms) => ms !== 15_000);
    await until(() => waits().length >= 12, "it has tried often");
    expect(waits().slice(0, 12)).toEqual([
      ...[1, 2, 4, 8, 16, 32, 64, 128, 256].map((s) => s * 1_000),
      300_000,
      300_000,
      300_000,
    ]);
    server.onStream = (response) => {
      response.writeHead(429).end();
      return true;
    };
    await stream.close();
    pauses = [];
    open({ clock: IMPATIENT });
    await until(() => waits().length >= 2, "it has tried twice");
    expect(waits().slice(0, 2)).toEqual([60_000, 60_000]);
  });

  it("that accepts and hangs up at once is no good connection", async () => {
    server.onStream = (response) => {
      response.writeHead(200, NDJSON).end();
      return true;
    };
    open({ clock: IMPATIENT });
    await until(() => pauses.filter((ms) => ms < 15_000).length >= 4, "it has tried often");
    expect(pauses.filter((ms) => ms < 15_000).slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000]);
  });

  it("with nonsense between the messages gets it counted, and nothing of it heard", async () => {
    onceHostile((response) => {
      response.writeHead(200, NDJSON);
      response.write('{"id":\n[]\n"message"\nnull\n');
      response.write(line({ id: "../../etc" }));
      response.write(line({ id: 7 }));
      response.write(line({ id: "n1", topic: "another", message: "of another topic" }));
      response.write(line({ id: "n2", message: { toString: "x" } }));
      response.write(line({ id: "n3", message: "x".repeat(17_000) }));
      response.write(line({ id: "n4" }));
      response.write(line({ id: "n5", event: "message_delete", message: "deleted" }));
      response.write(line({ id: "n6", event: "open" }));
      response.write("\n\n");
      const [first, second] = [line({ id: "ok", message: "in two pieces: é" }), ""];
      const bytes = Buffer.from(first + second);
      const cut = bytes.indexOf(0xc3) + 1;
      response.write(bytes.subarray(0, cut));
      setTimeout(() => response.write(bytes.subarray(cut)), 20);
    });
    open();
    await untilHeard(1);
    expect([heard, foreign]).toEqual([["in two pieces: é"], 10]);
  });

  it("gets nothing more, and is not waited for, once the stream is closed", async () => {
    open();
    await untilOpen();
    await stream.close();
    await until(() => server.streams.length === 0, "its connection has ended");
    expect(server.asked).toHaveLength(1);
  });
});

it("a topic that no phone may write to does not count as open, and says so", async () => {
  open({ onOpen: () => Promise.reject(new Error("a button could not publish (403)")) });
  await untilSays("a button could not publish (403)");
  expect(stream.state.isOpen).toBe(false);
});
