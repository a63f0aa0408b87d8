import { runAdapterContract } from "../testkit/contract.ts";
import { createKiloAdapter } from "./index.ts";

runAdapterContract(createKiloAdapter(), { launcherCount: 1 });
