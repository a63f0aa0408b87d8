// Real programs and a real web server that hang, flood, redirect and lie: each attempt ends in its time and says why.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { channelSchema, type Channel } from "../../../core/model/notifications.ts";
import { until } from "../../../test/setup/realClock.ts";
import { testMessage, type ChannelMessage } from "./channelMessage.ts";
import { deliver } from "./channelSet.ts";
import type { Delivery } from "./delivery.ts";
import { partOf } from "../../../test/fakes/partOf.ts";

let home: string;
let server: Server;
let base: string;
let seen: { method: string; url: string; headers: IncomingMessage["headers"]; body: string }[];
let answer: (response: ServerResponse, url: string) => void;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "agtmux-channel-"));
  seen = [];
  answer = (response) => response.writeHead(200).end();
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      seen.push({ method, url, headers, body });
      answer(response, url);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  rmSync(home, { recursive: true, force: true });
});

const message = (event: ChannelMessage["event"] = "show"): ChannelMessage => ({
  ...testMessage("rt1:7", {
    channel: partOf({ name: "c", include: "state" }),
    at: 0,
    redact: (text) => text,
  }),
  event,
  title: "Claude Code needs a permission",
  text: "work",
  kind: "waiting_approval",
});
const hand = (
  channel: object,
  options: { event?: ChannelMessage["event"]; timeoutMs?: number; signal?: AbortSignal } = {},
): Promise<Delivery> => {
  const checked: Channel = channelSchema.parse({ name: "c", ...channel });
  return deliver(checked, message(options.event), {
    env: { ...process.env, SOME_TOKEN: "daemon-only", HOME: "/nowhere" },
    home,
    uid: process.getuid?.() ?? 0,
    timeoutMs: options.timeoutMs ?? 10_000,
    signal: options.signal ?? new AbortController().signal,
  });
};
const command = (script: string, ...more: string[]) => ({
  kind: "command",
  argv: ["sh", "-c", script, "sh", ...more],
});
const detailOf = (delivery: Delivery): string =>
  delivery.outcome === "delivered" ? "delivered" : delivery.detail;

describe("a command", () => {
  it("gets the message as JSON on standard input, in the home, with an environment that holds no keys", async () => {
    const told = await hand(
      command("cat > message; pwd > folder; env > environment; printf '%s' \"$1\" > word", "$(touch x);"),
    );
    expect(told).toEqual({ outcome: "delivered" });
    const read = (name: string) => readFileSync(join(home, name), "utf8");
    expect(JSON.parse(read("message"))).toEqual(message());
    expect(read("folder").trim()).toBe(home);
    expect(read("environment")).toContain(`HOME=${home}\n`);
    expect(read("environment")).not.toContain("daemon-only");
    expect(read("word")).toBe("$(touch x);");
    expect(existsSync(join(home, "x"))).toBe(false);
  });

  it("that hangs is ended with what it started, whatever signals it ignores", async () => {
    const hangs = command("trap '' TERM INT HUP; sleep 1000 & echo $! > child; while :; do sleep 1; done");
    const began = performance.now();
    expect(detailOf(await hand(hangs, { timeoutMs: 300 }))).toBe("the program did not end within 0.3 s");
    expect(performance.now() - began).toBeLessThan(3_000);
    const child = readFileSync(join(home, "child"), "utf8").trim();
    await until(
      () => !/^[^Z]/.test(spawnSync("ps", ["-o", "stat=", "-p", child]).stdout.toString().trim()),
      "its child ends",
    );
  });

  it("may print without end and leave its input unread", async () => {
    expect(await hand(command("yes | head -c 50000000; exec 0<&-"))).toEqual({ outcome: "delivered" });
  });

  it("that leaves something behind is not waited for", async () => {
    expect(await hand(command("sleep 5 & echo $! > child"), { timeoutMs: 4_000 })).toEqual({
      outcome: "delivered",
    });
    process.kill(Number(readFileSync(join(home, "child"), "utf8")));
  });

  it("that fails says how, and is not tried again", async () => {
    expect(await hand(command("exit 3"))).toEqual({
      outcome: "not_delivered",
      detail: "the program ended with status 3",
      mayRetry: false,
    });
    expect(detailOf(await hand({ kind: "command", argv: ["no-such-program"] }))).toBe(
      "there is no program 'no-such-program'",
    );
  });

  it("ends with the channel", async () => {
    const aborter = new AbortController();
    const running = hand(command("sleep 1000"), { signal: aborter.signal });
    aborter.abort();
    expect(detailOf(await running)).toBe("the channel was closed");
  });
});

