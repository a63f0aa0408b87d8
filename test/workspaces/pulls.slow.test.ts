// Pull requests as people meet them: real tmux, real git, the real command line, and a program that plays `gh`, which only the
// person's own shell finds; on this machine and behind a real sshd.
// oxlint-disable unicorn/no-thenable -- a rule says what comes "then": always a word, never a function
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { pullRequestListSchema } from "../../core/model/workspace.ts";
import { openHarness, type Harness } from "../actions/actionHarness.ts";
import { openAgent } from "../actions/agentPane.ts";
import { createMovedClock, untilSooner, type MovedClock } from "../endurance/movedClock.ts";
import { openCommandLine, serveDaemon, type CommandLine } from "../harness/commandLine.ts";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";
import { createPrivateTmux } from "../harness/privateTmux.ts";
import { until } from "../setup/realClock.ts";
import { openTargetHarness } from "../ssh/targetHarness.ts";
import { answered, createForgeStandIn, githubData, githubRequest, NOT_LOGGED_IN } from "./forgeStandIn.ts";
import { git } from "./hostileRepository.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });
/** After a jump of the clock a far machine is connected to again. */
const WORK_MS = 40_000;
const PAGE = "https://github.com/acme/shop/pull/12";

const openHere = async () => {
  const clock = createMovedClock();
  const harness = await openHarness({ SHELL: "/bin/bash" }, clock);
  return Object.assign(harness, { clock, home: harness.daemon.home });
};
const openThere = async () => {
  const harness = await openTargetHarness("ssh2");
  return Object.assign(harness, { home: harness.server.remoteHome });
};

