// The fast path answers exactly as tRPC's own handler would, and only where it may.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createHTTPHandler } from "@trpc/server/adapters/standalone";
import { afterEach, expect, test } from "vitest";
import { AnsweringDaemon } from "../../test/fakes/answeringDaemon.ts";
import { createRouter } from "../api/router.ts";
import { createPlainQueries } from "./socketServer.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** Two servers of one router, with the fast path and without; `plain` counts the requests on the fast path. */
const serve = async () => {
  const router = createRouter(new AnsweringDaemon([], { now: () => 0 }));
  const handle = createHTTPHandler({ router });
  const answerPlainly = createPlainQueries(router);
  const counts = { plain: 0 };
  const listen = async (isPlain: boolean): Promise<string> => {
    const server = createServer((request, response) => {
      const askInFull = (): void => handle(request, response);
      if (isPlain && answerPlainly(request, response, askInFull)) counts.plain += 1;
      else askInFull();
    });
    closers.push(() => server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  return { short: await listen(true), long: await listen(false), counts };
};

interface Asking {
  method?: string;
  body?: string;
  headers?: Record<string, string>;
}
const answerOf = async (base: string, path: string, init: Asking = {}) => {
  const response = await fetch(base + path, { ...init, headers: { connection: "close", ...init.headers } });
  const text = (await response.text()).replace(/"generated_at":"[^"]*"/, "");
  return { status: response.status, type: response.headers.get("content-type"), text };
};

const input = (value: unknown): string => `?input=${encodeURIComponent(JSON.stringify(value))}`;

test.each([
  ["/hello", true],
  [`/panes${input({})}`, true],
  [`/panes${input({ state: ["running"], all: true })}`, true],
  [`/windows${input({})}`, true],
  [`/panes${input({ target: "nowhere" })}`, true],
  [`/panes${input({ unknown: 1 })}`, true],
  ["/panes?input=%7B", false],
  ["/panes?input=%", false],
  [`/panes?batch=1&input=${encodeURIComponent('{"0":{}}')}`, false],
  ["/nothing", false],
  ["/toString", false],
  ["/shutdown", false],
])("%s is answered as by tRPC's handler", async (path, isPlain) => {
  const { short, long, counts } = await serve();
  expect(await answerOf(short, path)).toEqual(await answerOf(long, path));
  expect(counts.plain).toBe(isPlain ? 1 : 0);
});

test("mutations and streams never go the short way", async () => {
  const { short, counts } = await serve();
  await answerOf(short, "/hello", { method: "POST", body: "{}" });
  await answerOf(short, "/hello", { headers: { "trpc-accept": "application/jsonl" } });
  await answerOf(short, "/hello", { headers: { accept: "text/event-stream" } });
  expect(counts.plain).toBe(0);
});
