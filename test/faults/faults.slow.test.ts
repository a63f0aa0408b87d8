// Every fault in short, on the real daemon with a real tmux: nothing that was written is lost or stored twice, no state is
// claimed wrongly, and nobody has to help. `npm run faults` injects them at full length.
import { expect, it } from "vitest";
import { FAULTS, randomFrom } from "./catalogue.ts";
import { complaintsOf } from "./outcome.ts";

/** Disks of one's own take root: without it a full disk is shown on the store alone (core/ingest/storeOutage.test.ts). */
const possible = FAULTS.filter(({ needsRoot }) => !needsRoot || process.getuid?.() === 0);

it.concurrent.each(possible)("recovers from $name", { timeout: 180_000 }, async (fault) => {
  expect(complaintsOf(await fault.short(randomFrom(1))).join("; ")).toBe("");
});
