// Ends an outdated daemon for whoever is about to start its successor. What hooks drop in between waits in the spool, and
// the successor goes on from the same database.
import { isOutdated } from "./outdated.ts";
import { untilFree } from "./ownership.ts";
import type { RuntimePaths } from "./paths.ts";
import { connectSocket } from "./socketClient.ts";

const HELLO_TIMEOUT_MS = 5_000;
/** Its own limit for closing is 10 s; what takes longer is found by the start. */
const LEAVE_TIMEOUT_MS = 12_000;

/**
 * Call it only with the start lock: then nobody else ends or starts a daemon, and the one that is asked to leave is the
 * outdated one and not its successor. Resolves when the home is free, or at once where no outdated daemon runs.
 */
export const makeRoom = async ({
  paths,
  version,
}: {
  paths: RuntimePaths;
  version: string;
}): Promise<void> => {
  const options = { paths, version, checkVersion: false, helloTimeoutMs: HELLO_TIMEOUT_MS };
  // No daemon runs, or none answers: the start itself reports what is wrong.
  const client = await connectSocket(options).catch(() => null);
  if (client === null) return;
  try {
    if (!isOutdated(client.hello, version)) return;
    // It may be leaving by itself just now.
    await client.call((api) => api.shutdown.mutate()).catch(() => {});
  } finally {
    client.close();
  }
  await untilFree(paths.home, LEAVE_TIMEOUT_MS);
};
