// Agents of which the daemon does not know how a turn is stopped. Asked once per connection.
import { useEffect, useState } from "react";
import type { Api } from "../connection/connectHost.ts";

const NONE: ReadonlySet<string> = new Set();

export const useUninterruptible = (api: Api, isConnected: boolean): ReadonlySet<string> => {
  const [agents, setAgents] = useState(NONE);
  useEffect(() => {
    if (!isConnected) return;
    const aborter = new AbortController();
    api.adapters.query(undefined, { signal: aborter.signal }).then(
      ({ items }) =>
        setAgents(
          new Set(
            items
              .filter(({ capabilities }) => capabilities["supports_interrupt"] === false)
              .map((item) => item.agent_type),
          ),
        ),
      // An older daemon, or one that went away: the daemon itself refuses what it cannot do.
      () => {},
    );
    return () => aborter.abort();
  }, [api, isConnected]);
  return agents;
};
