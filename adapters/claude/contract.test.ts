import { fileURLToPath } from "node:url";
import { runAdapterContract } from "../testkit/contract.ts";
import { loadLabels } from "../testkit/recordings.ts";
import { createClaudeAdapter } from "./index.ts";

const fixture = (path: string): string =>
  fileURLToPath(new URL(`../../test/fixtures/${path}`, import.meta.url));

runAdapterContract(createClaudeAdapter(), {
  fixturesDir: fixture("recordings/claude"),
  labels: loadLabels(fixture("recordings/labels.json")),
  variants: {
    fixturesDir: fixture("variants/claude"),
    labels: loadLabels(fixture("variants/labels.json")),
  },
});
