// What is in the log alone is lost with the power: a minute after a commit it stands in the file, without another commit.
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { SILENT_LOGGER } from "../ports/logger.ts";
import { openStore } from "./openStore.ts";
import { sampleRuntime } from "./testkit/samples.ts";

let folder: string;
beforeEach(() => {
  vi.useFakeTimers();
  folder = mkdtempSync(join(tmpdir(), "agtmux-flush-"));
});
afterEach(() => vi.useRealTimers());

/** The live runtimes in a copy of the file without its log. */
const runtimesInFile = (path: string): number => {
  const copy = join(folder, "copy.db");
  copyFileSync(path, copy);
  const store = openStore({ path: copy, logger: SILENT_LOGGER });
  const { length } = store.listLiveRuntimes();
  store.close();
  rmSync(copy);
  return length;
};

it("moves the log into the file a minute after a commit, and minds no store that is closed by then", () => {
  const path = join(folder, "state.db");
  const store = openStore({ path, logger: SILENT_LOGGER });
  store.transaction(() => store.insertRuntime(sampleRuntime()));
  expect(runtimesInFile(path)).toBe(0);
  vi.advanceTimersByTime(60_000);
  expect(runtimesInFile(path)).toBe(1);
  store.transaction(() => {});
  store.close();
  vi.advanceTimersByTime(60_000);
});
