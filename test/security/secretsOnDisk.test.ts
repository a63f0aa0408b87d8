// Secrets of forty kinds go in wherever text comes in: hooks of several agents, files in the spool, settings, actions, errors.
// Then every byte that agtmux keeps is searched for them. In each way a word that is no secret goes along, and has to be
// found: the way leads to the disk. Screens, titles and a crash are in the slow part.
import { execFile } from "node:child_process";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { actionGuardsSchema } from "../../core/model/action.ts";
import { redactText } from "../../core/store/redact.ts";
import { makeSecrets, type Secret } from "./secrets.ts";
import {
  findSecrets,
  hasWord,
  openSecretsHarness,
  PLAYED,
  readAll,
  type SecretsHarness,
} from "./secretsHarness.ts";

const run = promisify(execFile);
/** Not seen in any pane: their events wait for one. */
const UNSEEN = ["gemini", "copilot", "cursor", "opencode"] as const;
/** Payloads are cut at 16 kB: few enough secrets in each that none is cut off. */
const PER_EVENT = 8;

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
let harness: SecretsHarness;
beforeAll(async () => {
  harness = await openSecretsHarness();
});
afterAll(() => harness.close());
beforeEach(() => harness.begin());

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
    const player = harness.players[PLAYED.indexOf(agent)];
    const word = `canary-hook-${agent}`;
    for (const event of ["UserPromptSubmit", "PreToolUse", "PermissionRequest"])
      for (const some of chunks(harness.secretsOf(`${event} of ${agent}`)))
        await player?.event(event, payloadOf(some, word));
    expect(await harness.finish(() => hasWord(harness.everything(), word), "the events are stored")).toEqual(
      [],
    );
  });

  it.each(UNSEEN)("by the hooks of %s that wait for a runtime", async (agent) => {
    const word = `canary-pending-${agent}`;
    const place = { TMUX: `${harness.tmux.socketPath},${await harness.tmux.serverPid()},0`, TMUX_PANE: "%0" };
    for (const some of chunks(harness.secretsOf(`a waiting event of ${agent}`))) {
      const child = run(harness.daemon.eventScript, [agent, "PreToolUse"], {
        env: { PATH: process.env["PATH"], ...place },
      });
      child.child.stdin?.end(JSON.stringify(payloadOf(some, word)));
      await child;
    }
    expect(await harness.finish(() => hasWord(harness.everything(), word), "they wait in the store")).toEqual(
      [],
    );
  });

  it("by files in the spool that are no events: the start of each is kept, redacted", async () => {
    const secrets = harness.secretsOf("a malformed file");
    for (const [at, { line }] of secrets.entries())
      writeFileSync(
        join(harness.daemon.paths.spoolNew, `malformed-${at}`),
        `canary-malformed ${line}\n${line}`,
      );
    const isThere = () =>
      readdirSync(harness.daemon.paths.spoolNew).length === 0 &&
      hasWord(harness.everything(), "canary-malformed");
    expect(await harness.finish(isThere, "they are set aside")).toEqual([]);
  });

  it("by a text that is sent, an answer, a reference or a surface's name", async () => {
    const { service } = harness.daemon.daemon;
    const row = harness.daemon.rows().find(({ identity }) => identity.pane_id === harness.players[1]?.paneId);
    const guards = actionGuardsSchema.parse({});
    for (const { line } of harness.secretsOf("a sent text").slice(0, 12)) {
      const input = { ref: row?.identity.pane_ref ?? "", guards, surface: "canary-surface" };
      const text = { text: line, pressEnter: false, toShell: true, idempotencyKey: null };
      // Whether it is taken or refused, it is on record.
      await service.send({ ...input, ...text }).catch(() => null);
      await Promise.resolve()
        .then(() => service.send({ ...input, ...text, ref: `pane:host/${line}/@1/%1` }))
        .catch(() => null);
    }
    expect(await harness.finish(() => hasWord(harness.everything(), "canary-surface"), "the audit")).toEqual(
      [],
    );
  });

  it("by settings that do not parse: their place is told, not their text", async () => {
    const secrets = harness.secretsOf("a setting");
    for (const [at, { line }] of secrets.slice(0, 8).entries()) {
      writeFileSync(
        harness.daemon.paths.config,
        at % 2 === 0 ? `{"a": ${line}` : JSON.stringify({ [line]: line }),
      );
      // Asking for the settings reads the file.
      expect((await harness.daemon.daemon.service.configGet(undefined)).problem).not.toBeNull();
      // A flush leaves out what is being written just now.
      const told = (): number => {
        harness.log.flush();
        return readAll(harness.root).get("log")?.toString().split("config.json is not valid").length ?? 0;
      };
      await expect.poll(told).toBeGreaterThan(at + 1);
    }
    const { findings } = await harness.daemon.daemon.service.doctor({ target: null });
    const report = new Map([["report", Buffer.from(JSON.stringify(findings))]]);
    expect([findings.length > 0, findSecrets(report, harness.given())]).toEqual([true, []]);
    rmSync(harness.daemon.paths.config);
    expect(await harness.finish(() => true, "")).toEqual([]);
  });

  it("by an error of any kind in the log", async () => {
    for (const { line } of harness.secretsOf("an error"))
      harness.log.logger.error(
        { error: new Error(line, { cause: { line } }), line, deep: [{ line }] },
        `canary-log ${line}`,
      );
    expect(await harness.finish(() => hasWord(readAll(harness.root), "canary-log"), "the log")).toEqual([]);
  });

  it("and lies in no file of the store after it was closed, either", async () => {
    await harness.daemon.restart();
    expect(harness.given().length).toBeGreaterThan(400);
    expect(await harness.finish(() => true, "", "all")).toEqual([]);
  });
});
