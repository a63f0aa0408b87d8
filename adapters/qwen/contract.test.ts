import { runAdapterContract } from "../testkit/contract.ts";
import { createQwenAdapter } from "./index.ts";

runAdapterContract(createQwenAdapter());
