// Who answers a call of the page: the app for everything that belongs to the window, even without a daemon, and the daemon for
// the rest.
import { DESKTOP_PREFIX } from "../core/api/desktopRouter.ts";
import type { ProcedureCaller, ProcedureRequest } from "../core/rpc/messageBridge.ts";

export const createPageCaller = (parts: {
  desktop: ProcedureCaller;
  daemon: ProcedureCaller;
}): ProcedureCaller => {
  const callerOf = ({ path }: ProcedureRequest): ProcedureCaller =>
    path.startsWith(DESKTOP_PREFIX) ? parts.desktop : parts.daemon;
  return {
    call: (request) => callerOf(request).call(request),
    toErrorShape: (error, request) => callerOf(request).toErrorShape(error, request),
  };
};
