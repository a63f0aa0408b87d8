// A search while a machine is away of which no session is known: the real command line and daemon, and an address where nobody is.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openCommandLine, serveDaemon, type CommandLine } from "../harness/commandLine.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { claudePath, line } from "./searchAll.ts";

let running: TestDaemon;
let cli: CommandLine;
let stop: () => Promise<void>;

beforeEach(async () => {
  const targets = [{ name: "away", ssh_target: "nobody.invalid", transport: "openssh" }];
  running = await startTestDaemon({ sockets: [] });
  await running.configure({ targets });
  stop = await serveDaemon(running);
  cli = openCommandLine(running.paths.home);
});
afterEach(async () => {
  await cli.close();
  await stop();
  await running.close();
});

it("names the machine, whether something is found here or nothing, and not where another one is asked", async () => {
  const file = join(running.home, claudePath("bbbbbbbb-1111-4111-8111-111111111111"));
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, line("here, retry budget"));
  const told = expect.stringMatching(/^agtmux: away was not searched in full: .+$/m);
  const found = await cli.run(["history", "search", "retry budget"]);
  expect([found.code, found.stdout, found.stderr]).toEqual([0, expect.stringContaining("retry"), told]);
  const nothing = await cli.run(["history", "search", "never said"]);
  expect([nothing.code, nothing.stderr]).toEqual([1, told]);
  const asJson = await cli.run(["history", "search", "retry budget", "--json"]);
  expect(JSON.parse(asJson.stdout)).toMatchObject({
    problems: [expect.stringContaining("away was not searched in full")],
    summary: { total: 1 },
  });
  const here = await cli.run(["history", "search", "retry budget", "--target", "host"]);
  expect([here.code, here.stderr]).toEqual([0, ""]);
}, 60_000);
