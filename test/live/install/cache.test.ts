// Agents are found in the cache by the versions that are in it, never by the name of a folder alone.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LIVE_AGENTS } from "../agents/index.ts";
import { cacheFolder, findInstalled, installedVersions } from "./cache.ts";

const { opencode, pi } = LIVE_AGENTS;
const put = (cache: string, folder: string, name: string, version: string): void => {
  const path = join(cache, folder, "node_modules", name);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "package.json"), JSON.stringify({ version }));
};

it("finds a version in a folder of its own, and in a plain one that has it", () => {
  const cache = mkdtempSync(join(tmpdir(), "agtmux-cache-"));
  put(cache, "pi", pi.main.name, "1.0.0");
  put(cache, "pi@2.0.0", pi.main.name, "2.0.0");
  expect(findInstalled(cache, pi, "1.0.0")?.programs).toEqual([join(cache, "pi", "node_modules", ".bin")]);
  expect(findInstalled(cache, pi, "2.0.0")?.folder("pi")).toBe(join(cache, "pi@2.0.0"));
  expect(findInstalled(cache, pi, "3.0.0")).toBeNull();
  expect(installedVersions(cache, pi)).toEqual(["1.0.0", "2.0.0"]);
});

it("is not there while something that it needs has another version", () => {
  const cache = mkdtempSync(join(tmpdir(), "agtmux-cache-"));
  put(cache, "opencode", opencode.main.name, "1.0.0");
  put(cache, "opencode-plugin", "@opencode-ai/plugin", "0.9.0");
  expect(findInstalled(cache, opencode, "1.0.0")).toBeNull();
  put(cache, "opencode-plugin@1.0.0", "@opencode-ai/plugin", "1.0.0");
  expect(findInstalled(cache, opencode, "1.0.0")?.version).toBe("1.0.0");
});

it("is where AGTMUX_LIVE_CACHE says, else below the user's cache", () => {
  expect(cacheFolder({ AGTMUX_LIVE_CACHE: "/a/b" })).toBe("/a/b");
  expect(cacheFolder({ XDG_CACHE_HOME: "/c" })).toBe("/c/agtmux-live");
});
