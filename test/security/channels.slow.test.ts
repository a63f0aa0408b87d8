// What leaves the machine over channels, byte by byte: a real daemon, an agent that asks on real tmux, a web server and a
// program that receive.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ChannelMessage } from "../../features/automation/channels/channelMessage.ts";
import { type Harness, openHarness } from "../actions/actionHarness.ts";
import { dialogOf, type DialogPane, openDialogs } from "../actions/dialogPane.ts";
import { type CommandLine, openCommandLine, serveDaemon } from "../harness/commandLine.ts";
import { until } from "../setup/realClock.ts";
import { hasWord, readAll } from "./secretsHarness.ts";

const TOKEN = `ghp_${"aB3dE6gH9j".repeat(3)}K2m4P6`;
const HOSTILE = "\u202eowned\u2066\u200f";
const TOPIC = "topic-that-is-a-secret";
const LIMIT_MS = 60_000;

let root: string;
let harness: Harness;
let cli: CommandLine;
let server: Server;
let base: string;
let received: { url: string; message: ChannelMessage }[];
/** The first requests of these paths are never answered. */
const HANGS = "/hangs";
const closers: (() => Promise<unknown> | void)[] = [];

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "agtmux-out-"));
  received = [];
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      const { url = "" } = request;
      received.push({ url, message: JSON.parse(body) as ChannelMessage });
      if (!url.startsWith(HANGS)) response.end();
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  harness = await openHarness();
  closers.push(
    () => rmSync(root, { recursive: true, force: true }),
    () => new Promise((done) => server.close(done)),
    () => server.closeAllConnections(),
    () => harness.close(),
    await serveDaemon(harness.daemon),
  );
  cli = openCommandLine(harness.daemon.paths.home);
  closers.push(() => cli.close());
}, LIMIT_MS);
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
}, LIMIT_MS);

const configure = async (channels: readonly object[]): Promise<void> => {
  writeFileSync(harness.daemon.paths.config, JSON.stringify({ channels }));
  // Asking for the settings reads the file at once.
  await harness.service.configGet(undefined);
};
const ask = (name = "asking"): Promise<DialogPane> =>
  openDialogs(
    harness,
    "claude",
    [
      dialogOf("recordings/claude/waiting_approval", {
        options: ["Yes", "No"],
        digits: "too",
        replace: ["touch approved.txt", `curl -H 'Authorization: Bearer ${TOKEN}' ${HOSTILE} x.example`],
      }),
    ],
    { name },
  );
const at = (url: string): ChannelMessage[] =>
  received.filter((one) => one.url === url).map(({ message }) => message);

describe("channels", () => {
  it("send nothing without one in config.json, and say so", { timeout: LIMIT_MS }, async () => {
    await ask();
    const { stdout } = await cli.run(["channel", "list"]);
    expect(stdout).toContain("nothing is sent out");
    expect(received).toEqual([]);
    const { stderr, code } = await cli.run(["channel", "test", "phone"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("no channel in force is called 'phone'")]);
  });

  it(
    "tell the state alone, or a clean line of what is asked, and withdraw it when it was handled elsewhere",
    { timeout: LIMIT_MS },
    async () => {
      const log = join(root, "messages");
      await configure([
        { name: "state", kind: "webhook", url: `${base}/state` },
        { name: "request", kind: "webhook", url: `${base}/request`, include: "request" },
        { name: "bell", kind: "command", argv: ["sh", "-c", 'cat >> "$1"', "sh", log] },
        { name: "silent", kind: "webhook", url: `${base}/silent`, events: ["completed"] },
        { name: "night", kind: "webhook", url: `${base}/night`, quiet: { from: "00:00", to: "23:59" } },
      ]);
      const dialog = await ask();
      await until(
        () => at("/state").length > 0 && at("/request").length > 0 && existsSync(log),
        "they are told",
      );
      const [state] = at("/state");
      expect(state).toMatchObject({
        event: "show",
        kind: "waiting_approval",
        title: "Claude Code needs a permission",
        text: "base",
        ref: dialog.row.identity.pane_ref,
      });
      expect(JSON.stringify(state)).not.toMatch(/curl|Bearer|example|approved/);
      const [asked] = at("/request");
      expect(asked?.text).toContain("curl -H");
      const everything = JSON.stringify(received) + readFileSync(log, "utf8");
      expect(everything).not.toContain(TOKEN);
      expect(everything).not.toMatch(/\p{Cf}/u);

      await dialog.skip();
      await until(() => at("/state").length > 1 && at("/request").length > 1, "they are withdrawn");
      expect(at("/state").map(({ event, id }) => [event, id])).toEqual([
        ["show", state?.id],
        ["withdraw", state?.id],
      ]);
      expect([at("/silent"), at("/night").length === 0 || new Date().getHours() === 23]).toEqual([[], true]);
    },
  );

  it(
    "that hang delay neither the daemon nor another channel, and their address is written down nowhere",
    { timeout: LIMIT_MS },
    async () => {
      await configure([
        { name: "hangs", kind: "webhook", url: `${base}${HANGS}/${TOPIC}` },
        { name: "stuck", kind: "command", argv: ["sleep", "1000"] },
        { name: "works", kind: "webhook", url: `${base}/works` },
      ]);
      await ask("first");
      await until(() => at("/works").length === 1 && received.length > 1, "the others are told");
      await ask("second");
      await until(() => at("/works").length >= 2, "the next one is told too");
      const began = performance.now();
      for (let look = 0; look < 20; look += 1) harness.service.panes({});
      const { stdout } = await cli.run(["channel", "list", "--json"]);
      expect(performance.now() - began).toBeLessThan(5_000);
      expect(JSON.parse(stdout)).toMatchObject({ summary: { total: 3 }, problems: [] });
      expect(stdout).not.toContain(TOPIC);
      expect(hasWord(readAll(harness.daemon.paths.home), TOPIC)).toBe(true);
      expect(hasWord(readAll(harness.daemon.paths.home, ["config.json"]), TOPIC)).toBe(false);
      const closing = performance.now();
      await configure([]);
      await cli.run(["channel", "list"]);
      expect(performance.now() - closing).toBeLessThan(5_000);
    },
  );

  it("that are wrong are not in force, by line, and the others are", { timeout: LIMIT_MS }, async () => {
    writeFileSync(
      harness.daemon.paths.config,
      `{\n  "channels": [\n    { "name": "works", "kind": "webhook", "url": "${base}/works" },\n    { "name": "wrong", "kind": "webhook",\n      "url": "http://example.org/x" }\n  ]\n}\n`,
    );
    const { problem } = await harness.service.configGet(undefined);
    expect(problem).toBeNull();
    const listed = await cli.run(["channel", "list"]);
    expect(listed.stdout).toMatch(
      /config\.json:5: channels\.1\.url: what leaves this machine goes over https/,
    );
    expect((await cli.run(["channel", "test", "works"])).stdout).toBe("Delivered.\n");
    expect(at("/works")).toMatchObject([{ event: "test", title: "agtmux test" }]);
    const wrong = await cli.run(["channel", "test", "wrong"]);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("Channels in force: works")]);
    const doctor = await cli.run(["doctor", "--json"]);
    const { findings } = JSON.parse(doctor.stdout) as { findings: { check: string; status: string }[] };
    expect(findings.filter(({ check }) => check === "daemon.channels").map(({ status }) => status)).toEqual([
      "problem",
      "ok",
    ]);
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    const gone = await cli.run(["channel", "test", "works"]);
    expect([gone.code, gone.stdout]).toEqual([20, expect.stringMatching(/^Not delivered: .*ECONNREFUSED/)]);
  });
});
