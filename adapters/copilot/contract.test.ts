import { fileURLToPath } from "node:url";
import { runAdapterContract } from "../testkit/contract.ts";
import { loadLabels } from "../testkit/recordings.ts";
import { createCopilotAdapter } from "./index.ts";

const fixture = (path: string): string =>
  fileURLToPath(new URL(`../../test/fixtures/${path}`, import.meta.url));

runAdapterContract(createCopilotAdapter(), {
  fixturesDir: fixture("recordings/copilot"),
  labels: loadLabels(fixture("recordings/labels.json")),
  variants: {
    fixturesDir: fixture("variants/copilot"),
    labels: loadLabels(fixture("variants/labels.json")),
  },
  // The node launcher, which may be ended alone.
  launcherCount: 1,
});
