// The short way to a document, and when it is not taken.
import { createServer, type Socket } from "node:net";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { ensureHome, runtimePaths, type RuntimePaths } from "./paths.ts";
import { queryDocument } from "./queryDocument.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const makePaths = (): RuntimePaths => {
  const paths = runtimePaths(join(mkdtempSync(join(tmpdir(), "agtmux-q-")), "home"));
  ensureHome(paths);
  return paths;
};

/** Answers every request with these bytes; null: never. */
const answerWith = async (paths: RuntimePaths, answer: string | null): Promise<string[]> => {
  const asked: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.on("data", (data) => {
      asked.push(data.toString());
      if (answer !== null) socket.end(answer);
    });
  });
  const previous = process.umask(0o177);
  await new Promise<void>((resolve) => server.listen(paths.socket, resolve));
  process.umask(previous);
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(() => resolve()));
  });
  return asked;
};

const ask = async (paths: RuntimePaths, version: string | null = "1.2.3"): Promise<string | null> => {
  const document = await queryDocument({
    paths,
    path: "panes",
    input: { all: true },
    version,
    timeoutMs: 200,
  });
  return document === null ? null : document.toString();
};

const plain = (headers: Record<string, string>): string => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 200 OK\r\n${lines.join("")}\r\n{"result":{"data":{}}}`;
};
const HEAD = "HTTP/1.1 200 OK\r\nagtmux-protocol: 1\r\nagtmux-version: 1.2.3\r\n\r\n";

test("gives the document's own bytes", async () => {
  const paths = makePaths();
  const asked = await answerWith(paths, `${HEAD}{"result":{"data":{"items":["ü"]}}}`);
  expect(await ask(paths)).toBe('{"items":["ü"]}');
  expect(asked).toEqual(["GET /panes?input=%7B%22all%22%3Atrue%7D HTTP/1.0\r\nhost: agtmux\r\n\r\n"]);
});

test("of another version only for those who do not mind", async () => {
  const paths = makePaths();
  await answerWith(paths, `${HEAD}{"result":{"data":{}}}`);
  expect([await ask(paths, "1.2.4"), await ask(paths, null)]).toEqual([null, "{}"]);
});

test.each([
  { what: "no version", answer: plain({ "agtmux-protocol": "1" }) },
  { what: "another protocol", answer: plain({ "agtmux-protocol": "2", "agtmux-version": "1.2.3" }) },
  { what: "no protocol", answer: plain({ "agtmux-version": "1.2.3" }) },
  { what: "an error", answer: `${HEAD}{"result":{"data":{}}}`.replace("200 OK", "400 Bad") },
  { what: "half an answer", answer: `${HEAD}{"result":{"data":{"items":[` },
  { what: "something else", answer: "hello" },
  { what: "nothing", answer: "" },
  { what: "silence", answer: null },
])("leaves $what to the socket client", async ({ answer }) => {
  const paths = makePaths();
  await answerWith(paths, answer);
  expect(await ask(paths)).toBeNull();
});

test("leaves a missing daemon to the socket client", async () => {
  expect(await ask(makePaths())).toBeNull();
});