describe("a webhook", () => {
  const hook = (more: object = {}) => ({ kind: "webhook", url: `${base}/hook`, ...more });

  it("gets the message as JSON, and the secret only in its header", async () => {
    const file = join(home, "secret");
    writeFileSync(file, "s3cret-value\n", { mode: 0o600 });
    expect(await hand(hook({ secret_file: "~/secret" }))).toEqual({ outcome: "delivered" });
    expect(seen).toHaveLength(1);
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual(message());
    expect(seen[0]?.headers).toMatchObject({
      authorization: "Bearer s3cret-value",
      "content-type": "application/json",
    });
  });

  it("is not called with a secret that others may read, a link, or more than one line", async () => {
    const file = join(home, "secret");
    writeFileSync(file, "value", { mode: 0o600 });
    chmodSync(file, 0o640);
    expect(detailOf(await hand(hook({ secret_file: file })))).toContain("others may read");
    chmodSync(file, 0o600);
    symlinkSync(file, join(home, "link"));
    expect(detailOf(await hand(hook({ secret_file: "~/link" })))).toContain("is a link");
    writeFileSync(file, "value\r\nx-other: header");
    expect(detailOf(await hand(hook({ secret_file: file })))).toContain("on one line");
    expect(detailOf(await hand(hook({ secret_file: "~/none" })))).toContain("ENOENT");
    expect(detailOf(await hand(hook({ secret_file: "/dev/zero" })))).toContain("no regular file");
    expect(seen).toEqual([]);
  });

  it("that redirects is not followed, and gets nothing else", async () => {
    answer = (response, url) =>
      url === "/hook" ? response.writeHead(307, { location: "/other" }).end() : response.end();
    expect(detailOf(await hand(hook()))).toContain("redirects (307)");
    expect(seen.map(({ url }) => url)).toEqual(["/hook"]);
  });

  it("that never answers, or answers for ever, is left in time", async () => {
    answer = () => {};
    const began = performance.now();
    expect(await hand(hook(), { timeoutMs: 300 })).toEqual({
      outcome: "not_delivered",
      detail: "no answer within 0.3 s",
      mayRetry: true,
    });
    let isCut = false;
    answer = (response) => {
      response.writeHead(200);
      const flood = setInterval(() => response.write("x".repeat(60_000)), 1);
      response.on("close", () => {
        isCut = true;
        clearInterval(flood);
      });
    };
    expect(await hand(hook(), { timeoutMs: 5_000 })).toEqual({ outcome: "delivered" });
    await until(() => isCut, "the endless answer is cut");
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it("says of a refusal whether it is worth another try", async () => {
    const cases = [
      [500, true],
      [429, true],
      [404, false],
      [401, false],
    ] as const;
    for (const [status, mayRetry] of cases) {
      answer = (response) => response.writeHead(status).end("secret words of the server");
      const told = await hand(hook());
      expect(told).toMatchObject({ outcome: "not_delivered", mayRetry });
      expect(detailOf(told)).not.toContain("words");
    }
    server.closeAllConnections();
    expect(await hand({ kind: "webhook", url: "http://127.0.0.1:1/" })).toMatchObject({ mayRetry: true });
  });
});

it("ntfy gets its own form, and the withdrawal of the same message", async () => {
  const phone = { kind: "ntfy", url: `${base}/sub/my-topic` };
  expect(await hand(phone)).toEqual({ outcome: "delivered" });
  expect(await hand(phone, { event: "withdraw" })).toEqual({ outcome: "delivered" });
  const [shown, withdrawn] = seen;
  const body = JSON.parse(shown?.body ?? "") as { sequence_id: string };
  expect([shown?.method, shown?.url, body]).toEqual([
    "POST",
    "/sub/",
    {
      topic: "my-topic",
      title: "Claude Code needs a permission",
      message: "work",
      priority: 4,
      sequence_id: expect.stringMatching(/^[A-Za-z0-9_-]{32}$/),
    },
  ]);
  expect([withdrawn?.method, withdrawn?.url, withdrawn?.body]).toEqual([
    "DELETE",
    `/sub/my-topic/${body.sequence_id}`,
    "",
  ]);
});
