import { runAdapterContract } from "../testkit/contract.ts";
import { createCopilotAdapter } from "./index.ts";

runAdapterContract(createCopilotAdapter(), {
  // The node launcher, which may be ended alone.
  launcherCount: 1,
});
