import { runUnverifiedContract } from "../testkit/unverified.ts";
import { createArcaneAdapter } from "./index.ts";

runUnverifiedContract(createArcaneAdapter(), {
  own: [
    ["bun", "bun /home/dev/.bun/bin/arc"],
    ["bun", "bun /home/dev/node_modules/@nghyane/arcane/src/cli.ts --continue"],
  ],
  notOwn: [
    // Phabricator's tool, an archiver, and a compiled program: a bare name proves nothing.
    ["arc", "arc"],
    ["php", "php /opt/arcanist/bin/arc diff"],
    ["node", "node /usr/local/bin/arc"],
    ["bun", "bun /home/dev/.bun/bin/arc commit"],
    ["bun", "bun /home/dev/.bun/bin/arc --mode json"],
    ["bun", "bun arc"],
  ],
  events: ["session_start", "agent_start", "agent_end", "tool_execution_start", "auto_retry_end"],
});
