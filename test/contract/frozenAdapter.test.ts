// An adapter written against contract 1.0 goes on working (NFR-6). Its text is pinned: a change of the contract that needs a
// change of the adapter breaks every adapter outside of this repository.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { runAdapterContract } from "../../adapters/testkit/contract.ts";
import { loadLabels } from "../../adapters/testkit/recordings.ts";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { createFrozenAdapter } from "./frozenAdapter.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const FROZEN_SHA256 = "e0a20562a2baa759b84d1588608c4ef3662ce2c570524e85834198c53ae48861";

it("is the text that was frozen with contract 1.0", () => {
  const digest = createHash("sha256")
    .update(readFileSync(here("frozenAdapter.ts")))
    .digest("hex");
  expect(digest, "frozenAdapter.ts must never be edited: change the contract back instead").toBe(
    FROZEN_SHA256,
  );
});

it("is taken by the registry beside the adapters of today", () => {
  const registry = createAdapterRegistry([...createAdapterRegistry().list(), createFrozenAdapter()]);
  const process = { pid: 7, ppid: 1, comm: "frozen", args: "frozen", startedAt: 0 };
  expect(registry.identify([process])?.adapter.agentType).toBe("frozen");
});

runAdapterContract(createFrozenAdapter(), {
  fixturesDir: here("fixtures/frozen"),
  labels: loadLabels(here("fixtures/labels.json")),
});
