import { describe, expect, it } from "vitest";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import { identifyCodex } from "./index.ts";

const BIN = "/home/dev/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex";
const tree = (...commands: [comm: string, args: string][]): ProcessInfo[] =>
  [["bash", "bash"] as const, ...commands].map(([comm, args], index) => ({
    pid: index + 10,
    ppid: index === 0 ? 1 : index + 9,
    comm,
    args,
    startedAt: 0,
  }));

describe("finding Codex", () => {
  it.each([
    ["the native binary", ["codex", BIN]],
    ["a command from the path", ["codex", "codex"]],
    ["a binary named by its platform", ["codex-x86_64-un", "/opt/codex-x86_64-unknown-linux-musl"]],
    ["a session that is resumed", ["codex", "codex resume 01a1fc88-aba4-7151-ac19-55fbbb0c7489"]],
    ["options with values", ["codex", "codex -m gpt-5 -C /work -s workspace-write"]],
    ["a prompt that begins with a subcommand's word", ["codex", "codex update the readme"]],
    ["a prompt behind an option", ["codex", "codex -p fast review this change"]],
  ] as const)("takes %s", (_what, [comm, args]) => {
    expect(identifyCodex(tree([comm, args]))?.process.args).toBe(args);
  });

  it.each([
    ["the background server", ["codex", `${BIN} app-server --listen unix:///tmp/s --managed-daemon`]],
    ["the server's own copy", ["codex", "/home/dev/.codex/packages/app-server-daemon/0.169.0/codex"]],
    ["a run without a window", ["codex", "codex exec fix it"]],
    ["the same behind options", ["codex", "codex -m gpt-5 -c a=b exec fix it"]],
    ["a server for other agents", ["codex", "codex mcp-server"]],
    ["its settings", ["codex", "codex mcp list"]],
    ["a review that prints", ["codex", "codex review --uncommitted"]],
    ["a login", ["codex", "codex login"]],
    ["the npm launcher", ["node", "node /usr/local/bin/codex"]],
    ["the sandbox of its tools", ["codex-linux-san", "codex-linux-sandbox -- touch x"]],
    ["an editor", ["vim", "vim codex"]],
    ["a program called after it", ["codexer", "/usr/bin/codexer"]],
  ] as const)("leaves out %s", (_what, [comm, args]) => {
    expect(identifyCodex(tree([comm, args]))).toBeNull();
  });

  it("takes the window below a launcher that stays", () => {
    const found = identifyCodex(tree(["node", "node /usr/local/bin/codex"], ["codex", BIN]));
    expect(found).toMatchObject({ confidence: "high", process: { pid: 12 } });
  });
});
