// The calls of the feature "workspaces", asked by their names: what the daemon answers is what the feature's table says.
import type { DaemonClient } from "../core/rpc/socketClient.ts";
import type {
  WorkspacesAnswer,
  WorkspacesCall,
  WorkspacesCalls,
  WorkspacesInput,
} from "../features/workspaces/calls.ts";

export const askWorkspaces = async <Name extends WorkspacesCall>(
  client: DaemonClient,
  name: Name,
  kind: WorkspacesCalls[Name]["kind"],
  input: WorkspacesInput<Name>,
): Promise<WorkspacesAnswer<Name>> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  (await client.forward(`workspaces.${name}`, kind, input)) as WorkspacesAnswer<Name>;

/** So that the rows that are asked for next say what has changed in their work trees. What cannot be looked at says so itself. */
export const lookAtWorkTrees = async (
  client: DaemonClient,
  input: WorkspacesInput<"look">,
): Promise<void> => {
  try {
    await askWorkspaces(client, "look", "mutation", input);
  } catch {
    // A daemon without this feature shows its rows without it.
  }
};
