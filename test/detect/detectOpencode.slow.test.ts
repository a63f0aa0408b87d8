// The gate on opencode's and Kilo's recordings. That it can fail: wrongAdapters.slow.test.ts.
import { describeGate } from "./describeGate.ts";

describeGate("opencode", "kilo");
