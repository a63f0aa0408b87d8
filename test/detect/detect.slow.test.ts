// The gate on all variations of the repository's own recordings but Claude Code's. That it can fail: wrongAdapters.slow.test.ts.
import { describeGate } from "./describeGate.ts";

describeGate((agent) => agent !== "claude");
