import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { AgentAdapter } from "../../core/ports/agentAdapter.ts";
import { createArcaneAdapter } from "../arcane/index.ts";
import { createOmpAdapter } from "../omp/index.ts";
import { createOpencodeAdapter } from "../opencode/index.ts";
import { createPiAdapter } from "../pi/index.ts";
import { memoryFiles } from "../testkit/memoryFiles.ts";

const HOME = "/home/dev";
const SCRIPT = "/home/dev/.agtmux/bin/agtmux-event";
const ADAPTERS: [AgentAdapter, string][] = [
  [createOpencodeAdapter(), `${HOME}/.config/opencode/plugin/agtmux.js`],
  [createOmpAdapter(), `${HOME}/.omp/agent/extensions/agtmux.ts`],
  [createPiAdapter(), `${HOME}/.pi/agent/extensions/agtmux.ts`],
  [createArcaneAdapter(), `${HOME}/.arcane/agent/extensions/agtmux.ts`],
];

const partsOf = (adapter: AgentAdapter, path: string) => {
  const { integration } = adapter;
  if (integration === undefined) throw new Error(`${adapter.agentType} has no integration`);
  const requestFor = (text: string | null, eventScript = SCRIPT) => ({
    files: memoryFiles(text === null ? {} : { [path]: text }),
    homeDir: HOME,
    configDir: `${HOME}/${adapter.configFolder?.usual}`,
    eventScript,
  });
  return { integration, requestFor };
};

describe.each(ADAPTERS)("the plugin file of $agentType", (adapter, path) => {
  const { integration, requestFor } = partsOf(adapter, path);
  const install = async (text: string | null, eventScript = SCRIPT) =>
    (await integration.planInstall(requestFor(text, eventScript)))[0]?.after ?? text;

  it("is created, found again and removed, and nothing else is touched", async () => {
    const [change] = await integration.planInstall(requestFor(null));
    expect(change).toMatchObject({ path, before: null });
    const text = change?.after ?? "";
    expect(await integration.planInstall(requestFor(text))).toEqual([]);
    expect(await integration.inspect(requestFor(text))).toMatchObject({
      installed: true,
      missing: [],
      problems: [],
    });
    expect(await integration.planUninstall(requestFor(text))).toEqual([{ path, before: text, after: null }]);
    expect(await integration.planUninstall(requestFor(null))).toEqual([]);
    expect((await integration.inspect(requestFor(null))).installed).toBe(false);
  });

  it("is replaced where another installation wrote it", async () => {
    const old = await install(null, "/old/bin/agtmux-event");
    expect(await integration.inspect(requestFor(old))).toMatchObject({
      installed: false,
      problems: [`${path} belongs to another agtmux installation or version`],
    });
    expect(await install(old)).toBe(await install(null));
  });

  it("is neither replaced nor removed once anybody has changed a byte of it, or wrote it", async () => {
    const text = (await install(null)) ?? "";
    const edited = fc.oneof(
      fc.string({ minLength: 1 }),
      fc
        .tuple(fc.nat({ max: text.length - 1 }), fc.constantFrom("x", "\n", " ", "\r"))
        .map(([at, insert]) => text.slice(0, at) + insert + text.slice(at)),
    );
    await fc.assert(
      fc.asyncProperty(edited, async (other) => {
        fc.pre(other !== text);
        for (const plan of [
          () => integration.planInstall(requestFor(other)),
          () => integration.planUninstall(requestFor(other)),
        ]) {
          const failure: unknown = await plan().catch((error: unknown) => error);
          expect(failure).toBeInstanceOf(AgtmuxError);
        }
        const { installed, problems } = await integration.inspect(requestFor(other));
        expect([installed, problems.length > 0]).toEqual([false, true]);
      }),
      { numRuns: 60 },
    );
  });

  it("writes into the spool beside its event script, however that path looks", async () => {
    const strange = await install(null, '/a b/"it\'s"/\\x/bin/agtmux-event');
    expect(strange).toContain(`const SPOOL = ${JSON.stringify('/a b/"it\'s"/\\x/spool')};`);
  });
});
