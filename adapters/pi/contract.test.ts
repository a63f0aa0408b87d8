import { runAdapterContract } from "../testkit/contract.ts";
import { createPiAdapter } from "./index.ts";

runAdapterContract(createPiAdapter());
