// The order in which agents are offered, with a real login shell that finds some of them.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createAdapterRegistry } from "../../adapters/index.ts";
import type { PaneView } from "../../core/model/view.ts";
import { makePane } from "../../test/factories/view.ts";
import { localTarget } from "../../test/workspaces/localTarget.ts";
import type { StartableAgent } from "../../core/model/workspace.ts";
import { StartableAgents } from "./startableAgents.ts";
import { partOf } from "../../test/fakes/partOf.ts";

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "agtmux-startable-")));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const install = (...programs: string[]): void => {
  mkdirSync(join(home, "own"));
  for (const program of programs) {
    writeFileSync(join(home, "own", program), "#!/bin/sh\n: >ran\n");
    chmodSync(join(home, "own", program), 0o755);
  }
  writeFileSync(
    join(home, ".bash_profile"),
    `echo agtmux-has:; cd '${home}'; PATH='${home}/own':/usr/bin:/bin\n`,
  );
};
const list = async (
  options: { started?: string[]; rows?: PaneView[]; shell?: string } = {},
): Promise<StartableAgent[]> => {
  const target = localTarget(home, { SHELL: options.shell ?? "/bin/bash" });
  const agents = new StartableAgents({
    context: partOf({
      rows: partOf({ all: () => options.rows ?? [] }),
      adapters: () => createAdapterRegistry().list(),
      target: () => target,
      clock: {
        now: () => 0,
        setTimer: (delayMs: number, callback: () => void) => {
          const timer = setTimeout(callback, delayMs);
          return () => clearTimeout(timer);
        },
      },
    }),
    startedOn: () => Promise.resolve(options.started ?? []),
  });
  return agents.list("host");
};
const names = (agents: readonly StartableAgent[]): string[] => agents.map(({ agent }) => agent);
const ALL = [
  "antigravity",
  "arcane",
  "claude",
  "cline",
  "codex",
  "copilot",
  "cursor",
  "gemini",
  "gjc",
  "kilo",
  "omp",
  "opencode",
  "pi",
  "qwen",
];

it("begins with the one started last, then those that run, those that are installed, and the others", async () => {
  install("pi", "gemini", "cursor-agent");
  const rows = [makePane({ pane: 1, agent: "codex" }), makePane({ pane: 2, agent: "omp", state: null })];
  const agents = await list({ started: ["opencode", "gemini"], rows });
  const order = names(agents);
  expect(order.slice(0, 2)).toEqual(["gemini", "codex"]);
  expect(order.slice(2, 4).toSorted()).toEqual(["cursor", "pi"]);
  expect(order.toSorted()).toEqual(ALL);
  const found = agents.filter((agent) => agent.is_found === true);
  expect(names(found).toSorted()).toEqual(["codex", "cursor", "gemini", "pi"]);
  expect(agents.find(({ agent }) => agent === "opencode")?.is_found).toBe(false);
});

it("starts no agent to find it, and offers all of them where no shell answers", async () => {
  install("pi");
  expect(names(await list())[0]).toBe("pi");
  expect(() => realpathSync(join(home, "ran"))).toThrow("ENOENT");
  expect(names(await list({ shell: "/no/such/bash" })).toSorted()).toEqual(ALL);
});

it("takes what was started last where it is not known what is installed", async () => {
  writeFileSync(join(home, ".bash_profile"), "exit 1\n");
  const agents = await list({ started: ["opencode", "claude"] });
  expect(names(agents).slice(0, 2)).toEqual(["opencode", "claude"]);
  expect(new Set(agents.map((agent) => agent.is_found))).toEqual(new Set([null]));
});
