// A home whose daemon is a scripted one in this process: the app that is started there joins it, and the test sees who
// follows its feed.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRouter } from "../../core/api/router.ts";
import type { DaemonService } from "../../core/api/calls.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { tryOwn } from "../../core/rpc/ownership.ts";
import { ensureHome, runtimePaths } from "../../core/rpc/paths.ts";
import { startSocketServer } from "../../core/rpc/socketServer.ts";
import { FAKE_FEATURES } from "../../test/fakes/fakeFeatures.ts";

export interface FakeHome {
  /** Runtime home of agtmux. */
  readonly home: string;
  /** HOME of the person. */
  readonly folder: string;
  close(): Promise<void>;
}

export const openFakeHome = async (daemon: DaemonService): Promise<FakeHome> => {
  const folder = mkdtempSync(join(tmpdir(), "agtmux-fake-"));
  const paths = runtimePaths(join(folder, "home"));
  ensureHome(paths);
  const owner = tryOwn(paths.home);
  if (owner === null) throw new Error(`${paths.home} is taken`);
  const server = await startSocketServer({
    paths,
    owner,
    router: createRouter(daemon, FAKE_FEATURES),
    version: "test",
    logger: SILENT_LOGGER,
  });
  return {
    home: paths.home,
    folder,
    close: async () => {
      await server.close();
      owner.release();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
