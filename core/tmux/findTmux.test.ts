import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import { createLocalExecutor } from "../targets/executors/localExecutor.ts";
import { findTmux, knowledgeOf, parseTmuxVersion, tellsPaneOutput } from "./findTmux.ts";

let executor: TargetExecutor;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-find-"));
  executor = createLocalExecutor({
    targetId: "host",
    env: { PATH: process.env["PATH"] },
  });
});
afterEach(() => executor.close());

const program = (name: string, text: string, mode = 0o755): string => {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, "tmux"), text);
  chmodSync(join(folder, name, "tmux"), mode);
  return join(folder, name);
};

it.each([
  ["2.9a", "older"],
  ["3.1c", "older"],
  ["3.2", "tested"],
  ["3.2a", "tested"],
  ["3.7c", "tested"],
  ["3.8", "untried"],
  ["3.10", "untried"],
  ["4.0", "untried"],
  ["next-3.8", "untried"],
  ["next-3.6", "untried"],
  ["3.5-rc", "untried"],
  ["next-3.2", "older"],
  ["3.2-rc", "older"],
  ["master", "older"],
  ["openbsd-7.5", "older"],
])("version %s is %s", (raw, known) => {
  expect(knowledgeOf(parseTmuxVersion(`tmux ${raw}`))).toBe(known);
});

it.each([
  ["3.7c", false],
  ["3.8", true],
  ["next-3.8", true],
  ["4.0", true],
  ["2.9", false],
  ["master", false],
])("version %s tells when a pane printed: %s", (raw, expected) => {
  expect(tellsPaneOutput(parseTmuxVersion(`tmux ${raw}`))).toBe(expected);
});

describe("parseTmuxVersion", () => {
  it.each([
    ["tmux 3.3a\n", { raw: "3.3a", major: 3, minor: 3 }],
    ["tmux next-3.6\n", { raw: "next-3.6", major: 3, minor: 6 }],
    ["tmux openbsd-7.5", { raw: "openbsd-7.5", major: null, minor: null }],
    ["tmux master", { raw: "master", major: null, minor: null }],
    ["something else", { raw: "", major: null, minor: null }],
  ])("reads %j", (output, expected) => {
    expect(parseTmuxVersion(output)).toEqual(expected);
  });
});

describe("findTmux", () => {
  it("finds the real one without a PATH", async () => {
    const found = await findTmux({ executor, configuredPath: null, pathVariable: undefined });
    expect(found.version.major).toBeGreaterThanOrEqual(2);
  });

  it("prefers PATH and passes over what is no working tmux", async () => {
    const pathVariable = [
      "relative",
      program("plain", "#!/bin/sh\necho tmux 9.9\n", 0o644),
      program("broken", "#!/bin/sh\nexit 1\n"),
      program("works", "#!/bin/sh\necho tmux 9.9\n"),
    ].join(":");
    expect(await findTmux({ executor, configuredPath: null, pathVariable })).toEqual({
      path: join(folder, "works", "tmux"),
      version: { raw: "9.9", major: 9, minor: 9 },
    });
  });

  it("does not replace a configured path that is wrong", async () => {
    await expect(
      findTmux({ executor, configuredPath: join(folder, "none"), pathVariable: process.env["PATH"] }),
    ).rejects.toMatchObject({ code: "E_TMUX_MISSING", details: [join(folder, "none")] });
  });
});
