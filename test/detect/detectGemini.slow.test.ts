// The gate on Gemini CLI's and Qwen Code's recordings. That it can fail: wrongAdapters.slow.test.ts.
import { describeGate } from "./describeGate.ts";

describeGate("gemini", "qwen");
