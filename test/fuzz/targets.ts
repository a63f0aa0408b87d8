// Every boundary that is fuzzed. A boundary that is not in this list is not fuzzed: `fuzz.slow.test.ts` holds that every adapter
// and every procedure of the routers is.
import type { FuzzTarget } from "./fuzzTarget.ts";
import { commandLineTargets } from "./targets/commandLineTargets.ts";
import { configTargets, settingsTargets } from "./targets/configTargets.ts";
import { diffTargets } from "./targets/diffTargets.ts";
import { documentTargets } from "./targets/documentTargets.ts";
import { feedTargets } from "./targets/feedTargets.ts";
import { fileTargets } from "./targets/fileTargets.ts";
import { hookTargets } from "./targets/hookTargets.ts";
import { modelTargets, processTargets } from "./targets/modelTargets.ts";
import { routerTargets } from "./targets/routerTargets.ts";
import { serverTargets, wireTargets } from "./targets/serverTargets.ts";
import { remoteShellTargets, sshTargets } from "./targets/sshTargets.ts";
import { screenTargets, tmuxTargets } from "./targets/tmuxTargets.ts";

export const TARGETS: readonly FuzzTarget[] = [
  ...hookTargets(),
  ...screenTargets(),
  ...fileTargets(),
  ...settingsTargets(),
  ...tmuxTargets(),
  ...serverTargets(),
  ...processTargets(),
  ...sshTargets(),
  ...remoteShellTargets(),
  ...modelTargets(),
  ...configTargets(),
  ...commandLineTargets(),
  ...documentTargets(),
  ...diffTargets(),
  ...feedTargets(),
  ...wireTargets(),
  ...routerTargets(),
];
