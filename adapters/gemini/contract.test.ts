import { runAdapterContract } from "../testkit/contract.ts";
import { createGeminiAdapter } from "./index.ts";

runAdapterContract(createGeminiAdapter(), {
  // It retries in silence: no event, no word on the screen.
  reasonUnseen: ["error_429", "error_500"],
});
