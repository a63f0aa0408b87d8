// Restarts a script under a Node that is new enough, as its npm script would have started it. Import it before anything that
// needs a new Node; this file itself runs on old ones.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const NEEDED = 24;

if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  const finder = fileURLToPath(new URL("./withNode.sh", import.meta.url));
  const { status } = spawnSync("sh", [finder, ...process.argv.slice(1)], { stdio: "inherit" });
  process.exit(status ?? 1);
}
