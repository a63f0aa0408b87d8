// An ntfy server as its documents describe it (https://docs.ntfy.sh/publish, https://docs.ntfy.sh/subscribe/api), on loopback: it
// publishes JSON and plain bodies, keeps messages, streams a topic as JSON lines from a place on, and replaces and withdraws by
// sequence ids. It can lose, repeat and delay, refuse strangers, and be hostile.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { randomBytes } from "node:crypto";
import * as z from "zod";
import { until } from "../setup/realClock.ts";

const actionSchema = z.strictObject({
  action: z.enum(["http", "view"]),
  label: z.string().min(1),
  url: z.string().min(1),
  method: z.enum(["POST", "PUT", "GET"]).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.string().optional(),
  clear: z.boolean().optional(),
});
const publishSchema = z.strictObject({
  topic: z.string().regex(/^[-_A-Za-z0-9]{1,64}$/),
  title: z.string().optional(),
  message: z.string().max(4_096),
  priority: z.number().int().min(1).max(5).optional(),
  sequence_id: z.string().optional(),
  actions: z.array(actionSchema).max(3).optional(),
});
export type NtfyMessage = z.infer<typeof publishSchema> & { id: string; event: string };

export interface NtfyServer {
  readonly base: string;
  /** What a phone that reads this topic shows now, the oldest first. */
  shown(topic: string): NtfyMessage[];
  /** All that was ever published to the topic. */
  all(topic: string): NtfyMessage[];
  untilShown(topic: string, test: (message: NtfyMessage) => boolean, what: string): Promise<NtfyMessage>;
  /** Presses a button as the phone's app does: without an account. Gives the status. */
  press(message: NtfyMessage, label: string): Promise<number>;
  /** As any reader of the topic may. */
  publish(topic: string, body: string): Promise<number>;
  /** Streams that are open now. */
  readonly streams: {
    topic: string;
    since: string;
    authorization: string | undefined;
    write(text: string): void;
  }[];
  /** How often a stream was asked for. */
  readonly asked: { topic: string; since: string }[];
  /** Cuts every connection. */
  drop(): void;
  /** What it does with a request for a stream, in place of serving it; true: it has. */
  onStream: (response: ServerResponse, topic: string) => boolean;
  /** Whether this request may be made; else it is answered with 403. */
  mayWrite: (topic: string, authorization: string | undefined) => boolean;
  mayRead: (topic: string, authorization: string | undefined) => boolean;
  /** Messages of a topic on their way to its streams: [] loses them, several repeat them. */
  deliver: (message: NtfyMessage) => NtfyMessage[] | Promise<NtfyMessage[]>;
  /** A server before 2.16 knows no sequence ids. */
  knowsSequences: boolean;
  keepaliveMs: number;
  close(): Promise<void>;
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  return body;
};

export const openNtfyServer = async (): Promise<NtfyServer> => {
  const kept: NtfyMessage[] = [];
  const timers = new Set<NodeJS.Timeout>();
  const time = (): number => Math.floor(Date.now() / 1_000);
  const lineOf = (message: NtfyMessage): string => `${JSON.stringify({ ...message, time: time() })}\n`;

  const keep = async (message: NtfyMessage, response: ServerResponse): Promise<void> => {
    kept.push(message);
    response.writeHead(200, { "content-type": "application/json" }).end(lineOf(message));
    for (const one of await self.deliver(message))
      for (const stream of self.streams) if (stream.topic === one.topic) stream.write(lineOf(one));
  };

  const publish = async (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    const body = await readBody(request);
    const { authorization } = request.headers;
    const isJson = path === "";
    const parsed = isJson ? publishSchema.safeParse(JSON.parse(body)) : null;
    if (parsed?.success === false) {
      response.writeHead(400).end(JSON.stringify({ code: 40024, error: parsed.error.message }));
      return;
    }
    const content = parsed === null ? { topic: path, message: body } : parsed.data;
    if (!self.mayWrite(content.topic, authorization)) {
      response.writeHead(403).end('{"code":40301,"http":403,"error":"forbidden"}');
      return;
    }
    await keep({ ...content, id: randomBytes(6).toString("hex"), event: "message" }, response);
  };

  const subscribe = (
    request: IncomingMessage,
    response: ServerResponse,
    topic: string,
    since: string,
  ): void => {
    self.asked.push({ topic, since });
    const { authorization } = request.headers;
    if (self.onStream(response, topic)) return;
    if (!self.mayRead(topic, authorization)) {
      response.writeHead(403).end('{"code":40301,"http":403,"error":"forbidden"}');
      return;
    }
    response.writeHead(200, { "content-type": "application/x-ndjson; charset=utf-8" });
    const write = (text: string): void => void response.write(text);
    const event = (name: string): void =>
      write(`${JSON.stringify({ id: randomBytes(6).toString("hex"), time: time(), event: name, topic })}\n`);
    event("open");
    const ofTopic = kept.filter((one) => one.topic === topic);
    const from = ofTopic.findIndex(({ id }) => id === since);
    if (since !== "") for (const one of ofTopic.slice(from + 1)) write(lineOf(one));
    const stream = { topic, since, authorization, write };
    self.streams.push(stream);
    const timer = setInterval(() => event("keepalive"), self.keepaliveMs);
    timers.add(timer);
    response.on("close", () => {
      clearInterval(timer);
      self.streams.splice(self.streams.indexOf(stream), 1);
    });
  };

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const [topic = "", rest = ""] = url.pathname.slice(1).split("/");
    if (request.method === "GET" && rest === "json")
      subscribe(request, response, topic, url.searchParams.get("since") ?? "");
    else if (request.method === "DELETE") {
      if (self.knowsSequences)
        kept.push({
          topic,
          message: "",
          sequence_id: rest,
          id: randomBytes(6).toString("hex"),
          event: "message_delete",
        });
      response.writeHead(self.knowsSequences ? 200 : 404).end();
    } else publish(request, response, topic).catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  const self: NtfyServer = {
    base,
    streams: [],
    asked: [],
    onStream: () => false,
    mayWrite: () => true,
    mayRead: () => true,
    deliver: (message) => [message],
    knowsSequences: true,
    keepaliveMs: 45_000,
    all: (topic) => kept.filter((one) => one.topic === topic),
    shown: (topic) => {
      const shown: NtfyMessage[] = [];
      for (const one of kept.filter((message) => message.topic === topic)) {
        const before = shown.findIndex(({ sequence_id: id }) => id !== undefined && id === one.sequence_id);
        if (self.knowsSequences && before !== -1) shown.splice(before, 1);
        if (one.event === "message") shown.push(one);
      }
      return shown;
    },
    untilShown: async (topic, test, what) => {
      await until(() => self.shown(topic).some(test), what, 15_000);
      return self.shown(topic).findLast(test) as NtfyMessage;
    },
    press: async (message, label) => {
      const action = message.actions?.find((one) => one.label === label);
      if (action === undefined) throw new Error(`the message has no button '${label}'`);
      const { url, method = "POST", headers = {}, body = "" } = action;
      return (await fetch(url, { method, headers, body })).status;
    },
    publish: async (topic, body) => (await fetch(`${base}${topic}`, { method: "POST", body })).status,
    drop: () => server.closeAllConnections(),
    close: async () => {
      for (const timer of timers) clearInterval(timer);
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return self;
};
