// A harness whose daemon is served on its socket, with the command line that finds it there.
import { openCommandLine, serveDaemon } from "../harness/commandLine.ts";
import { openHarness } from "./actionHarness.ts";

export const openServed = async (...options: Parameters<typeof openHarness>) => {
  const harness = await openHarness(...options);
  let stopServing = await serveDaemon(harness.daemon);
  const cli = openCommandLine(harness.daemon.paths.home);
  return {
    harness,
    cli,
    /** Another daemon on the same home; `meanwhile`: while none runs. */
    restart: async (meanwhile?: () => Promise<unknown>): Promise<void> => {
      await stopServing();
      if (meanwhile !== undefined) {
        await harness.daemon.daemon.close();
        await meanwhile();
      }
      await harness.daemon.restart();
      stopServing = await serveDaemon(harness.daemon);
    },
    close: async (): Promise<void> => {
      await cli.close();
      await stopServing();
      await harness.close();
    },
  };
};
