import { describe, expect, it } from "vitest";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import { identifyCopilot } from "./index.ts";

const NATIVE = "/usr/lib/node_modules/@github/copilot-linux-x64/copilot";
const tree = (...commands: readonly [string, string][]): ProcessInfo[] =>
  commands.map(([comm, args], index) => ({ pid: index + 1, ppid: index, comm, args, startedAt: 0 }));

describe("identifying Copilot CLI", () => {
  it.each([
    ["MainThread", NATIVE],
    ["copilot", `${NATIVE} --resume=eef7fd97`],
    ["MainThread", "/opt/node_modules/@github/copilot-darwin-arm64/copilot -p update"],
    ["MainThread", "/home/dev/.cache/copilot/pkg/linux-x64/1.0.102/copilot"],
    ["MainThread", "copilot"],
  ])("accepts %s: %s", (comm, args) => {
    expect(identifyCopilot(tree(["bash", "bash"], [comm, args]))?.process.args).toBe(args);
  });

  it.each([
    ["copilot", "copilot deploy"],
    ["copilot", "/usr/local/bin/copilot svc status"],
    ["MainThread", "node /usr/bin/copilot"],
    ["MainThread", `${NATIVE} --acp`],
    ["MainThread", `${NATIVE} update`],
    ["bash", `bash -c ${NATIVE}`],
    ["vim", "vim /x/@github/copilot-linux-x64/copilot"],
    ["MainThread", "node /x/node_modules/@github/copilot-language-server/dist/language-server.js --stdio"],
  ])("refuses %s: %s", (comm, args) => {
    expect(identifyCopilot(tree(["bash", "bash"], [comm, args]))).toBeNull();
  });

  it("takes the native program below its launcher", () => {
    const processes = tree(
      ["bash", "bash"],
      ["MainThread", "copilot"],
      ["MainThread", NATIVE],
      ["sleep", "sleep 8"],
    );
    expect(identifyCopilot(processes)?.process.pid).toBe(3);
  });
});
