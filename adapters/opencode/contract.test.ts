import { expect, it } from "vitest";
import { runAdapterContract } from "../testkit/contract.ts";
import { createOpencodeAdapter } from "./index.ts";

runAdapterContract(createOpencodeAdapter());

it.each([
  ["opencode", true],
  ["opencode --standalone /home/dev/project", true],
  ["opencode mini --continue", true],
  ["opencode serve --service", false],
  ["opencode service status", false],
  ["opencode api get /api/info", false],
  ["opencode run hello", false],
])("OpenCode 2's %s is a terminal: %s", (args, isTerminal) => {
  const process = { pid: 11, ppid: 10, comm: "opencode", args, startedAt: 0 };
  expect(createOpencodeAdapter().identify([process]) !== null).toBe(isTerminal);
});
