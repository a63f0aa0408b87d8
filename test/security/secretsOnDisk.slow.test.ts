// Secrets of forty kinds on screens, in titles and in a crash are in no file that agtmux keeps. A word that is no secret goes
// along, and has to be found: the way leads to the disk.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";
import { runtimePaths } from "../../core/rpc/paths.ts";
import { dialogOf, openDialogs } from "../actions/dialogPane.ts";
import { startProgram } from "../harness/commandLine.ts";
import { until } from "../setup/realClock.ts";
import { makeSecrets, type Secret } from "./secrets.ts";
import {
  findSecrets,
  hasWord,
  LIMIT_MS,
  openSecretsHarness,
  readAll,
  type SecretsHarness,
} from "./secretsHarness.ts";

vi.setConfig({ testTimeout: 2 * LIMIT_MS, hookTimeout: 2 * LIMIT_MS });

let harness: SecretsHarness;
beforeAll(async () => {
  harness = await openSecretsHarness();
  // Each title is waited for.
  await harness.daemon.configure({ timing: { topology_interval_ms: 200 } });
});
afterAll(() => harness.close());
beforeEach(() => harness.begin());

describe("a secret does not reach the disk", () => {
  it("by a dialog on a screen", async () => {
    const paneHarness = {
      tmux: harness.tmux,
      daemon: harness.daemon,
      service: harness.daemon.daemon.service,
      open: async (command: string) => {
        const paneId = await harness.tmux.run(
          "new-window",
          "-d",
          "-P",
          "-F",
          "#{pane_id}",
          "-t",
          "base:",
          command,
        );
        const row = await harness.daemon.until(paneId, () => true);
        return { ...row, identity: { ...row.identity, pane_id: paneId } };
      },
      request: () => {
        throw new Error("not used");
      },
      screen: (paneId: string) => harness.tmux.run("capture-pane", "-p", "-t", paneId),
      close: () => Promise.resolve(),
    };
    const isShort = ({ line }: Secret) => line.length < 60 && !line.includes("\n");
    const short = harness.secretsOf("a screen").filter(isShort).slice(0, 6);
    expect(short).toHaveLength(6);
    const word = "canary-screen";
    const dialogs = short.map(({ line }, at) =>
      dialogOf("recordings/claude/waiting_approval", {
        name: `dialog${at}`,
        options: ["Yes", "No"],
        digits: "too",
        replace: ["touch approved.txt", `${word}-${at} ${line}`],
      }),
    );
    const pane = await openDialogs(paneHarness, "claude", dialogs);
    for (const [at] of short.entries()) {
      const seen = ({ request }: { request: unknown }) => JSON.stringify(request).includes(`${word}-${at}`);
      await harness.daemon.until(pane.paneId, seen, LIMIT_MS);
      await pane.skip();
    }
    expect(await harness.finish(() => hasWord(harness.everything(), word), "the dialog is stored")).toEqual(
      [],
    );
  });

  it("by titles, window names and the working folder of a pane with an agent", async () => {
    const paneId = harness.players[0]?.paneId ?? "";
    const secrets = harness
      .secretsOf("a title")
      .filter(({ line }) => !line.includes("\n") && line.length < 180);
    for (const { line } of secrets.slice(0, 12)) {
      await harness.tmux.run("select-pane", "-t", paneId, "-T", `canary-title ${line}`);
      await harness.tmux.run("rename-window", "-t", paneId, `canary-window ${line}`.slice(0, 150));
      await harness.daemon.until(
        paneId,
        (row) => row.title.includes(line) || row.title.includes("redacted"),
        LIMIT_MS,
      );
      await harness.players[0]?.event("UserPromptSubmit");
      await harness.players[0]?.event("Stop");
    }
    const isThere = () =>
      hasWord(harness.everything(), "canary-title") && hasWord(harness.everything(), "canary-window");
    expect(await harness.finish(isThere, "the titles are stored")).toEqual([]);
  });

  it("of a screen or a title in a file of the store after it was closed, either", async () => {
    await harness.daemon.restart();
    expect(await harness.finish(() => true, "", "all")).toEqual([]);
  });
});

it("does not reach the disk by a crash of a daemon that a command started", async () => {
  const home = join(harness.root, "crash");
  mkdirSync(home, { mode: 0o700 });
  const paths = runtimePaths(home);
  const secrets = makeSecrets();
  const bomb = join(harness.root, "bomb.mjs");
  // As a defect of ours would: an exception out of a timer, with a payload in its message and its fields.
  writeFileSync(
    bomb,
    `if (process.argv.includes("--on-demand")) process.on("SIGUSR2", () => {
       throw Object.assign(new Error("canary-crash " + process.env.BOMB), { payload: process.env.BOMB });
     });`,
  );
  const env = {
    AGTMUX_HOME: home,
    AGTMUX_TMUX_SOCKETS: harness.tmux.socketPath,
    HOME: harness.root,
    NODE_OPTIONS: `--import=${bomb}`,
    BOMB: secrets.map(({ line }) => line).join("\n"),
  };
  const started = await startProgram(process.execPath, [CLI_ENTRY, "list", "panes", "--json"], env).finished;
  expect(started.code).toBe(0);
  const { stdout } = await startProgram(process.execPath, [CLI_ENTRY, "daemon", "status", "--json"], env)
    .finished;
  const { pid } = JSON.parse(stdout) as { pid: number };
  process.kill(pid, "SIGUSR2");
  await until(() => hasWord(readAll(paths.logDir), "canary-crash"), "its last words", LIMIT_MS);
  await until(
    () => {
      try {
        return !process.kill(pid, 0);
      } catch {
        return true;
      }
    },
    "its end",
    LIMIT_MS,
  );
  expect([...readAll(paths.logDir).keys()].toSorted()).toEqual(["agtmuxd.log", "daemon.log"]);
  expect(readAll(paths.logDir).get("daemon.log")?.toString()).toMatch(
    /^agtmux: canary-crash .*\[E_INTERNAL\]/,
  );
  expect(findSecrets(readAll(home), secrets)).toEqual([]);
});
