import { fileURLToPath } from "node:url";
import { runAdapterContract } from "../testkit/contract.ts";
import { loadLabels } from "../testkit/recordings.ts";
import { createCodexAdapter } from "./index.ts";

const fixture = (path: string): string =>
  fileURLToPath(new URL(`../../test/fixtures/${path}`, import.meta.url));

runAdapterContract(createCodexAdapter(), {
  fixturesDir: fixture("recordings/codex"),
  labels: loadLabels(fixture("recordings/labels.json")),
  variants: {
    fixturesDir: fixture("variants/codex"),
    labels: loadLabels(fixture("variants/labels.json")),
  },
});
