// Ends an outdated daemon before its successor is started. Events that hooks drop in between wait in the spool, and the
// successor goes on with the same database.
import { isOutdated } from "./outdated.ts";
import { untilFree } from "./ownership.ts";
import type { RuntimePaths } from "./paths.ts";
import { connectSocket } from "./socketClient.ts";

const HELLO_TIMEOUT_MS = 5_000;
/** A daemon's own limit for closing is 10 s; if it takes longer, the start reports that. */
const LEAVE_TIMEOUT_MS = 12_000;

/**
 * Call it only with the start lock. Then nobody else ends or starts a daemon, so the daemon that is asked to leave is the
 * outdated one, not its successor. Resolves when the home is free, or at once where no outdated daemon runs.
 */
export const makeRoom = async ({
  paths,
  version,
}: {
  paths: RuntimePaths;
  version: string;
}): Promise<void> => {
  const options = { paths, version, checkVersion: false, helloTimeoutMs: HELLO_TIMEOUT_MS };
  // No daemon runs or answers: the start itself will report what is wrong.
  const client = await connectSocket(options).catch(() => null);
  if (client === null) return;
  try {
    if (!isOutdated(client.hello, version)) return;
    // The daemon may be leaving by itself at this moment.
    await client.call((api) => api.shutdown.mutate()).catch(() => {});
  } finally {
    client.close();
  }
  await untilFree(paths.home, LEAVE_TIMEOUT_MS);
};
