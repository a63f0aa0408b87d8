import { runAdapterContract } from "../testkit/contract.ts";
import { createOmpAdapter } from "./index.ts";

runAdapterContract(createOmpAdapter(), {
  // It retries in silence: the screen only shows that it works.
  reasonUnseen: ["error_500"],
});
