import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SILENT_LOGGER } from "../ports/logger.ts";
import { openStore } from "./openStore.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-keys-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a key is taken once per scope, tells who has it, survives a restart and can be given back", () => {
  const path = join(folder, "state.db");
  let store = openStore({ path, logger: SILENT_LOGGER });
  const claim = { scope: "r1", key: "k", actionId: "a1", at: 5 };
  expect(store.claimKey(claim)).toBeNull();
  expect(store.claimKey({ ...claim, scope: "r2" })).toBeNull();
  expect(store.claimKey({ ...claim, actionId: "a2" })).toEqual({ actionId: "a1", at: 5, result: null });
  store.settleKey("r1", "k", "{}");
  store.releaseKey("r2", "k");
  store.close();
  store = openStore({ path, logger: SILENT_LOGGER });
  expect(store.claimKey({ ...claim, actionId: "a3" })).toEqual({ actionId: "a1", at: 5, result: "{}" });
  expect(store.claimKey({ ...claim, scope: "r2", actionId: "a4" })).toBeNull();
  store.close();
});
