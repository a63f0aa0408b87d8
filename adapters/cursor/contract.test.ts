import { runUnverifiedContract } from "../testkit/unverified.ts";
import { createCursorAdapter } from "./index.ts";

runUnverifiedContract(createCursorAdapter(), {
  own: [
    [
      "node",
      "/home/dev/.local/bin/cursor-agent --use-system-ca /home/dev/.local/share/cursor-agent/versions/2026.10.01/index.js",
    ],
    ["cursor-agent", "/home/dev/.local/bin/cursor-agent"],
  ],
  notOwn: [
    ["bash", "bash /home/dev/.local/bin/cursor-agent"],
    ["cursor-agent", "/home/dev/.local/bin/cursor-agent status"],
    ["cursor-agent", "/home/dev/.local/bin/cursor-agent -p hello"],
    ["cursor", "/usr/bin/cursor ."],
    ["vim", "vim cursor-agent"],
  ],
  events: ["sessionStart", "beforeSubmitPrompt", "postToolUse", "stop", "sessionEnd"],
});