describe.each([
  ["this machine", openHere],
  ["a machine behind SSH", openThere],
] as const)("pull requests of agents on %s", (where, open) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "agtmux-pulls-")));
  const repository = join(root, "shop");
  const forge = createForgeStandIn(join(root, "own-bin"), ["gh"]);
  const lint = { __typename: "CheckRun", name: "lint \u001B[31m`id`", conclusion: "FAILURE" };
  const failed = githubRequest({}, { state: "FAILURE", contexts: { nodes: [lint] } });
  let harness: Harness & { readonly clock: MovedClock; readonly home: string };
  let cli: CommandLine;
  let stop: () => Promise<void>;
  let pane = "";
  let received: () => string[] = () => [];
  const row = () => harness.daemon.rows().find(({ identity }) => identity.pane_id === pane);
  const ref = () => row()?.identity.pane_ref ?? "";
  const request = () => row()?.workspace?.pull_request ?? null;

  beforeAll(async () => {
    mkdirSync(repository);
    git(repository, "init", "-q", "-b", "main");
    git(repository, "commit", "-q", "--allow-empty", "-m", "one");
    git(repository, "remote", "add", "origin", "git@github.com:acme/shop.git");
    git(repository, "checkout", "-q", "-b", "fix/refunds");
    forge.answer("gh", answered(githubData([failed])));
    // What a desktop would open a browser with.
    writeFileSync(join(forge.folder, "xdg-open"), `#!/bin/sh\nprintf '%s' "$*" >'${root}/opened'\n`);
    chmodSync(join(forge.folder, "xdg-open"), 0o755);
    harness = await open();
    writeFileSync(join(harness.home, ".bash_profile"), `echo welcome; PATH='${forge.folder}':$PATH\n`);
    const agent = await openAgent(harness, {}, "one", repository);
    pane = agent.paneId;
    received = () => agent.received();
    await harness.daemon.until(pane, ({ activity }) => (activity?.work_tree ?? null) !== null, WORK_MS);
    stop = await serveDaemon(harness.daemon);
    cli = openCommandLine(harness.daemon.paths.home, {
      DISPLAY: ":99",
      PATH: `${forge.folder}:${process.env["PATH"] ?? ""}`,
    });
  });
  afterAll(async () => {
    await cli?.close();
    await stop?.();
    await harness?.close();
    rmSync(root, { recursive: true, force: true });
  });

  it("are asked of nobody until the person wants them, and a watch for them is refused", async () => {
    const told = await cli.run(["tell", ref(), "--when", "checks:failed"]);
    expect(told.code).not.toBe(0);
    expect(told.stderr).toContain("agtmux config set pull_requests true");
    expect(forge.calls("gh")).toEqual([]);
  });

  it("are listed on request, and opened in the browser", async () => {
    const { stdout, stderr, code } = await cli.run(["pulls"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/#12 open, lint .*failed\s+fix\/refunds\s+Split refunds/);
    expect(stdout).not.toContain("\u001B");
    expect(forge.calls("gh").map(([folder]) => folder)).toEqual(["/"]);
    const list = pullRequestListSchema.parse(JSON.parse((await cli.run(["pulls", "--json"])).stdout));
    expect(list).toMatchObject({
      asked: 1,
      items: [
        { number: 12, url: PAGE, branch: "fix/refunds", work_tree: repository, checks: { state: "failed" } },
      ],
    });
    const opened = await cli.run(["pulls", ref(), "--open"]);
    expect([opened.code, opened.stdout]).toEqual([0, `Opened ${PAGE}\n`]);
    expect(readFileSync(join(root, "opened"), "utf8")).toBe(PAGE);
  });

  it("stand in rows, lists and JSON once the setting is on", async () => {
    expect((await cli.run(["config", "set", "pull_requests", "true"])).code).toBe(0);
    await untilSooner(harness.clock, () => request() !== null, "the row has it", WORK_MS);
    const columns = "pane_id,pull_request,pull_request_url";
    const { stdout } = await cli.run(["list", "panes", "--plain", "--columns", columns]);
    expect(stdout.split("\n").find((line) => line.startsWith(`${pane}\t`))).toMatch(
      new RegExp(`^${pane}\t#12 open, lint .* failed\t${PAGE}$`),
    );
    const json = JSON.parse((await cli.run(["list", "--json"])).stdout) as {
      items: { workspace: { pull_request: unknown } | null }[];
    };
    expect(json.items.flatMap(({ workspace }) => workspace?.pull_request ?? [])).toMatchObject([
      { number: 12, state: "open", title: "Split refunds" },
    ]);
    expect((await cli.run(["explain", ref()])).stdout).toContain("pull request #12: open, lint");
  });

  it("make the text of a rule, which is only noted until somebody arms it", async () => {
    const rule = { name: "look", when: { watch: "checks:failed" }, then: "send" };
    const path = join(harness.daemon.paths.home, "rules.json");
    writeFileSync(path, JSON.stringify({ rules: [rule] }), { mode: 0o600 });
    const log = async () => (await cli.run(["rule", "log"])).stdout;
    await until(async () => (await log()).includes("would send"), "it is noted", WORK_MS);
    expect(await log()).toContain("checks failed: “lint 31m id”; look at them");
    expect((await cli.run(["jobs", "list"])).stdout).not.toContain("checks failed");
    const rules = JSON.parse((await cli.run(["rule", "list", "--json"])).stdout) as { items: unknown[] };
    expect(rules.items).toMatchObject([
      { then: "send", mode: "shadow", text: "checks failed: {check}; look at them", would_have: 1 },
    ]);
  });

  it("type that text once a person has read it at a terminal and armed the rule, for the next commit that fails", async () => {
    const person = createPrivateTmux();
    const command = `env AGTMUX_HOME='${harness.daemon.paths.home}' AGTMUX_NO_START=1 '${process.execPath}' '${CLI_ENTRY}' rule arm look; exec cat`;
    try {
      await person.run("new-session", "-d", "-x", "200", "-y", "30", "-s", "terminal", command);
      const screen = () => person.run("capture-pane", "-p", "-t", "terminal:");
      await until(async () => (await screen()).includes("[y/N]"), "it asks", WORK_MS);
      expect(await screen()).toContain("types this text to an agent that is idle, without asking you:");
      expect(await screen()).toContain('text: "checks failed: {check}; look at them"');
      await person.run("send-keys", "-t", "terminal:", "y", "Enter");
      await until(async () => (await screen()).includes("Armed look."), "it is armed", WORK_MS);
    } finally {
      await person.close();
    }
    expect(received()).toEqual([]);
    const next = githubRequest(
      { headRefOid: "d".repeat(40) },
      { state: "FAILURE", contexts: { nodes: [lint] } },
    );
    forge.answer("gh", answered(githubData([next])));
    harness.clock.skip(301_000);
    // Enter comes a moment after the text: on a clock that runs faster it would come too soon.
    await until(() => received().length > 0, "it is typed", 2 * WORK_MS);
    expect(received()).toEqual(["checks failed: “lint 31m id”; look at them"]);
    rmSync(join(harness.daemon.paths.home, "rules.json"));
  });

  it("say what keeps them from being known, and the doctor what to do", async () => {
    forge.answer("gh", "", NOT_LOGGED_IN);
    const problem = () => row()?.workspace?.pull_request_problem ?? "";
    // A machine that is connecting again at that moment is asked with the next round.
    const rounds = setInterval(() => harness.clock.skip(301_000), 8_000);
    harness.clock.skip(301_000);
    await untilSooner(harness.clock, () => problem() !== "", "it says why", WORK_MS).finally(() =>
      clearInterval(rounds),
    );
    const there = where === "this machine" ? "" : " on vm1";
    expect(problem()).toBe(`gh isn't logged in to github.com${there}`);
    const doctor = await cli.run(["doctor"]);
    expect(doctor.stdout).toContain(`Run 'gh auth login --hostname github.com'${there}.`);
    expect((await cli.run(["pulls"])).stdout).toContain(`Not asked for: ${repository}: gh isn't logged in`);
  });

  it("are gone with the setting", async () => {
    await cli.run(["config", "set", "pull_requests", "false"]);
    await until(() => request() === null, "the row is without it", WORK_MS);
    const calls = forge.calls("gh").length;
    harness.clock.skip(900_000);
    expect(forge.calls("gh")).toHaveLength(calls);
  });
});
