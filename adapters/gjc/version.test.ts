import { describe, expect, it } from "vitest";
import { AgtmuxError } from "../../core/model/errors.ts";
import { memoryFiles } from "../testkit/memoryFiles.ts";
import { createGjcAdapter } from "./index.ts";

const PACKAGE = "/home/dev/.bun/install/global/node_modules/@gajae-code/coding-agent/package.json";
const plan = (texts: Record<string, string>) =>
  createGjcAdapter().integration?.planInstall({
    files: memoryFiles(texts),
    homeDir: "/home/dev",
    configDir: "/home/dev/.gjc/agent",
    eventScript: "/home/dev/.agtmux/bin/agtmux-event",
  });
const version = (text: string) => ({ [PACKAGE]: JSON.stringify({ version: text }) });

describe("installing gjc's extension", () => {
  it.each(["0.17.0", "0.20.3", "1.0.0"])("installs for %s", async (text) => {
    expect(await plan(version(text))).toHaveLength(1);
  });

  it.each<[string, Record<string, string>]>([
    ["a version that quarantines extensions", version("0.2.5")],
    ["the last one that does", version("0.16.9")],
    ["an unknown version", {}],
    ["a package file that cannot be read", { [PACKAGE]: "{" }],
    ["a version that is none", version("next")],
    [
      "an old one beside a new one",
      { ...version("0.20.0"), "/usr/lib/node_modules/gajae-code/package.json": '{"version":"0.12.12"}' },
    ],
  ])("refuses %s", async (_what, texts) => {
    await expect(plan(texts)).rejects.toBeInstanceOf(AgtmuxError);
  });
});
