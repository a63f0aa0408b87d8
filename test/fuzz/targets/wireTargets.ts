// What goes between the daemon and its clients: errors, the event stream, messages of a page, documents.
import * as fc from "fast-check";
import { createRouter } from "../../../core/api/router.ts";
import { createDocumentWriter } from "../../../core/rpc/socketServer.ts";
import { readEventStream, fromConnectionError, fromErrorShape } from "../../../core/rpc/wire.ts";
import { createRouterCaller, serveMessages } from "../../../core/rpc/messageBridge.ts";
import { serverMessageSchema } from "../../../core/rpc/messages.ts";
import { FakeDaemon } from "../../fakes/fakeDaemon.ts";
import { makePane } from "../../factories/view.ts";
import { checkFailure } from "./commandLineTargets.ts";
import { hold } from "../expectations.ts";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";
import { mutatedJson, mutatedValue } from "../mutateJson.ts";
import { cutBytes, cutsArbitrary, mutatedText } from "../mutateText.ts";
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
