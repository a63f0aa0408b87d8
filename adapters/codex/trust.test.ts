import { describe, expect, it } from "vitest";
import { isTrusted, trustedHooks } from "./integration.ts";

const PATH = "/home/dev/.codex/hooks.json";
const hash = `trusted_hash = "sha256:${"a1".repeat(32)}"`;

describe("Codex's record of trusted hooks", () => {
  it("is read from config.toml among everything else", () => {
    const trusted = trustedHooks(
      [
        'model = "gpt-5"',
        "[hooks.state]",
        `[hooks.state."${PATH}:stop:0:0"]`,
        hash,
        `[hooks.state.'${PATH}:PreToolUse:1:2'] # reviewed`,
        "enabled = true",
        hash,
        `[hooks.state."${PATH}:interrupt:0:0"]`,
        "enabled = true",
        "[other]",
        hash,
      ].join("\r\n"),
    );
    const isOk = (event: string, group = 0, index = 0) => isTrusted(trusted, PATH, { event, group, index });
    expect(isOk("Stop")).toBe(true);
    expect(isOk("PreToolUse", 1, 2)).toBe(true);
    expect(isOk("PreToolUse")).toBe(false);
    expect(isOk("Interrupt")).toBe(false);
    expect(isTrusted(trusted, "/elsewhere/hooks.json", { event: "Stop", group: 0, index: 0 })).toBe(false);
  });

  it("knows events by either spelling", () => {
    const trusted = trustedHooks(`[hooks.state."${PATH}:user_prompt_submit:0:0"]\n${hash}`);
    expect(isTrusted(trusted, PATH, { event: "UserPromptSubmit", group: 0, index: 0 })).toBe(true);
  });

  it("survives what is no TOML", () => {
    expect(trustedHooks("[hooks.state.\u0000\n=\n[[[").size).toBe(0);
  });
});
