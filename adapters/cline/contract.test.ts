import { runAdapterContract } from "../testkit/contract.ts";
import { createClineAdapter } from "./index.ts";

runAdapterContract(createClineAdapter());
