import { describe, expect, it } from "vitest";
import type { TargetFiles } from "../../core/ports/targetExecutor.ts";
import { memoryFiles } from "../testkit/memoryFiles.ts";
import { createClaudeConfirmation, HOOK } from "./integration.ts";

const USER = "/home/dev/.claude/settings.json";
const PROJECT = "/home/dev/project/.claude/settings.json";
const LOCAL = "/home/dev/project/.claude/settings.local.json";
const withHook = (command: string, event = "PermissionRequest"): string =>
  JSON.stringify({ hooks: { [event]: [{ hooks: [{ type: "command", command }] }] } });
const OURS = withHook(HOOK.of("/home/dev/.agtmux/bin/agtmux-event", "PermissionRequest"));
const FOREIGN = withHook("approve-for-me");

const filesWith = (contents: Record<string, string>) => {
  const reads: string[] = [];
  const options = { mtimeMs: 1 };
  const memory = memoryFiles(contents, options);
  const files: TargetFiles = {
    ...memory,
    readText: (path) => {
      reads.push(path);
      return memory.readText(path);
    },
  };
  return { files, reads, contents, options };
};
const ask = (files: TargetFiles, read = createClaudeConfirmation()) =>
  read({ files, configDir: "/home/dev/.claude", cwd: "/home/dev/project" });

describe("whether another program may answer permission requests", () => {
  it.each([
    ["nothing is installed", {}, false],
    ["only ours is installed", { [USER]: OURS }, false],
    ["another hook is in the user's settings", { [USER]: FOREIGN }, true],
    ["another hook is in the project's settings", { [USER]: OURS, [PROJECT]: FOREIGN }, true],
    ["another hook is in the project's local settings", { [LOCAL]: FOREIGN }, true],
    ["another hook is for another event", { [USER]: withHook("beep", "Stop") }, false],
    [
      "a hook is no command",
      { [USER]: '{"hooks":{"PermissionRequest":[{"hooks":[{"type":"prompt"}]}]}}' },
      true,
    ],
    ["the settings are broken", { [USER]: "{" }, false],
    ["the settings have another shape", { [USER]: '{"hooks":{"PermissionRequest":{"a":1}}}' }, false],
  ])("when %s", async (_what, contents, expected) => {
    expect(await ask(filesWith(contents).files)).toBe(expected);
  });

  it("reads a file again only when it changed", async () => {
    const world = filesWith({ [USER]: OURS });
    const read = createClaudeConfirmation();
    expect([await ask(world.files, read), await ask(world.files, read)]).toEqual([false, false]);
    expect(world.reads).toEqual([USER]);
    world.contents[USER] = FOREIGN;
    world.options.mtimeMs = 2;
    expect(await ask(world.files, read)).toBe(true);
    expect(world.reads).toEqual([USER, USER]);
  });

  it("counts settings that cannot be read as none", async () => {
    const { files } = filesWith({ [USER]: FOREIGN });
    expect(await ask({ ...files, stat: () => Promise.reject(new Error("denied")) })).toBe(false);
  });
});
