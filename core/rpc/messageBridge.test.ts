import { createTRPCClient, getUntypedClient, TRPCClientError, type TRPCClient } from "@trpc/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createRouter, type AppRouter } from "../api/router.ts";
import type { FeedEntry } from "../model/view.ts";
import { FakeDaemon } from "../../test/fakes/fakeDaemon.ts";
import { makePane } from "../../test/factories/view.ts";
import { createRouterCaller, serveMessages, type MessageBridge } from "./messageBridge.ts";
import {
  messageLink,
  serverMessageSchema,
  SUBSCRIPTION_WINDOW,
  type MessagePortPair,
} from "./messageLink.ts";

/** Two ports joined as Electron's IPC joins them: asynchronously and by structured clone. */
const joinPorts = () => {
  const left = new Set<(message: unknown) => void>();
  const right = new Set<(message: unknown) => void>();
  const port = (own: typeof left, other: typeof left): MessagePortPair => ({
    send: (message) => {
      const copy = structuredClone(message);
      setImmediate(() => {
        for (const listener of other) listener(copy);
      });
    },
    onMessage: (listener) => {
      own.add(listener);
      return () => own.delete(listener);
    },
  });
  return { client: port(left, right), server: port(right, left) };
};

let daemon: FakeDaemon;
let bridge: MessageBridge;
let client: TRPCClient<AppRouter>;
let ports: ReturnType<typeof joinPorts>;

beforeEach(() => {
  daemon = new FakeDaemon([makePane({ pane: 1 })]);
  ports = joinPorts();
  bridge = serveMessages({ caller: createRouterCaller(createRouter(daemon)), port: ports.server });
  client = createTRPCClient<AppRouter>({ links: [messageLink(ports.client)] });
});
afterEach(() => bridge.close());

describe("message bridge", () => {
  it("answers queries and mutations", async () => {
    const ref = makePane({ pane: 1 }).identity.pane_ref;
    expect((await client.panes.query({})).items).toHaveLength(1);
    expect(await client.openAttach.mutate({ ref, guards: {}, surface: "popover" })).toMatchObject({
      paneRef: ref,
    });
    expect(daemon.asked).toMatchObject([
      { action: "openAttach", input: { ref, surface: "popover", guards: { ifRuntime: null } } },
    ]);
    expect(bridge.openCalls()).toBe(0);
  });

  it("carries the code and the remedy of an error, and no stack", async () => {
    const failure: unknown = await client.explain
      .query({ ref: "pane:gone" })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TRPCClientError);
    expect(failure).toMatchObject({ data: { agtmuxCode: "E_REF_NOT_FOUND", code: "NOT_FOUND" } });
    expect(failure).not.toHaveProperty("data.stack");
  });

  it("refuses an unknown procedure", async () => {
    const failure: unknown = await getUntypedClient(client)
      .query("nope")
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ data: { code: "NOT_FOUND" } });
  });

  it("streams a subscription and ends the generator on unsubscribe", async () => {
    const seen: FeedEntry[] = [];
    const subscription = client.feed.subscribe({}, { onData: (entry) => seen.push(entry) });
    await vi.waitFor(() => expect(seen).toHaveLength(1));
    daemon.put(makePane({ pane: 2, state: "running" }));
    await vi.waitFor(() => expect(seen.map((entry) => entry.kind)).toEqual(["snapshot", "state"]));
    subscription.unsubscribe();
    await vi.waitFor(() => expect(daemon.feedClients).toBe(0));
    expect(bridge.openCalls()).toBe(0);
  });

  it("ends every generator when the port closes", async () => {
    client.feed.subscribe({}, { onData: () => {} });
    client.notices.subscribe(undefined, { onData: () => {} });
    await vi.waitFor(() => expect([daemon.feedClients, daemon.notificationClients]).toEqual([1, 1]));
    bridge.close();
    await vi.waitFor(() => expect([daemon.feedClients, daemon.notificationClients]).toEqual([0, 0]));
  });

  it("reports an error inside a subscription", async () => {
    const failure = new Promise<unknown>((resolve) => {
      client.feed.subscribe({}, { onData: () => daemon.goDown(), onError: resolve });
    });
    expect(await failure).toMatchObject({ data: { agtmuxCode: "E_DAEMON_UNAVAILABLE" } });
  });

  it("never has more values under way than the client acknowledged", async () => {
    let received = 0;
    ports.client.onMessage((message) => {
      if (serverMessageSchema.parse(message).kind === "data") received += 1;
    });
    // A raw client that takes but never acknowledges.
    ports.client.send({ kind: "call", id: 900, type: "subscription", path: "feed", input: {} });
    await vi.waitFor(() => expect(received).toBe(1));
    for (let pane = 10; pane < 10 + SUBSCRIPTION_WINDOW * 2; pane += 1) daemon.put(makePane({ pane }));
    await vi.waitFor(() => expect(received).toBe(SUBSCRIPTION_WINDOW));
    ports.client.send({ kind: "ack", id: 900 });
    await vi.waitFor(() => expect(received).toBe(SUBSCRIPTION_WINDOW + 1));
  });

  it("ignores what is not of the protocol", async () => {
    for (const junk of [
      null,
      1,
      "x",
      {},
      { kind: "call" },
      { kind: "call", id: -1, type: "query", path: "panes" },
    ])
      ports.client.send(junk);
    expect((await client.panes.query({})).items).toHaveLength(1);
  });
});
