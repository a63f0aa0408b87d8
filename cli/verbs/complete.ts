// `agtmux __complete <kind> [prefix]`: what the completion scripts ask while a person types. It never starts a daemon, prints
// nothing but candidates, and ends soon whatever the daemon does.
import type { AdapterList } from "../../core/model/adapterView.ts";
import { formatTarget } from "../../core/model/shortRef.ts";
import { STATE_WORDS } from "../../core/model/words.ts";
import { placeIdOf } from "../../core/model/shortRef.ts";
import type { PaneList, PaneView, TargetView } from "../../core/model/view.ts";
import { queryDocument } from "../../core/rpc/queryDocument.ts";
import type { LiveKind } from "../parse/values.ts";
import type { CliContext } from "../command/context.ts";
import { cleanLine } from "../render/clean.ts";

/** Time limit, because a shell waits for this: longer than a busy machine needs, shorter than a person's patience. */
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

/**
 * The reference that a list shows, and the other forms once somebody begins to type one: a place, an id, and the long form that is
 * for scripts. Where several tmux servers are watched, a form without the machine may fit more than one pane.
 */
const refCandidates = (panes: readonly PaneView[], prefix: string): Candidate[] => {
  const servers = new Set(panes.map(({ identity }) => formatTarget(identity.target, identity.tmux_server)));
  return panes.flatMap((pane) => {
    const { pane_ref, pane_id, session_name } = pane.identity;
    const bare =
      pane_id === null
        ? [placeIdOf(pane)]
        : [pane_id, `${session_name}:${pane.window_index}.${pane.pane_index}`];
    const others = prefix === "" ? [] : [...(servers.size > 1 ? [] : bare), pane_ref];
    const says = describe(pane);
    return [pane.short_ref, ...others].map((value) => ({ value, says }));
  });
};

const paneCandidates = (kind: LiveKind, panes: readonly PaneView[], prefix: string): Candidate[] => {
  const runtimes = panes.flatMap((pane) =>
    pane.identity.runtime_id === null ? [] : [{ id: pane.identity.runtime_id, says: describe(pane) }],
  );
  if (kind === "runtimes") return runtimes.map(({ id, says }) => ({ value: id, says }));
  if (kind === "refs")
    return [
      ...refCandidates(panes, prefix),
      ...runtimes.map(({ id, says }) => ({ value: `runtime:${id}`, says })),
    ];
  return panes.map(({ identity: { target, session_name } }) => ({
    value: kind === "sessions" ? session_name : `${target}/${session_name}`,
    says: kind === "sessions" ? `session on ${target}` : "",
  }));
};

/** The daemon's answer, which is trusted as everywhere; null without one. */
const askDaemon = async (context: CliContext, path: string, input: unknown): Promise<string | null> => {
  const document = await queryDocument({
    paths: context.paths(),
    path,
    input,
    version: null,
    timeoutMs: LIMIT_MS,
  });
  return document === null ? null : document.toString();
};

const candidatesOf = async (context: CliContext, kind: LiveKind, prefix: string): Promise<Candidate[]> => {
  switch (kind) {
    case "agents": {
      const text = await askDaemon(context, "adapters", undefined);
      const list: AdapterList | null = text === null ? null : JSON.parse(text);
      return (list?.items ?? []).map(({ agent_type, display_name }) => ({
        value: agent_type,
        says: display_name,
      }));
    }
    case "targets": {
      const text = await askDaemon(context, "targets", undefined);
      const targets: TargetView[] = text === null ? [] : JSON.parse(text);
      return targets.map(({ target, health }) => ({ value: target, says: health }));
    }
    case "sessions":
    case "target-sessions":
    case "refs":
    case "runtimes": {
      const text = await askDaemon(context, "panes", {});
      const list: PaneList | null = text === null ? null : JSON.parse(text);
      return paneCandidates(kind, list?.items ?? [], prefix);
    }
  }
};

/** One line per candidate: the value, a tab and a description. A name with control characters cannot be typed and is left out. */
const render = (candidates: readonly Candidate[], prefix: string): string => {
  const lines = new Map<string, string>();
  for (const { value, says } of candidates)
    if (value.startsWith(prefix) && value !== "" && cleanLine(value) === value && !lines.has(value))
      lines.set(value, `${value}\t${cleanLine(says)}\n`);
  return [...lines.values()].join("");
};

export const runComplete = async (context: CliContext, kind: LiveKind, prefix: string): Promise<void> => {
  try {
    context.print(render(await candidatesOf(context, kind, prefix), prefix));
  } catch {
    // An error in the middle of a line that is being typed helps nobody, so then there are no candidates.
  }
};
