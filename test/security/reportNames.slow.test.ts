// What `agtmux report` tells of what a person named: the real daemon and command line, with channels, rules, adapter files and keys
// of config.json that only this person has. None of their names may be in a text that is made to be passed on.
// oxlint-disable unicorn/no-thenable -- a rule says what comes "then": always a word, never a function
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runtimePaths } from "../../core/rpc/paths.ts";
import { openCommandLine } from "../harness/commandLine.ts";
import { spawnDaemon } from "../harness/daemonProcess.ts";

const NAMES = {
  channel: "phone-of-ann",
  badChannel: "pager-of-bob",
  lostChannel: "tablet-of-eve",
  program: "tell-the-merger",
  key: "merger_secret",
  channelKey: "payroll_token",
  rule: "rule-for-acquisition",
  badAdapter: "layoffbot",
  adapter: "bonusbot",
  display: "Bonus Robot",
  disabled: "severancebot",
  server: "boardroom",
  oldRule: "rule-of-old",
  oldAgent: "oldbot",
};
const EXAMPLE = readFileSync(join(import.meta.dirname, "../../resources/adapters/example.json"), "utf8");

let root: string;
const closers: (() => Promise<void>)[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "agtmux-rn-"));
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
  rmSync(root, { recursive: true, force: true, maxRetries: 10 });
});

const leaksOf = (report: string): string[] => Object.values(NAMES).filter((name) => report.includes(name));

it("tells no name of a channel, a rule, an adapter file or a key that only the person has", async () => {
  const paths = runtimePaths(join(root, "home"));
  mkdirSync(paths.adaptersDir, { recursive: true, mode: 0o700 });
  const write = (path: string, value: unknown): void =>
    writeFileSync(path, JSON.stringify(value), { mode: 0o600 });
  const config = {
    tmux_servers: [{ name: NAMES.server, socket_path: join(root, "none.sock") }],
    adapters: { disabled: [NAMES.disabled] },
    channels: [
      { name: NAMES.channel, kind: "command", argv: [NAMES.program] },
      { name: NAMES.badChannel, kind: "command", argv: [NAMES.program], [NAMES.channelKey]: 1 },
    ],
  };
  write(paths.config, config);
  write(join(paths.home, "rules.json"), {
    rules: [{ name: NAMES.rule, when: { watch: "quiet:5m" }, then: "notify", channel: NAMES.lostChannel }],
  });
  write(join(paths.adaptersDir, `${NAMES.badAdapter}.json`), {
    agent_type: NAMES.badAdapter,
    [NAMES.key]: 1,
  });
  write(join(paths.adaptersDir, `${NAMES.adapter}.json`), {
    ...JSON.parse(EXAMPLE),
    agent_type: NAMES.adapter,
    display_name: NAMES.display,
  });
  const env = { HOME: root, AGTMUX_TMUX_SOCKETS: join(root, "no-tmux.sock") };
  const daemon = await spawnDaemon({ home: paths.home, env });
  closers.push(() => daemon.stop());
  // The log still has what was named before.
  const line = { level: 40, time: Date.now(), msg: "a rule could not answer" };
  const error = {
    type: "Error",
    message: `no '${NAMES.badChannel}'`,
    stack: `Error: ${NAMES.rule}\n    at x`,
  };
  appendFileSync(paths.log, `${JSON.stringify({ ...line, rule: "rule-of-old", error, agent: "oldbot" })}\n`);
  const cli = openCommandLine(paths.home, { HOME: root });
  closers.push(() => cli.close());

  const doctor = await cli.run(["doctor"]);
  // The person's own view names them, so there is something to leave out.
  expect(doctor.stdout).toContain(NAMES.channel);
  expect(doctor.stdout).toContain(`${NAMES.badAdapter}.json`);
  expect(doctor.stdout).toContain(NAMES.rule);
  const good = await cli.run(["report"]);
  expect(leaksOf(good.stdout)).toEqual([]);
  expect(good.stdout).toContain("The channel '<name>' cannot deliver.");

  // Now nothing of the file says any more what the daemon knows the names of.
  write(paths.config, { [NAMES.key]: { [NAMES.channelKey]: true }, [NAMES.channel]: {} });
  const problem = `${paths.config} is not valid: ${NAMES.key}: Unrecognized key`;
  const msg = "config.json is not valid; the last good configuration stays in force";
  appendFileSync(paths.log, `${JSON.stringify({ ...line, problem, msg })}\n`);
  expect(leaksOf((await cli.run(["report"])).stdout)).toEqual([]);
  writeFileSync(paths.config, "{ in the middle of");
  const broken = await cli.run(["report"]);
  expect(leaksOf(broken.stdout)).toEqual([]);
  // What is left still helps.
  expect(broken.stdout).toMatch(
    /warn {2}config\.json is not valid; the last good .* problem=<\d+ characters>/,
  );
  expect(broken.stdout).toMatch(/problem +home\.config: config\.json is not valid/);
}, 60_000);
