// What a tmux server says over its socket: answers in pieces of any size, with forged lines in them, and broken ones.
import * as fc from "fast-check";
import { createRouter } from "../../../core/api/router.ts";
import type { SocketConnection } from "../../../core/ports/targetExecutor.ts";
import { createRouterCaller, serveMessages } from "../../../core/rpc/messageBridge.ts";
import { serverMessageSchema } from "../../../core/rpc/messageLink.ts";
import { createDocumentWriter } from "../../../core/rpc/socketServer.ts";
import { fromConnectionError, fromErrorShape, readEventStream } from "../../../core/rpc/wire.ts";
import {
  askProtocol,
  askServer,
  createServerReader,
  encodeRequest,
  MAX_MESSAGE_BYTES,
} from "../../../core/tmux/askServer.ts";
import { markerOf, parseTranscript } from "../../../core/tmux/tmuxCommand.ts";
import { makePane } from "../../factories/view.ts";
import { FakeDaemon } from "../../fakes/fakeDaemon.ts";
import { hold } from "../expectations.ts";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";
import { mutatedJson, mutatedValue } from "../mutateJson.ts";
import { cutBytes, cutsArbitrary, hostileText, mutatedText } from "../mutateText.ts";
import { stubClock } from "../stubs.ts";
import { checkFailure } from "./commandLineTargets.ts";

// What goes between the daemon and its clients: errors, the event stream, messages of a page, documents.

const errorTarget = defineTarget({
  name: "wire/errors",
  weight: 2,
  open: () => ({
    arbitrary: mutatedValue([
      {
        message: "no",
        data: { agtmuxCode: "E_USAGE", remedy: "Do this.", details: ["a"], code: "BAD_REQUEST" },
      },
      {
        message: '[{"path":["a"],"message":"x"}]',
        data: { agtmuxCode: "E_REF_AMBIGUOUS", remedy: "", details: [] },
      },
      { message: "ECONNREFUSED", code: "ECONNREFUSED" },
    ]),
    check: (value) => {
      checkFailure(fromErrorShape(value));
      checkFailure(fromConnectionError(value));
      const code = typeof value === "string" ? value : "ECONNRESET";
      checkFailure(fromConnectionError(Object.assign(new Error("x"), { code })));
    },
  }),
});

async function* yieldAll(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}
const eventStreamTarget = defineTarget({
  name: "wire/event stream in pieces",
  open: () => ({
    arbitrary: fc.record({
      values: fc.array(mutatedJson([{ a: 1 }, "x\ny", [1, 2]], 2), { maxLength: 4 }),
      broken: mutatedText(
        ['event: connected\ndata: {}\n\ndata: {"a":1}\nid: 7\n\nevent: return\ndata: \n\n'],
        4,
      ),
      cuts: cutsArbitrary,
    }),
    check: async ({ values, broken, cuts }) => {
      const told = values.flatMap((text) => {
        try {
          return [JSON.stringify(JSON.parse(text))];
        } catch {
          return [];
        }
      });
      const text = told.map((one) => `data: ${one}\n\n`).join("event: ping\ndata: \n\n");
      const got: unknown[] = [];
      for await (const event of readEventStream(yieldAll(cutBytes(Buffer.from(text), cuts)), (json) => json))
        got.push(event.kind === "data" ? event.value : event.kind);
      hold(JSON.stringify(got) === JSON.stringify(told), "other events");
      try {
        for await (const event of readEventStream(yieldAll(cutBytes(Buffer.from(broken), cuts)), JSON.parse))
          hold(["data", "error", "end"].includes(event.kind), "another kind");
      } catch (error) {
        hold(error instanceof SyntaxError, `another error: ${String(error)}`);
      }
    },
  }),
});

