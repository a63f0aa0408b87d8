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

const ask = async (paths: RuntimePaths): Promise<string | null> => {
  const document = await queryDocument({ paths, path: "panes", input: { all: true }, timeoutMs: 200 });
  return document === null ? null : document.toString();
};

const HEAD = "HTTP/1.1 200 OK\r\nagtmux-protocol: 1\r\n\r\n";

test("gives the document's own bytes", async () => {
  const paths = makePaths();
  const asked = await answerWith(paths, `${HEAD}{"result":{"data":{"items":["ü"]}}}`);
  expect(await ask(paths)).toBe('{"items":["ü"]}');
  expect(asked).toEqual(["GET /panes?input=%7B%22all%22%3Atrue%7D HTTP/1.0\r\nhost: agtmux\r\n\r\n"]);
});

test.each([
  { what: "another protocol", answer: 'HTTP/1.1 200 OK\r\nagtmux-protocol: 2\r\n\r\n{"result":{"data":{}}}' },
  { what: "no protocol", answer: 'HTTP/1.1 200 OK\r\n\r\n{"result":{"data":{}}}' },
  { what: "an error", answer: 'HTTP/1.1 400 Bad\r\nagtmux-protocol: 1\r\n\r\n{"result":{"data":{}}}' },
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
