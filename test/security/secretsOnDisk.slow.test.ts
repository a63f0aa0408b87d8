// Secrets of forty kinds go in wherever text comes in: hooks of several agents, screens, titles, files in the spool, settings,
// actions, a crash. Then every byte that agtmux keeps is searched for them. In each way a word that is no secret goes
// along, and has to be found: the way leads to the disk.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openLogFile, type LogFile } from "../../core/daemon/logFile.ts";
import { actionGuardsSchema } from "../../core/model/snapshot.ts";
import { runtimePaths } from "../../core/rpc/paths.ts";
import { redactText } from "../../core/store/redactText.ts";
import { dialogOf, openDialogs } from "../actions/dialogPane.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { startProgram } from "../harness/commandLine.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer, type Player } from "../player/player.ts";
import { until } from "../setup/realClock.ts";
import { findSecrets, hasWord, readAll } from "./diskSearch.ts";
import { makeSecrets, type Secret } from "./secrets.ts";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";

const run = promisify(execFile);
const RECORDINGS = fileURLToPath(new URL("../fixtures/recordings/", import.meta.url));
/** Much is started and stored, on machines that are busy with others. */
const LIMIT_MS = 60_000;
vi.setConfig({ testTimeout: 2 * LIMIT_MS, hookTimeout: 2 * LIMIT_MS });
const PLAYED = ["claude", "codex"] as const;
/** Not seen in any pane: their events wait for one. */
const UNSEEN = ["gemini", "copilot", "cursor", "opencode"] as const;
/** Payloads are cut at 16 kB: few enough secrets in each that none is cut off. */
const PER_EVENT = 8;

let tmux: PrivateTmux;
let daemon: TestDaemon;
let log: LogFile;
let root: string;
let given: Secret[] = [];
/** Those of the test that runs. */
let fresh: Secret[] = [];
const players: Player[] = [];

/** Fresh ones for each way in, so that a find names the way. */
const secretsOf = (way: string): Secret[] => {
  const made = makeSecrets().map((one) => ({ ...one, kind: `${one.kind} by ${way}` }));
  given = [...given, ...made];
  fresh = [...fresh, ...made];
  return made;
};
const chunks = (secrets: readonly Secret[]): Secret[][] =>
  Array.from({ length: Math.ceil(secrets.length / PER_EVENT) }, (_, at) =>
    secrets.slice(at * PER_EVENT, (at + 1) * PER_EVENT),
  );
/** As tools, prompts and headers carry them. */
const payloadOf = (secrets: readonly Secret[], word: string): Record<string, unknown> => ({
  prompt: `${word} ${secrets.map(({ line }) => line).join("\n")}`,
  tool_name: "Bash",
  tool_input: {
    command: secrets.map(({ line }) => `run '${line}'`).join(" && "),
    edits: secrets.map(({ line }) => ({ old_string: "x", new_string: `before ${line} after` })),
  },
  nested: JSON.stringify({ inner: secrets.map(({ line }) => line) }),
  env: Object.fromEntries(secrets.map(({ value }, at) => [`SERVICE_${at}_TOKEN`, value])),
  message: secrets[0]?.line,
});
const everything = () => readAll(daemon.paths.home, ["config.json"]);

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "agtmux-secret-"));
  tmux = createPrivateTmux();
  await tmux.run("new-session", "-d", "-s", "base", "-x", "200", "-y", "40", "exec cat");
  log = await openLogFile({ path: join(root, "log"), level: "debug", maxBytes: 10_000_000 });
  daemon = await startTestDaemon({ sockets: [tmux.socketPath], logger: log.logger });
  for (const agent of PLAYED)
    players.push(
      await createPlayer({
        agent,
        tmux: { socketArgs: tmux.socketArgs, session: "base" },
        home: daemon.home,
        recordingsDir: join(RECORDINGS, agent),
        eventScript: daemon.eventScript,
      }),
    );
});
afterAll(async () => {
  await Promise.all(players.map((player) => player.close()));
  await daemon.close();
  await tmux.close();
  rmSync(root, { recursive: true, force: true });
});