const MESSAGES: readonly unknown[] = [
  { kind: "call", id: 1, type: "query", path: "panes", input: {} },
  { kind: "call", id: 2, type: "subscription", path: "feed", input: { all: true } },
  { kind: "call", id: 3, type: "mutation", path: "dismiss", input: { ref: "x", surface: "y" } },
  { kind: "stop", id: 2 },
  { kind: "ack", id: 2 },
];
const messagesTarget = defineTarget({
  name: "wire/messages of a page",
  open: () => {
    const caller = createRouterCaller(createRouter(new FakeDaemon([makePane()])));
    return {
      arbitrary: fc.array(mutatedValue(MESSAGES, 3), { maxLength: 6 }),
      check: async (messages) => {
        let deliver: (message: unknown) => void = () => {};
        const answered = Promise.withResolvers<void>();
        const bridge = serveMessages({
          caller,
          port: {
            send: (message) => {
              const parsed = serverMessageSchema.parse(message);
              if (parsed.id === 77_777) answered.resolve();
              hold(!JSON.stringify(message).includes("/test/fuzz/"), "a stack in an answer");
            },
            onMessage: (listener) => {
              deliver = listener;
              return () => {};
            },
          },
        });
        for (const message of messages) deliver(message);
        hold(bridge.openCalls() <= messages.length, "more calls than messages");
        deliver({ kind: "call", id: 77_777, type: "query", path: "hello", input: undefined });
        await answered.promise;
        bridge.close();
        hold(bridge.openCalls() === 0, "calls after the end");
      },
    };
  },
});

const documentTarget = defineTarget({
  name: "wire/documents",
  open: () => ({
    arbitrary: mutatedValue(
      [{ filters: {}, summary: { total: 1 }, items: [makePane(), makePane()] }, { items: [] }],
      4,
    ),
    check: (value) => {
      let text: string;
      try {
        text = JSON.stringify(value);
      } catch (error) {
        // Deeper than any document of ours.
        hold(error instanceof RangeError, String(error));
        return;
      }
      const write = createDocumentWriter();
      for (let time = 0; time < 2; time += 1)
        hold(Buffer.concat(write(value)).toString() === text, "another text than JSON");
    },
  }),
});

export const wireTargets = (): FuzzTarget[] => [
  errorTarget,
  eventStreamTarget,
  messagesTarget,
  documentTarget,
];

const NONCE = "00112233445566778899aabbccddeeff";

const message = (type: number, data: Buffer): Buffer => {
  const header = Buffer.alloc(16);
  header.writeUInt32LE(type, 0);
  header.writeUInt16LE(16 + data.length, 4);
  header.writeUInt32LE(8, 8);
  return Buffer.concat([header, data]);
};
const integer = (value: number): Buffer => {
  const data = Buffer.alloc(4);
  data.writeInt32LE(value);
  return data;
};
/** As tmux sends what does not fit into one message. */
const output = (stream: number, text: string): Buffer => {
  const bytes = Buffer.from(text);
  const parts: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += MAX_MESSAGE_BYTES - 20)
    parts.push(
      message(304, Buffer.concat([integer(stream), bytes.subarray(from, from + MAX_MESSAGE_BYTES - 20)])),
    );
  return Buffer.concat(parts);
};
const OPEN = message(303, Buffer.concat([integer(1), integer(1), integer(0)]));
const exit = (status: number): Buffer => message(203, integer(status));

/** A connection that says `pieces` once it was asked. */
const connectionOf = (pieces: readonly Buffer[]): SocketConnection => {
  let onData: (bytes: Uint8Array) => void = () => {};
  let onClose: (reason: string) => void = () => {};
  let isAsked = false;
  return {
    write: () => {
      if (isAsked) return;
      isAsked = true;
      queueMicrotask(() => {
        for (const piece of pieces) onData(piece);
        onClose("closed by the other side");
      });
    },
    onData: (listener) => {
      onData = listener;
    },
    onClose: (listener) => {
      onClose = listener;
    },
    close: () => {},
  };
};
const ask = (pieces: readonly Buffer[]) =>
  askServer({
    connect: () => connectionOf(pieces),
    words: ["display-message", "-p", "x"],
    clock: stubClock(),
    timeoutMs: 1,
    maxBytes: 1 << 20,
  });

const FORGED = [`agtmux-${"f".repeat(32)}-1`, "agtmux--1", `agtmux-${NONCE}`, `agtmux-${NONCE}-`, ""];
const line = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...FORGED) },
  { weight: 2, arbitrary: hostileText.map((text) => text.replaceAll("\n", " ").toWellFormed()) },
);

