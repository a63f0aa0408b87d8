import { fileURLToPath } from "node:url";
import { runAdapterContract } from "../testkit/contract.ts";
import { loadLabels } from "../testkit/recordings.ts";
import { createOpencodeAdapter } from "./index.ts";

const fixture = (path: string): string =>
  fileURLToPath(new URL(`../../test/fixtures/${path}`, import.meta.url));

runAdapterContract(createOpencodeAdapter(), {
  fixturesDir: fixture("recordings/opencode"),
  labels: loadLabels(fixture("recordings/labels.json")),
  variants: {
    fixturesDir: fixture("variants/opencode"),
    labels: loadLabels(fixture("variants/labels.json")),
  },
});
