import { runUnverifiedContract } from "../testkit/unverified.ts";
import { createGjcAdapter } from "./index.ts";

runUnverifiedContract(createGjcAdapter(), {
  own: [
    ["bun", "bun /home/dev/.bun/install/global/node_modules/@gajae-code/coding-agent/src/cli.ts"],
    ["bun", "bun /home/dev/.bun/bin/gjc --resume"],
    ["gjc", "/usr/local/bin/gjc"],
  ],
  notOwn: [
    ["bun", "bun /home/dev/.bun/bin/gjc session list"],
    ["bun", "bun /home/dev/.bun/bin/gjc --mode rpc"],
    ["gjc", "gjc -p hello"],
    ["bash", "bash -c gjc"],
    ["vim", "vim /home/dev/.bun/bin/gjc"],
  ],
  events: ["session_start", "agent_start", "agent_end", "tool_execution_start", "auto_retry_end"],
});
