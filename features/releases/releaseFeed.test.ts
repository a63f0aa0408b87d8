// What an address says of releases, with a server that means no good.
import { createServer, type RequestListener } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { compareVersions, fetchBounded, findNewest, parseReleaseAddress, parseSums } from "./releaseFeed.ts";

const HASH = "a".repeat(64);
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/releases`;
};

const newest = (address: string) => findNewest(parseReleaseAddress(address), new AbortController().signal);

describe("an address of releases", () => {
  it("is encrypted, or of this machine, and has nothing secret in it", () => {
    expect(parseReleaseAddress("https://example.org/a/releases/")).toEqual({
      base: "https://example.org/a/releases",
    });
    expect(parseReleaseAddress("http://localhost:80/x").base).toBe("http://localhost/x");
    for (const wrong of [
      "",
      "example.org",
      "http://example.org",
      "http://127.0.0.1.example.org",
      "http://127.0.0.1@example.org",
      "https://me:word@example.org",
      "https://example.org/?a",
      "https://example.org/#a",
      "file:///etc",
      `https://example.org/${"a".repeat(1_000)}`,
    ])
      expect(() => parseReleaseAddress(wrong), wrong).toThrow("cannot be used");
  });
});

describe("versions", () => {
  it("have an order", () => {
    const sorted = [
      "no version",
      "0.9.10",
      "1.0.0-alpha",
      "1.0.0-alpha.2",
      "1.0.0-alpha.11",
      "1.0.0-beta",
      "1.0.0",
      "1.0.1",
      "1.2.0",
      "1.10.0",
    ];
    expect(sorted.toReversed().toSorted(compareVersions)).toEqual(sorted);
    expect(compareVersions("1.2.3", "1.2.3")).toBe(0);
  });
});

describe("the list of a release", () => {
  const line = (version: string, system = "linux-x64") => `${HASH}  agtmux-${version}-${system}.tar.gz\n`;

  it("names one version and the archive of each system", () => {
    const text = `${line("1.2.3")}${HASH} *agtmux-1.2.3-macos-arm64.tar.gz\n${HASH}  agtmux-9.9.9.tgz\n${HASH}  install.sh\n`;
    expect(parseSums(text)).toEqual({
      version: "1.2.3",
      archives: new Map([
        ["linux-x64", HASH],
        ["macos-arm64", HASH],
      ]),
    });
  });

  it("is refused where it is anything else", () => {
    for (const [text, why] of [
      ["", "names no archive"],
      ["<html>", "names no archive"],
      [line("1.2.3").replace(HASH, "xyz"), "names no archive"],
      [line("../../1.2.3"), "names no archive"],
      [line("1.2.3\u001b[2J"), "names no archive"],
      [line("1.2.3").replace("linux", "windows"), "names no archive"],
      [line("1.2.3") + line("1.2.4", "macos-x64"), "several versions"],
      [line("1.2.3") + line("1.2.3"), "twice"],
    ] as const)
      expect(() => parseSums(text), text).toThrow(why);
  });
});

describe("a server", () => {
  it("is asked for one file, and followed where it leads on to", async () => {
    const asked: string[] = [];
    const address = await serve(({ url = "" }, response) => {
      asked.push(url);
      if (url.endsWith("/latest/download/SHA256SUMS"))
        response.writeHead(302, { location: "/elsewhere" }).end();
      else response.end(`${HASH}  agtmux-2.0.0-linux-x64.tar.gz\n`);
    });
    expect((await newest(address)).version).toBe("2.0.0");
    expect(asked).toEqual(["/releases/latest/download/SHA256SUMS", "/elsewhere"]);
  });

  it("that means no good is told off", async () => {
    for (const [listener, why] of [
      [(_request, response) => response.writeHead(404).end(), "answered 404"],
      [(_request, response) => response.writeHead(200).end("x".repeat(70_000)), "larger than 65536"],
      [(request, response) => response.writeHead(302, { location: request.url }).end(), "on and on"],
      [
        (_request, response) => response.writeHead(302, { location: "http://example.org/" }).end(),
        "encrypted",
      ],
      [
        (_request, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end(),
        "encrypted",
      ],
      [
        (_request, response) => {
          response.writeHead(200, { "content-length": "100" });
          response.write("x");
          response.destroy();
        },
        "cannot be fetched",
      ],
    ] as const satisfies readonly (readonly [RequestListener, string])[])
      await expect(newest(await serve(listener)), why).rejects.toThrow(why);
    const gone = await serve((_request, response) => response.end());
    for (const close of closers.splice(0)) close();
    await expect(newest(gone)).rejects.toThrow("ECONNREFUSED");
  });

  it("that never ends its answer is not waited for", async () => {
    const address = await serve((_request, response) => {
      response.writeHead(200);
      response.write("x");
    });
    const limits = { maxBytes: 100, timeoutMs: 100, signal: new AbortController().signal };
    await expect(fetchBounded(address, limits, () => {})).rejects.toThrow("it took too long");
  });

  it("is not blamed for what happens to its answer here", async () => {
    const address = await serve((_request, response) => response.end("x"));
    const limits = { maxBytes: 100, timeoutMs: 5_000, signal: new AbortController().signal };
    const failure = new Error("the disk is full");
    await expect(
      fetchBounded(address, limits, () => {
        throw failure;
      }),
    ).rejects.toBe(failure);
  });
});
