import { fileURLToPath } from "node:url";
import { runAdapterContract } from "../testkit/contract.ts";
import { loadLabels } from "../testkit/recordings.ts";
import { createOmpAdapter } from "./index.ts";

const fixture = (path: string): string =>
  fileURLToPath(new URL(`../../test/fixtures/${path}`, import.meta.url));

runAdapterContract(createOmpAdapter(), {
  fixturesDir: fixture("recordings/omp"),
  labels: loadLabels(fixture("recordings/labels.json")),
  // It retries in silence: the screen only shows that it works.
  reasonUnseen: ["error_500"],
  variants: {
    fixturesDir: fixture("variants/omp"),
    labels: loadLabels(fixture("variants/labels.json")),
  },
});