beforeEach(() => {
  fresh = [];
});

const finish = async (isThere: () => boolean, what: string): Promise<string[]> => {
  // An event lies in the spool as the hook wrote it until it is taken in.
  await until(() => readdirSync(daemon.paths.spoolNew).length === 0 && isThere(), what, LIMIT_MS);
  log.flush();
  return findSecrets(new Map([...everything(), ...readAll(root)]), fresh);
};

it("knows forty kinds, and takes each out of a line of text", () => {
  const secrets = makeSecrets();
  expect(secrets.length).toBeGreaterThanOrEqual(40);
  expect(new Set(secrets.map(({ kind }) => kind)).size).toBe(secrets.length);
  const lines = new Map(secrets.map(({ kind, line }) => [kind, Buffer.from(redactText(line, 4_000))]));
  expect(findSecrets(lines, secrets)).toEqual([]);
  expect(
    findSecrets(new Map(secrets.map(({ kind, line }) => [kind, Buffer.from(line)])), secrets).length,
  ).toBe(secrets.length);
});

describe("a secret does not reach the disk", () => {
  it.each(PLAYED)("by the hooks of %s in a pane", async (agent) => {
    const player = players[PLAYED.indexOf(agent)];
    const word = `canary-hook-${agent}`;
    for (const event of ["UserPromptSubmit", "PreToolUse", "PermissionRequest"])
      for (const some of chunks(secretsOf(`${event} of ${agent}`)))
        await player?.event(event, payloadOf(some, word));
    expect(await finish(() => hasWord(everything(), word), "the events are stored")).toEqual([]);
  });

  it.each(UNSEEN)("by the hooks of %s that wait for a runtime", async (agent) => {
    const word = `canary-pending-${agent}`;
    const place = { TMUX: `${tmux.socketPath},${await tmux.serverPid()},0`, TMUX_PANE: "%0" };
    for (const some of chunks(secretsOf(`a waiting event of ${agent}`))) {
      const child = run(daemon.eventScript, [agent, "PreToolUse"], {
        env: { PATH: process.env["PATH"], ...place },
      });
      child.child.stdin?.end(JSON.stringify(payloadOf(some, word)));
      await child;
    }
    expect(await finish(() => hasWord(everything(), word), "they wait in the store")).toEqual([]);
  });

  it("by a dialog on a screen", async () => {
    const harness = {
      tmux,
      daemon,
      service: daemon.daemon.service,
      open: async (command: string) => {
        const paneId = await tmux.run("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "base:", command);
        return daemon.until(paneId, () => true);
      },
      request: () => {
        throw new Error("not used");
      },
      screen: (paneId: string) => tmux.run("capture-pane", "-p", "-t", paneId),
      close: () => Promise.resolve(),
    };
    const isShort = ({ line }: Secret) => line.length < 60 && !line.includes("\n");
    const short = secretsOf("a screen").filter(isShort).slice(0, 6);
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
    const pane = await openDialogs(harness, "claude", dialogs);
    for (const [at] of short.entries()) {
      const seen = ({ request }: { request: unknown }) => JSON.stringify(request).includes(`${word}-${at}`);
      await daemon.until(pane.paneId, seen, LIMIT_MS);
      await pane.skip();
    }
    expect(await finish(() => hasWord(everything(), word), "the dialog is stored")).toEqual([]);
  });

  it("by titles, window names and the working folder of a pane with an agent", async () => {
    const paneId = players[0]?.paneId ?? "";
    const secrets = secretsOf("a title").filter(({ line }) => !line.includes("\n") && line.length < 180);
    for (const { line } of secrets.slice(0, 12)) {
      await tmux.run("select-pane", "-t", paneId, "-T", `canary-title ${line}`);
      await tmux.run("rename-window", "-t", paneId, `canary-window ${line}`.slice(0, 150));
      await daemon.until(
        paneId,
        (row) => row.title.includes(line) || row.title.includes("redacted"),
        LIMIT_MS,
      );
      await players[0]?.event("UserPromptSubmit");
      await players[0]?.event("Stop");
    }
    const isThere = () => hasWord(everything(), "canary-title") && hasWord(everything(), "canary-window");
    expect(await finish(isThere, "the titles are stored")).toEqual([]);
  });

  it("by files in the spool that are no events: the start of each is kept, redacted", async () => {
    const secrets = secretsOf("a malformed file");
    for (const [at, { line }] of secrets.entries())
      writeFileSync(join(daemon.paths.spoolNew, `malformed-${at}`), `canary-malformed ${line}\n${line}`);
    const isThere = () =>
      readdirSync(daemon.paths.spoolNew).length === 0 && hasWord(everything(), "canary-malformed");
    expect(await finish(isThere, "they are set aside")).toEqual([]);
  });

  it("by a text that is sent, an answer, a reference or a surface's name", async () => {
    const { service } = daemon.daemon;
    const row = daemon.rows().find(({ identity }) => identity.pane_id === players[1]?.paneId);
    const guards = actionGuardsSchema.parse({});
    for (const { line } of secretsOf("a sent text").slice(0, 12)) {
      const input = { ref: row?.identity.pane_ref ?? "", guards, surface: "canary-surface" };
      const text = { text: line, pressEnter: false, toShell: true, idempotencyKey: null };
      // Whether it is taken or refused, it is on record.
      await service.send({ ...input, ...text }).catch(() => null);
      await Promise.resolve()
        .then(() => service.send({ ...input, ...text, ref: `pane:host/${line}/@1/%1` }))
        .catch(() => null);
    }
    expect(await finish(() => hasWord(everything(), "canary-surface"), "the audit")).toEqual([]);
  });

  it("by settings that do not parse: their place is told, not their text", async () => {
    const secrets = secretsOf("a setting");
    for (const [at, { line }] of secrets.slice(0, 8).entries()) {
      writeFileSync(daemon.paths.config, at % 2 === 0 ? `{"a": ${line}` : JSON.stringify({ [line]: line }));
      // Asking for the settings reads the file.
      expect((await daemon.daemon.service.configGet(undefined)).problem).not.toBeNull();
      log.flush();
      const told = readAll(root).get("log")?.toString().split("config.json is not valid") ?? [];
      expect(told.length).toBeGreaterThan(at + 1);
    }
    const { findings } = await daemon.daemon.service.doctor({ target: null });
    const report = new Map([["report", Buffer.from(JSON.stringify(findings))]]);
    expect([findings.length > 0, findSecrets(report, given)]).toEqual([true, []]);
    rmSync(daemon.paths.config);
    expect(await finish(() => true, "")).toEqual([]);
  });

  it("by an error of any kind in the log", async () => {
    for (const { line } of secretsOf("an error"))
      log.logger.error(
        { error: new Error(line, { cause: { line } }), line, deep: [{ line }] },
        `canary-log ${line}`,
      );
    expect(await finish(() => hasWord(readAll(root), "canary-log"), "the log")).toEqual([]);
  });

  it("and lies in no file of the store after it was closed, either", async () => {
    await daemon.restart();
    expect(given.length).toBeGreaterThan(500);
    fresh = given;
    expect(await finish(() => true, "")).toEqual([]);
  });
});

it("does not reach the disk by a crash of a daemon that a command started", async () => {
  const home = join(root, "crash");
  mkdirSync(home, { mode: 0o700 });
  const paths = runtimePaths(home);
  const secrets = makeSecrets();
  const bomb = join(root, "bomb.mjs");
  // As a defect of ours would: an exception out of a timer, with a payload in its message and its fields.
  writeFileSync(
    bomb,
    `if (process.argv.includes("--on-demand")) process.on("SIGUSR2", () => {
       throw Object.assign(new Error("canary-crash " + process.env.BOMB), { payload: process.env.BOMB });
     });`,
  );
  const env = {
    AGTMUX_HOME: home,
    AGTMUX_TMUX_SOCKETS: tmux.socketPath,
    HOME: root,
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
