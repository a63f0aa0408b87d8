// The gate on Claude Code's recordings, of which there are as many as of all others. That it can fail: wrongAdapters.slow.test.ts.
import { describeGate } from "./describeGate.ts";

describeGate((agent) => agent === "claude");
