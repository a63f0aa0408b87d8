import { runAdapterContract } from "../testkit/contract.ts";
import { createCodexAdapter } from "./index.ts";

runAdapterContract(createCodexAdapter());
