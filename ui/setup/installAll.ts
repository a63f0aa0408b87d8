// The one button of set-up: hooks for every agent that was shown, one after another. What an agent's settings would change by now
// must be what the person was shown; one that fails does not stop the others.
import type { IntegrationReport, SetupAgent } from "../../core/model/integrationView.ts";
import { AgtmuxError } from "../../core/model/errors.ts";

export interface InstallOutcome {
  agent: string;
  name: string;
  backups: readonly string[];
  /** Why nothing was done; null: it is installed. */
  problem: string | null;
}

/** `repair` installs what is missing, too. */
export type ChangeIntegration = (input: {
  agent: string;
  action: "repair";
  dryRun: boolean;
}) => Promise<IntegrationReport>;

const sentenceOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error instanceof AgtmuxError ? `${error.message}. ${error.remedy}` : error.message;
};

const installOne = async ({ agent, changes }: SetupAgent, change: ChangeIntegration) => {
  const now = await change({ agent, action: "repair", dryRun: true });
  if (JSON.stringify(now.changes) !== JSON.stringify(changes))
    return { backups: [], problem: "Its settings changed meanwhile, so nothing was done: look again." };
  const { backups } = await change({ agent, action: "repair", dryRun: false });
  return { backups, problem: null };
};

/** Never rejects: every agent has its outcome. */
export const installAll = async (
  shown: readonly SetupAgent[],
  change: ChangeIntegration,
): Promise<InstallOutcome[]> => {
  const outcomes: InstallOutcome[] = [];
  for (const one of shown) {
    const { agent, name } = one;
    try {
      outcomes.push({ agent, name, ...(await installOne(one, change)) });
    } catch (error) {
      outcomes.push({ agent, name, backups: [], problem: sentenceOf(error) });
    }
  }
  return outcomes;
};
