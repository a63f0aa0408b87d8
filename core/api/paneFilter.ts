// Which rows a list's filters let through. `--target-session <target>/<session>`: the session percent-encoded as in references, the server optional after a colon.
import { AgtmuxError } from "../model/errors.ts";
import { needsAction } from "../model/state.ts";
import type { PaneView } from "../model/view.ts";
import type { ListFilters } from "./service.ts";

interface SessionFilter {
  target: string;
  /** Null: any tmux server of the target. */
  server: string | null;
  session: string;
}

const resolveSessionFilter = (text: string): SessionFilter => {
  const slash = text.indexOf("/");
  if (slash <= 0 || slash === text.length - 1)
    throw new AgtmuxError("E_USAGE", `'${text.slice(0, 200)}' is not <target>/<session>`);
  const [target = "", server = null] = text.slice(0, slash).split(":");
  const encoded = text.slice(slash + 1);
  try {
    return { target, server, session: decodeURIComponent(encoded) };
  } catch {
    // Not percent-encoded: a person typed the name as it is.
    return { target, server, session: encoded };
  }
};

/** All filters combine with and. @throws AgtmuxError E_USAGE for a target session without its slash. */
export const matchesFilters = (pane: PaneView, filters: ListFilters): boolean => {
  const { identity } = pane;
  if (filters.target !== undefined && identity.target !== filters.target) return false;
  if (filters.session !== undefined && ![identity.session_name, ...pane.also_in].includes(filters.session))
    return false;
  if (filters.targetSession !== undefined) {
    const wanted = resolveSessionFilter(filters.targetSession);
    const isServer = wanted.server === null || wanted.server === identity.tmux_server;
    if (
      identity.target !== wanted.target ||
      !isServer ||
      ![identity.session_name, ...pane.also_in].includes(wanted.session)
    )
      return false;
  }
  if (filters.state !== undefined && pane.state !== filters.state) return false;
  if (filters.agent !== undefined && pane.agent !== filters.agent) return false;
  if (filters.needsAction === true && (pane.state === null || !needsAction(pane.state))) return false;
  return true;
};
