// From what a person typed to the reference that the daemon acts on, and to the pane or the runtime that it means now. A long
// reference goes to the daemon as it is; a short one is looked up first, so that what acts is bound to one pane by its ids, and the
// person reads which one it was taken for.
import { isTypedRef } from "../../core/model/shortRef.ts";
import type { PaneView } from "../../core/model/view.ts";
import { withDaemon, type CliContext, type DaemonClient } from "./context.ts";
import { cleanLine } from "../render/clean.ts";
import { AgtmuxError } from "../../core/model/errors.ts";

/** `work:1.0 (host/%12)` or `work:1.0 (host/%12, inside ssh)`, for questions and messages; its names are not cleaned. */
export const placeOf = (pane: PaneView): string => {
  const { identity, background, short_ref, window_index, pane_index, inside } = pane;
  if (background !== null) return `the background (${short_ref})`;
  const where = inside === null ? short_ref : `${short_ref}, inside ${inside}`;
  return `${identity.session_name}:${window_index}.${pane_index} (${where})`;
};

const describe = (pane: PaneView): string => `${pane.agent_name ?? "no agent"} in ${placeOf(pane)}`;

/**
 * `says`: whether a line on stderr tells what a short reference was taken for, as everything does that acts.
 * @throws AgtmuxError E_REF_INVALID, E_REF_NOT_FOUND, E_REF_AMBIGUOUS (with the candidates).
 */
export const settleRef = async (
  context: CliContext,
  client: DaemonClient,
  { ref, says }: { ref: string; says: boolean },
): Promise<string> => {
  if (!isTypedRef(ref)) return ref;
  const { TMUX: insideTmux = null, TMUX_PANE: tmuxPane = null } = context.env;
  const pane = await client.call((api) => api.resolve.query({ ref, insideTmux, tmuxPane }));
  if (says) context.stderr.write(`agtmux: ${cleanLine(`'${ref}' is ${describe(pane)}`)}\n`);
  return pane.identity.pane_ref;
};

/** Connects, settles the reference, runs `work` with it, and closes the connection whatever happens. */
export const withRef = <T>(
  context: CliContext,
  typed: { ref: string; says: boolean },
  work: (client: DaemonClient, ref: string) => Promise<T>,
): Promise<T> => withDaemon(context, async (client) => work(client, await settleRef(context, client, typed)));

/** `runtimeId` null: there is no agent in that pane. Fails with E_REF_NOT_FOUND, E_REF_AMBIGUOUS. */
export const findPane = async (
  context: CliContext,
  client: DaemonClient,
  asked: { ref: string; says: boolean },
): Promise<{ runtimeId: string | null; paneRef: string }> => {
  const ref = await settleRef(context, client, asked);
  const { pane } = await client.call((api) => api.explain.query({ ref }));
  return { runtimeId: pane.identity.runtime_id, paneRef: pane.identity.pane_ref };
};

/** By its runtime, what is armed for an agent never goes to the next one. Fails as findPane; E_UNSUPPORTED without an agent. */
export const findRuntime = async (
  context: CliContext,
  client: DaemonClient,
  asked: { ref: string; says: boolean },
): Promise<string> => {
  const { runtimeId, paneRef } = await findPane(context, client, asked);
  if (runtimeId !== null) return runtimeId;
  throw new AgtmuxError("E_UNSUPPORTED", `there is no agent in ${paneRef}`, {
    remedy: "Name a pane in which one runs: see 'agtmux list'.",
  });
};
