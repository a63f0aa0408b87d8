import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SILENT_LOGGER } from "../../ports/logger.ts";
import { createRemoteExecutor, connectOnce } from "./createRemoteExecutor.ts";

let folder: string;
let server: Server;
/** What each connection said first; "" for one that said nothing. */
let said: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-first-"));
  said = [];
  server = createServer((socket) => {
    let first = "";
    socket.on("data", (data) => {
      first += String(data);
      socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => said.push(first.slice(0, 4)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true });
});
const port = (): number => (server.address() as AddressInfo).port;

/** Two attempts to reach the server through the `ssh` program; more lines of its configuration. */
const connectTwice = async (platform: NodeJS.Platform, more = ""): Promise<void> => {
  const configFile = join(folder, "config");
  writeFileSync(configFile, `Host first\nHostName 127.0.0.1\nPort ${port()}\nUser nobody\n${more}`);
  const executor = createRemoteExecutor({
    targetId: "first",
    alias: "first",
    env: { PATH: process.env["PATH"], HOME: folder },
    logger: SILENT_LOGGER,
    controlDir: join(folder, "cm"),
    transport: "openssh",
    configFile,
    connectTimeoutMs: 10_000,
    platform,
  });
  for (let attempt = 0; attempt < 2; attempt += 1)
    await expect(executor.connect()).rejects.toMatchObject({ code: "E_TARGET_UNREACHABLE" });
  await executor.close();
};

describe("the first connection to a host of the network", () => {
  it("is our own on macOS, before one of a child, and says nothing", async () => {
    await connectTwice("darwin");
    expect(said).toEqual(["", "SSH-", "SSH-"]);
  });

  it("is that of ssh elsewhere, and where another host is in between", async () => {
    await connectTwice("linux");
    expect(said).toEqual(["SSH-", "SSH-"]);
    await connectTwice("darwin", "ProxyCommand false\n");
    expect(said).toHaveLength(2);
  });

  it("waits for nobody who does not answer", async () => {
    const closed = port();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    await connectOnce({ host: "127.0.0.1", port: closed, family: 4 }, 60_000);
  });
});
