// The gate on Claude Code's recordings. That it can fail: wrongAdapters.slow.test.ts.
import { describeGate } from "./describeGate.ts";

describeGate("claude");
