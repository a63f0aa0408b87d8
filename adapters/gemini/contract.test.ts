import { fileURLToPath } from "node:url";
import { runAdapterContract } from "../testkit/contract.ts";
import { loadLabels } from "../testkit/recordings.ts";
import { createGeminiAdapter } from "./index.ts";

const fixture = (path: string): string =>
  fileURLToPath(new URL(`../../test/fixtures/${path}`, import.meta.url));

runAdapterContract(createGeminiAdapter(), {
  fixturesDir: fixture("recordings/gemini"),
  labels: loadLabels(fixture("recordings/labels.json")),
  variants: {
    fixturesDir: fixture("variants/gemini"),
    labels: loadLabels(fixture("variants/labels.json")),
  },
  // It retries in silence: no event, no word on the screen.
  reasonUnseen: ["error_429", "error_500"],
});
