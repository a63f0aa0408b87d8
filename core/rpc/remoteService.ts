// Another process's daemon as a service of this one, so that a host that is only a client (`agtmux ui`, the desktop app
// beside a headless daemon) can serve the same router to its own surface. Nothing is kept: every call goes through.
import { CALLS, type CallName, type ReachableService } from "../api/calls.ts";
import type { DaemonClient } from "./socketClient.ts";

/** Every method fails as the daemon does, or with E_DAEMON_UNAVAILABLE when it is gone. The client stays the caller's to close. */
export const createRemoteService = (client: DaemonClient): ReachableService => {
  const calls = Object.entries(CALLS).map(([name, { kind }]) => [
    name,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a key of the table
    (input: unknown) => client.forward(name as CallName, kind, input),
  ]);
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one method for each name of the table
    ...(Object.fromEntries(calls) as Pick<ReachableService, CallName>),
    hello: () => client.hello,
    feed: (options, signal) => client.feed(options, signal),
    notices: (signal) => client.notices(signal),
  };
};
