// `agtmux __complete <kind> [prefix]`: what the completion scripts ask while a person types. It never starts a daemon, never
// says anything but candidates, and is over soon whatever the daemon does.
import { STATE_WORDS } from "../../core/model/words.ts";
import type { PaneView } from "../../core/model/view.ts";
import { connectSocket, type DaemonClient } from "../../core/rpc/socketClient.ts";
import type { LiveKind } from "../completion/kinds.ts";
import type { CliContext } from "../context.ts";
import { cleanLine } from "../render/clean.ts";

/** A shell waits for this: longer than a busy machine needs, shorter than patience lasts. */
const LIMIT_MS = 2_000;

interface Candidate {
  readonly value: string;
  readonly says: string;
}

const describe = ({ agent_name, state, identity }: PaneView): string =>
  [
    agent_name ?? "no agent",
    ...(state === null ? [] : [STATE_WORDS[state]]),
    `in ${identity.session_name}`,
  ].join(", ");

const paneCandidates = (kind: LiveKind, panes: readonly PaneView[]): Candidate[] => {
  const runtimes = panes.flatMap((pane) =>
    pane.identity.runtime_id === null ? [] : [{ id: pane.identity.runtime_id, says: describe(pane) }],
  );
  if (kind === "runtimes") return runtimes.map(({ id, says }) => ({ value: id, says }));
  if (kind === "refs")
    return [
      ...panes.map((pane) => ({ value: pane.identity.pane_ref, says: describe(pane) })),
      ...runtimes.map(({ id, says }) => ({ value: `runtime:${id}`, says })),
    ];
  return panes.map(({ identity: { target, session_name } }) => ({
    value: kind === "sessions" ? session_name : `${target}/${session_name}`,
    says: kind === "sessions" ? `session on ${target}` : "",
  }));
};

const candidatesOf = async (kind: LiveKind, client: DaemonClient): Promise<Candidate[]> => {
  switch (kind) {
    case "agents": {
      const { items } = await client.call((api) => api.adapters.query());
      return items.map(({ agent_type, display_name }) => ({ value: agent_type, says: display_name }));
    }
    case "targets": {
      const targets = await client.call((api) => api.targets.query());
      return targets.map(({ target, health }) => ({ value: target, says: health }));
    }
    case "sessions":
    case "target-sessions":
    case "refs":
    case "runtimes": {
      const { items } = await client.call((api) => api.panes.query({}));
      return paneCandidates(kind, items);
    }
  }
};

/** One line per candidate: the value, a tab and what it is. A name with control characters cannot be typed and is left out. */
const render = (candidates: readonly Candidate[], prefix: string): string => {
  const lines = new Map<string, string>();
  for (const { value, says } of candidates)
    if (value.startsWith(prefix) && value !== "" && cleanLine(value) === value && !lines.has(value))
      lines.set(value, `${value}\t${cleanLine(says)}\n`);
  return [...lines.values()].join("");
};

export const runComplete = async (context: CliContext, kind: LiveKind, prefix: string): Promise<void> => {
  let client: DaemonClient | null = null;
  const limit = setTimeout(() => client?.close(), LIMIT_MS);
  try {
    const { version } = context;
    client = await connectSocket({
      paths: context.paths(),
      version,
      checkVersion: true,
      helloTimeoutMs: LIMIT_MS,
    });
    context.print(render(await candidatesOf(kind, client), prefix));
  } catch {
    // Nobody reads an error in the middle of a line that is being typed: no candidates is the answer.
  } finally {
    clearTimeout(limit);
    client?.close();
  }
};