/** Only a whole message of a server's version is a protocol, however its bytes come. */
const protocolTarget = defineTarget({
  name: "tmux/protocols",
  open: () => ({
    arbitrary: fc.record({
      type: fc.oneof(fc.constant(12), fc.nat(400)),
      length: fc.oneof(fc.constant(16), fc.nat(0xffff)),
      protocol: fc.nat(0xff),
      cuts: cutsArbitrary,
      isWhole: fc.boolean(),
    }),
    check: async ({ type, length, protocol, cuts, isWhole }) => {
      const header = Buffer.alloc(16);
      header.writeUInt32LE(type, 0);
      header.writeUInt16LE(length, 4);
      header.writeUInt8(protocol, 8);
      const pieces = cutBytes(isWhole ? header : header.subarray(0, 15), cuts);
      const said = await askProtocol({
        connect: () => connectionOf(pieces),
        clock: stubClock(),
        timeoutMs: 1,
      });
      hold(said === (isWhole && type === 12 && length === 16 ? protocol : null), `the protocol ${said}`);
    },
  }),
});

/** What a pane shows cannot end its own answer, however the bytes are cut. */
const answersTarget = defineTarget({
  name: "tmux/answers in pieces",
  weight: 3,
  open: () => ({
    arbitrary: fc.record({
      answers: fc.array(fc.array(line, { maxLength: 6 }), { minLength: 1, maxLength: 4 }),
      status: fc.nat(255),
      cuts: cutsArbitrary,
      isByByte: fc.boolean(),
    }),
    check: async ({ answers, status, cuts, isByByte }) => {
      const printed = answers.flatMap((lines, index) => [markerOf(NONCE, index), ...lines]);
      const said = [...printed, markerOf(NONCE, answers.length)].map((text) => output(1, `${text}\n`));
      const bytes = Buffer.concat([OPEN, ...said, output(2, "an error\n"), exit(status)]);
      const pieces =
        isByByte && bytes.length < 3_000 ? [...bytes].map((byte) => Buffer.of(byte)) : cutBytes(bytes, cuts);
      const answer = await ask(pieces);
      hold(answer.status === "answered", `it was ${answer.status}`);
      if (answer.status !== "answered") return;
      hold(answer.exitCode === status, `the status ${answer.exitCode}`);
      hold(answer.stderr === "an error\n", "another error");
      const got = parseTranscript(answer.stdout, NONCE, answers.length);
      hold(JSON.stringify(got) === JSON.stringify(answers), `other answers: ${JSON.stringify(got)}`);
    },
  }),
});

const brokenTarget = defineTarget({
  name: "tmux/answers that are broken",
  weight: 2,
  open: () => ({
    arbitrary: fc.tuple(
      fc.array(fc.tuple(fc.nat(90), fc.nat(0xff)), { maxLength: 4 }),
      mutatedText([[markerOf(NONCE, 0), "a", markerOf(NONCE, 1), "b", markerOf(NONCE, 2)].join("\n")]),
      cutsArbitrary,
    ),
    check: async ([flips, text, cuts]) => {
      const bytes = Buffer.concat([OPEN, output(1, "one\n"), output(2, "two\n"), exit(0)]);
      for (const [at, value] of flips) bytes[Math.min(at, bytes.length - 1)] = value;
      const read = createServerReader();
      for (const piece of cutBytes(bytes, cuts)) if (read(piece) === null) break;
      const answer = await ask(cutBytes(bytes, cuts));
      hold(["answered", "unfit"].includes(answer.status), `it was ${answer.status}`);
      for (const count of [0, 1, 2]) {
        const got = parseTranscript(text, NONCE, count);
        hold(got === null || got.length === count, "another number of answers");
      }
    },
  }),
});

const requestTarget = defineTarget({
  name: "tmux/requests",
  open: () => ({
    arbitrary: fc.array(
      fc.oneof(
        hostileText,
        fc.nat(4_000).map((length) => "x".repeat(length)),
      ),
      {
        maxLength: 8,
      },
    ),
    check: (words) => {
      let request: Buffer;
      try {
        request = encodeRequest(words);
      } catch (error) {
        hold(error instanceof Error && error.message.includes("too long"), `another error: ${String(error)}`);
        return;
      }
      // A tmux server ends itself over a message of the wrong length.
      let at = 0;
      const types: number[] = [];
      while (at < request.length) {
        const length = request.readUInt16LE(at + 4);
        hold(length >= 16 && length <= MAX_MESSAGE_BYTES, `a message of ${length} bytes`);
        types.push(request.readUInt32LE(at));
        at += length;
      }
      hold(at === request.length, "half a message");
      hold(types.join() === "111,101,109,102,108,107,106,200", `the messages ${types.join()}`);
    },
  }),
});

export const serverTargets = (): FuzzTarget[] => [answersTarget, brokenTarget, protocolTarget, requestTarget];
