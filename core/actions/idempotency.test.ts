// What a key under which an action is done once promises to whoever looks it up.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SILENT_LOGGER } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import { openStore } from "../store/openStore.ts";
import { type ActionTurn, createIdempotency } from "./audit.ts";
import { partOf } from "../../test/fakes/partOf.ts";

let folder: string;
let store: Store;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-keys-"));
  store = openStore({ path: join(folder, "state.db"), logger: SILENT_LOGGER });
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

const ONCE = { scope: "send:rt_1", key: "k" };
const TURN = {
  actionId: "act_1",
  prepared: { subject: { paneRef: "host/%1" }, snapshot: { runtimeId: "rt_1", snapshotId: "snap_1" } },
} as unknown as ActionTurn;

it("a key that was only looked up is free, and has the result once an action was done under it", async () => {
  const keys = createIdempotency({ store, clock: partOf({ now: () => 5 }) });
  expect(keys.earlier(ONCE)).toBeNull();
  const first = await keys.run("send", TURN, ONCE, () =>
    Promise.resolve({ outcome: "delivered", detail: "done" }),
  );
  expect(first).toMatchObject({ outcome: "delivered", is_repeat: false });
  expect(keys.earlier(ONCE)).toEqual({ ...first, is_repeat: true });
});
