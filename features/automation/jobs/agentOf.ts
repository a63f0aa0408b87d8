// The agent that a job is bound to, as it is when the job is armed.
import { AgtmuxError } from "../../../core/model/errors.ts";
import type { SendJob } from "../../../core/model/job.ts";
import type { PaneView } from "../../../core/model/view.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";

/** @throws AgtmuxError E_REF_NOT_FOUND where no such agent is there (any more). */
export const findAgent = (
  context: Pick<FeatureContext, "rows">,
  runtimeId: string,
): { agent: SendJob["agent"]; row: PaneView } => {
  const row = context.rows.all().find(({ identity }) => identity.runtime_id === runtimeId);
  if (row === undefined || row.agent === null)
    throw new AgtmuxError("E_REF_NOT_FOUND", "that agent is not there any more; nothing was armed");
  return { agent: { runtimeId, identity: row.identity, agentName: row.agent_name }, row };
};
