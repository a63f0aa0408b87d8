// The recipes of docs/automation.md as they stand there: each is run by the real command line against a real daemon, with a web
// server, a player and an agent of the test in place of the ones that it names.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { openHarness, type Harness } from "../actions/actionHarness.ts";
import { openAgent } from "../actions/agentPane.ts";
import { openCommandLine, serveDaemon, type CommandLine } from "../harness/commandLine.ts";

const LIMIT_MS = 60_000;
const TEXT = readFileSync(fileURLToPath(new URL("../../docs/automation.md", import.meta.url)), "utf8");
const RECIPES = TEXT.slice(TEXT.indexOf("## Recipes"));

const blocks = (language: string): string[] =>
  [...RECIPES.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "gs"))].map(([, body = ""]) => body);

const isRules = (text: string): boolean => text.includes('"rules"');
const CHANNELS = blocks("json")
  .filter((body) => !isRules(body))
  .map((body) => z.looseObject({ name: z.string(), url: z.string().optional() }).parse(JSON.parse(body)));
/** Those about rules: `test/security/approvalRules.slow.test.ts` arms them and lets them answer. */
const isRule = (line: string): boolean => line.startsWith("agtmux rule ");
const LINES = blocks("sh").flatMap((body) => body.trim().split("\n"));
const COMMANDS = LINES.filter((line) => !isRule(line));

const wordsOf = (line: string): string[] =>
  (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", "")).slice(1);

let harness: Harness;
let cli: CommandLine;
let server: Server;
let root: string;
let ref: string;
const posted: string[] = [];
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    posted.push(request.url ?? "");
    response.writeHead(200).end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  closers.push(() => new Promise((done) => server.close(done)));
  root = mkdtempSync(join(tmpdir(), "agtmux-recipes-"));
  closers.push(() => Promise.resolve(rmSync(root, { recursive: true, force: true })));
  writeFileSync(join(root, "paplay"), `#!/bin/sh\ncat > ${join(root, "played")}\n`, { mode: 0o755 });
  harness = await openHarness({ PATH: `${root}:${process.env["PATH"]}` });
  closers.push(() => harness.close(), await serveDaemon(harness.daemon));
  cli = openCommandLine(harness.daemon.paths.home);
  closers.push(() => cli.close());
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const channels = CHANNELS.map((channel) =>
    channel.url === undefined ? channel : { ...channel, url: channel.url.replace("https://ntfy.sh", base) },
  );
  writeFileSync(harness.daemon.paths.config, JSON.stringify({ channels }));
  await harness.service.configGet(undefined);
  ref = (await openAgent(harness, {}, "work")).row.identity.pane_ref;
}, LIMIT_MS);
afterAll(async () => {
  for (const close of closers.toReversed()) await close();
}, LIMIT_MS);

test("the recipe of rules is good, and tells what it would do", async () => {
  writeFileSync(
    join(harness.daemon.paths.home, "rules.json"),
    blocks("json").find((body) => isRules(body)) ?? "",
  );
  const run = async (line: string) => (await cli.run(wordsOf(line))).stdout;
  const [check = "", trial = ""] = LINES.filter(isRule);
  expect(await run(check)).toContain("3 rules are good.");
  expect(await run(trial)).toContain("would be refused: the rule 'no-force' refuses it");
});

test("there are recipes, and every channel of theirs is in force", async () => {
  expect([CHANNELS.length, COMMANDS.length]).toEqual([3, 4]);
  const { stdout } = await cli.run(["channel", "list", "--json"]);
  const { items, problems } = z
    .object({ items: z.array(z.object({ name: z.string() })), problems: z.array(z.unknown()) })
    .parse(JSON.parse(stdout));
  expect([items.map(({ name }) => name), problems]).toEqual([CHANNELS.map(({ name }) => name), []]);
});

test.each(CHANNELS.map(({ name }) => name))("the channel %s delivers", async (name) => {
  const { stdout, code } = await cli.run(["channel", "test", name]);
  expect([stdout, code]).toEqual(["Delivered.\n", 0]);
});

test("what they deliver arrives where the recipe says", () => {
  const messages = [join(root, "played"), join(harness.daemon.home, "agents.jsonl")].map((path): unknown =>
    JSON.parse(readFileSync(path, "utf8")),
  );
  expect(messages).toMatchObject([{ title: "agtmux test" }, { title: "agtmux test" }]);
  expect(posted).toHaveLength(1);
});

test.each(COMMANDS)("%s", async (line) => {
  const { stdout, stderr, code } = await cli.run(wordsOf(line).map((word) => word.replace("work:1.0", ref)));
  expect([code, stdout], stderr).toEqual([0, expect.stringMatching(/^job_\w+: (watches for|sent once) /)]);
});
