import { runAdapterContract } from "../testkit/contract.ts";
import { createClaudeAdapter } from "./index.ts";

runAdapterContract(createClaudeAdapter());
