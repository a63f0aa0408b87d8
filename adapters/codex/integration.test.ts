import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { AgtmuxError } from "../../core/model/errors.ts";
import { EVENT_SCRIPT, memoryFiles, settingsPlans } from "../testkit/memoryFiles.ts";
import { createCodexIntegration, HOOK_EVENTS, HOOK } from "./integration.ts";

const HOOKS = "/home/dev/.codex/hooks.json";
const CONFIG = "/home/dev/.codex/config.toml";
const integration = createCodexIntegration();

const { install, uninstall } = settingsPlans(integration, HOOKS);
const requestFor = (hooks: string | null, config: string | null = null) => ({
  files: memoryFiles({
    ...(hooks === null ? {} : { [HOOKS]: hooks }),
    ...(config === null ? {} : { [CONFIG]: config }),
  }),
  homeDir: "/home/dev",
  configDir: "/home/dev/.codex",
  eventScript: EVENT_SCRIPT,
});

/** As Codex writes it down when the person trusts the hooks. */
const trustAll = (isTrusted: (event: string) => boolean, group = 0): string =>
  HOOK_EVENTS.filter(isTrusted)
    .map(
      (event) => `[hooks.state."${HOOKS}:${event}:${group}:0"]\ntrusted_hash = "sha256:${"0f".repeat(32)}"\n`,
    )
    .join("\n");

const root = mkdtempSync(join(tmpdir(), "agtmux-codex-hook-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("installing into Codex's hooks", () => {
  it("makes a file with one constant command per event, and takes it away again", async () => {
    const installed = await install(null);
    expect(JSON.parse(installed ?? "")).toEqual({
      hooks: Object.fromEntries(
        HOOK_EVENTS.map((event) => [
          event,
          [{ hooks: [{ type: "command", command: HOOK.of(EVENT_SCRIPT, event), timeout: 3 }] }],
        ]),
      ),
    });
    expect(await uninstall(installed)).toBeNull();
  });

  it("gives back every byte of a file that others use too, and never touches their hooks", async () => {
    const group = fc.record({
      hooks: fc.array(fc.record({ type: fc.constant("command"), command: fc.string() })),
    });
    const foreign = fc.record({
      hooks: fc.dictionary(
        fc.constantFrom(...HOOK_EVENTS, "PreModelRequest"),
        fc.array(group, { maxLength: 2 }),
      ),
    });
    const layout = fc.record({
      indent: fc.constantFrom("", "  ", "\t", "    "),
      eol: fc.constantFrom("\n", "\r\n"),
      end: fc.constantFrom("", "\n", "\n\n"),
    });
    await fc.assert(
      fc.asyncProperty(foreign, layout, async (value, { indent, eol, end }) => {
        const before = (JSON.stringify(value, null, indent) + end).replaceAll("\n", eol);
        const installed = await install(before);
        const groups: Record<string, unknown[]> = JSON.parse(installed ?? "{}").hooks;
        for (const [event, own] of Object.entries(value.hooks))
          expect(groups[event]?.slice(0, own.length)).toEqual(own);
        expect(await install(installed)).toBe(installed);
        expect(await uninstall(installed)).toBe(before);
      }),
      { numRuns: 100 },
    );
  });

  it("refuses what it cannot parse, and says where", async () => {
    const failure: unknown = await install('{\n  "hooks": {,}\n}').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AgtmuxError);
    expect(failure).toMatchObject({
      code: "E_INTEGRATION_REFUSED",
      message: expect.stringContaining("line 2, column 13"),
    });
  });
});

describe("inspecting", () => {
  it("says that the person has still to trust the hooks, which ones, and how: nothing is wrong with them", async () => {
    const installed = await install("{}");
    const nothing = await integration.inspect(requestFor(installed));
    expect(nothing).toEqual({
      installed: true,
      missing: [],
      problems: [],
      steps: [{ what: "trust the hooks in Codex", how: expect.stringMatching(/^Start codex.*review"\.$/) }],
    });
    const partly = await integration.inspect(
      requestFor(
        installed,
        trustAll((event) => event !== "Stop"),
      ),
    );
    expect(partly.steps).toEqual([
      { what: "trust the hooks in Codex", how: expect.stringContaining("Not trusted yet: Stop.") },
    ]);
    const all = await integration.inspect(
      requestFor(
        installed,
        trustAll(() => true),
      ),
    );
    expect(all).toEqual({ installed: true, missing: [], problems: [], steps: [] });
  });

  it("looks for the trust of our place behind other people's hooks", async () => {
    const theirs = { hooks: Object.fromEntries(HOOK_EVENTS.map((event) => [event, [{ hooks: [] }]])) };
    const installed = await install(JSON.stringify(theirs));
    const at = async (group: number) =>
      (
        await integration.inspect(
          requestFor(
            installed,
            trustAll(() => true, group),
          ),
        )
      ).steps;
    expect(await at(0)).toHaveLength(1);
    expect(await at(1)).toEqual([]);
  });

  it("tells when hooks are turned off", async () => {
    const config = `${trustAll(() => true)}\n[features]\nhooks = false\n`;
    expect((await integration.inspect(requestFor(await install("{}"), config))).problems).toEqual([
      `${CONFIG} turns hooks off: no hook runs`,
    ]);
  });
});

describe("the command", () => {
  const run = (script: string): string =>
    // Nothing to read: who does not read it would break the pipe.
    execFileSync("/bin/sh", ["-c", HOOK.of(script, "Stop")], {
      stdio: ["ignore", "pipe", "inherit"],
    }).toString();

  it("runs the script as a child of whoever runs the hook", () => {
    const script = join(root, "it's here", "agtmux-event").replace("it's here/", "it's-");
    writeFileSync(script, `#!/bin/sh\nprintf '%s %s %s' "$1" "$2" "$PPID" >"$0.ran"\n`);
    chmodSync(script, 0o755);
    expect(run(script)).toBe("");
    expect(readFileSync(`${script}.ran`, "utf8")).toBe(`codex Stop ${process.pid}`);
  });

  it("is silent and successful when the script is gone", () => {
    expect(run(join(root, "gone", "agtmux-event"))).toBe("");
  });
});
