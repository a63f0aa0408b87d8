// Every boundary that is fuzzed. A boundary that is not in this list is not fuzzed: `fuzz.test.ts` holds that every adapter
// and every procedure of the routers is.
import type { FuzzTarget } from "./fuzzTarget.ts";
import { clientTargets } from "./targets/clientTargets.ts";
import { fileTargets } from "./targets/fileTargets.ts";
import { hookTargets } from "./targets/hookTargets.ts";
import { modelTargets } from "./targets/modelTargets.ts";
import { remoteTargets } from "./targets/remoteTargets.ts";
import { screenTargets } from "./targets/screenTargets.ts";
import { settingsTargets } from "./targets/settingsTargets.ts";
import { socketTargets } from "./targets/socketTargets.ts";
import { tmuxTargets } from "./targets/tmuxTargets.ts";

export const TARGETS: readonly FuzzTarget[] = [
  ...hookTargets(),
  ...screenTargets(),
  ...fileTargets(),
  ...settingsTargets(),
  ...tmuxTargets(),
  ...remoteTargets(),
  ...modelTargets(),
  ...clientTargets(),
  ...socketTargets(),
];
