// The order in which agents are offered, with a real login shell that finds some of them.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createAdapterRegistry } from "../../adapters/index.ts";
import type { PaneView } from "../../core/model/view.ts";
import { makePane } from "../../test/factories/view.ts";
import { localTarget } from "../../test/workspaces/localTarget.ts";
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
): Promise<string[]> => {
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
  return (await agents.list("host")).map(({ agent }) => agent);
};
const ALL = [
  "antigravity",
  "arcane",
  "claude",
  "codex",
  "copilot",
  "cursor",
  "gemini",
  "gjc",
  "omp",
  "opencode",
  "pi",
];

it("begins with the one started last, then those that run, those that are installed, and the others", async () => {
  install("pi", "gemini", "cursor-agent");
  const rows = [makePane({ pane: 1, agent: "codex" }), makePane({ pane: 2, agent: "omp", state: null })];
  const order = await list({ started: ["opencode", "claude"], rows });
  expect(order.slice(0, 3)).toEqual(["opencode", "claude", "codex"]);
  expect(order.slice(3, 6).toSorted()).toEqual(["cursor", "gemini", "pi"]);
  expect(order.toSorted()).toEqual(ALL);
});

it("starts no agent to find it, and offers all of them where no shell answers", async () => {
  install("pi");
  expect((await list())[0]).toBe("pi");
  expect(() => realpathSync(join(home, "ran"))).toThrow("ENOENT");
  expect((await list({ shell: "/no/such/bash" })).toSorted()).toEqual(ALL);
});
