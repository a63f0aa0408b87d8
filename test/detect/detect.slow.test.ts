// The gate on all other agents' recordings. That it can fail: wrongAdapters.slow.test.ts.
import { describeGate } from "./describeGate.ts";

describeGate();
