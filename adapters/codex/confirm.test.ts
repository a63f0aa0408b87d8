import { describe, expect, it } from "vitest";
import { memoryFiles } from "../testkit/memoryFiles.ts";
import { createCodexConfirmation, HOOK } from "./integration.ts";

const hooks = (command: string) =>
  JSON.stringify({ hooks: { PermissionRequest: [{ hooks: [{ type: "command", command }] }] } });
const needs = (texts: Readonly<Record<string, string>>) =>
  createCodexConfirmation()({ files: memoryFiles(texts), configDir: "/h/.codex", cwd: "/p" });

describe("whether a person alone answers Codex's requests", () => {
  it("holds with our own hook, foreign hooks of other events, and nothing", async () => {
    expect(await needs({})).toBe(false);
    expect(
      await needs({ "/h/.codex/hooks.json": hooks(HOOK.of("/x/agtmux-event", "PermissionRequest")) }),
    ).toBe(false);
    expect(await needs({ "/h/.codex/config.toml": 'approvals_reviewer = "user"\n[[hooks.Stop]]\n' })).toBe(
      false,
    );
    expect(await needs({ "/h/.codex/hooks.json": "{ broken" })).toBe(false);
  });

  it.each([
    ["a hook of the person's", { "/h/.codex/hooks.json": hooks("approve.sh") }],
    ["a hook of the project's", { "/p/.codex/hooks.json": hooks("approve.sh") }],
    ["a hook in config.toml", { "/h/.codex/config.toml": "[[hooks.PermissionRequest]]\n" }],
    ["another reviewer", { "/h/.codex/config.toml": 'approvals_reviewer = "auto_review"\n' }],
  ])("does not hold with %s", async (_what, texts) => {
    expect(await needs(texts)).toBe(true);
  });
});
