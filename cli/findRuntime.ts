// What a reference means at this moment: an agent by its runtime, so that what is armed for it never goes to what comes after it.
import { AgtmuxError } from "../core/model/errors.ts";
import type { DaemonClient } from "../core/rpc/socketClient.ts";
import type { CliContext } from "./context.ts";
import { settleRef } from "./settleRef.ts";

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

/** Fails as findPane, and with E_UNSUPPORTED for a pane without an agent. */
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
