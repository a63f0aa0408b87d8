import { describe, expect, it } from "vitest";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import { identifyGemini } from "./index.ts";

const process = (comm: string, args: string, pid = 10, ppid = 1): ProcessInfo => ({
  pid,
  ppid,
  comm,
  args,
  startedAt: 0,
});

describe("identifying Gemini CLI", () => {
  it.each([
    ["MainThread", "node /home/dev/node_modules/.bin/gemini"],
    ["node", "/usr/bin/node --no-warnings=DEP0040 /usr/local/bin/gemini --resume latest"],
    [
      "node",
      "node -r ./x.js --max-old-space-size=4096 /usr/lib/node_modules/@google/gemini-cli/dist/index.js",
    ],
    ["node", "node /usr/lib/node_modules/@google/gemini-cli/bundle/gemini.js"],
    ["bun", "bun /usr/local/bin/gemini mcp servers are slow, find out why"],
  ])("accepts %s: %s", (comm, args) => {
    expect(identifyGemini([process(comm, args)])?.process.args).toBe(args);
  });

  it.each([
    ["node", "node /usr/local/bin/gemini mcp list"],
    ["node", "node /usr/local/bin/gemini extensions install x"],
    ["node", "node /usr/local/bin/gemini --experimental-acp"],
    ["node", "node server.js /usr/local/bin/gemini"],
    ["node", "node --eval /usr/local/bin/gemini-report"],
    ["bash", "bash /usr/local/bin/gemini"],
    ["gemini", "gemini gopher://example.org"],
    ["vim", "vim bin/gemini"],
    ["node", "node"],
  ])("refuses %s: %s", (comm, args) => {
    expect(identifyGemini([process(comm, args)])).toBeNull();
  });

  it("takes the outer one of the two processes that a start makes", () => {
    const outer = process("MainThread", "node /usr/local/bin/gemini", 2, 1);
    const inner = process("MainThread", "node --max-old-space-size=8192 /usr/local/bin/gemini", 3, 2);
    expect(identifyGemini([process("bash", "bash", 1, 0), outer, inner])?.process).toBe(outer);
  });
});
