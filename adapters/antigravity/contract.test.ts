import { runUnverifiedContract } from "../testkit/unverified.ts";
import { createAntigravityAdapter } from "./index.ts";

runUnverifiedContract(createAntigravityAdapter(), {
  own: [
    ["agy", "agy"],
    ["agy", "/home/dev/.local/bin/agy --continue"],
    ["agy", "agy --model gemini-3.6-flash -i say what -p and --print mean"],
    ["agy", "agy --conversation 6f9b8c1e"],
  ],
  notOwn: [
    ["agy", "agy -p hello"],
    ["agy", "agy --output-format stream-json"],
    ["agy", "agy plugin install x"],
    ["agy", "agy --version"],
    ["bash", "bash /usr/bin/agy ."],
    ["agyw", "agyw"],
    ["vim", "vim agy"],
    ["antigravity", "/usr/share/antigravity/antigravity --type=renderer"],
  ],
  events: [],
});
