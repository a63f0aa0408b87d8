// `agtmux ui` against clients that only want to take up room.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../setup/realClock.ts";
import { openAttackedBridge, type AttackedBridge } from "./attackedBridge.ts";
import { isRoot, NOBODY } from "./otherUser.ts";

/** Another user, who opens so many connections and each again as soon as it is gone. */
const CROWD = `
  const net = require("node:net");
  const [port, count, user] = process.argv.slice(1);
  if (user !== "") { process.setgroups([]); process.setgid(Number(user)); process.setuid(Number(user)); }
  let opened = 0;
  const open = () => {
    const socket = net.connect({ host: "127.0.0.1", port: Number(port) });
    socket.on("connect", () => { opened += 1; });
    socket.on("error", () => {});
    socket.on("close", () => setImmediate(open));
  };
  for (let index = 0; index < Number(count); index += 1) open();
  setInterval(() => console.log(opened), 20);
  process.stdin.on("end", () => process.exit()).resume();`;

const startCrowd = async (
  port: number,
  count: number,
): Promise<{ opened: () => number; stop: () => Promise<number> }> => {
  const user = isRoot ? String(NOBODY) : "";
  const child = spawn(process.execPath, ["-e", CROWD, "--", String(port), String(count), user], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let opened = 0;
  child.stdout
    .setEncoding("utf8")
    .on("data", (text: string) => (opened = Number(text.trim().split("\n").at(-1))));
  await until(() => opened >= Math.min(count, 64), "the crowd is there", 20_000);
  return {
    opened: () => opened,
    stop: async () => {
      child.stdin.end();
      await once(child, "close");
      return opened;
    },
  };
};

let page: AttackedBridge;
beforeAll(async () => {
  page = await openAttackedBridge();
});
afterAll(() => page.close());

describe("a client that only takes up room", () => {
  it("and never ends its headers is cut off", async () => {
    const slow = page.open();
    slow.socket.write(`GET / HTTP/1.1\r\nHost: ${page.own}\r\n`);
    const drip = setInterval(() => slow.socket.write("X-A: b\r\n"), 200);
    await slow.closed;
    clearInterval(drip);
    expect(slow.read()).toMatch(/^(HTTP\/1\.1 408|$)/);
  });

  it("and sends headers or a body without end is refused before they are read", async () => {
    const headers = await page.get("/", `X-Long: ${"x".repeat(100_000)}`);
    expect([0, 431]).toContain(headers.status);
    const before = page.daemon.asked.length;
    const endless = page.open();
    endless.socket.write(
      `POST ${page.base}/trpc/dismiss HTTP/1.1\r\nHost: ${page.own}\r\nCookie: ${page.cookie}\r\nOrigin: http://${page.own}\r\n` +
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    const chunk = `10000\r\n${"x".repeat(0x1_00_00)}\r\n`;
    const push = setInterval(() => endless.socket.write(chunk), 5);
    await until(() => endless.read() !== "" || endless.socket.destroyed, "an end of the body", 20_000);
    clearInterval(push);
    endless.socket.destroy();
    expect([/^$|^HTTP\/1\.1 4/.test(endless.read()), page.daemon.asked.length]).toEqual([true, before]);
  });

  it("and opens hundreds of connections leaves the others to the person", async () => {
    const crowd = Array.from({ length: 300 }, () => page.open());
    await until(() => crowd.some(({ socket }) => socket.destroyed), "the surplus is refused");
    const left = crowd.filter(({ socket }) => !socket.destroyed);
    await until(() => left.filter(({ socket }) => !socket.destroyed).length <= 64, "no more than the bound");
    for (const { socket } of crowd) socket.destroy();
    await until(async () => (await page.get("/")).status === 200, "the page again");
  });

  it.each([130, 1_000])(
    "and opens %i again whenever one goes starves nobody who has the session",
    async (count) => {
      const crowd = await startCrowd(page.bridge.port, count);
      const statuses: number[] = [];
      for (let asked = 0; asked < 8; asked += 1) {
        const enough = count + asked * 16;
        await until(() => crowd.opened() > enough, "more were opened");
        statuses.push((await page.get("/trpc/targets")).status);
      }
      await crowd.stop();
      expect(statuses).toEqual(Array.from({ length: 8 }, () => 200));
    },
  );

  it("and opens hundreds does not end what the person has open", async () => {
    const held = page.open();
    const line = `GET ${page.base}/trpc/targets HTTP/1.1\r\nHost: ${page.own}\r\nCookie: ${page.cookie}\r\n\r\n`;
    held.socket.write(line);
    await until(() => held.read().includes("200 OK"), "the first answer");
    const crowd = await startCrowd(page.bridge.port, 300);
    await until(() => crowd.opened() > 600, "more than there is room for");
    held.socket.write(line);
    await until(() => held.read().split("200 OK").length === 3, "an answer on the same connection");
    held.socket.destroy();
    await crowd.stop();
  });
});
