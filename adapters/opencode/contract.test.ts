import { runAdapterContract } from "../testkit/contract.ts";
import { createOpencodeAdapter } from "./index.ts";

runAdapterContract(createOpencodeAdapter());
