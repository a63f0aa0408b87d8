// The calls of automation over the socket: by name, and typed by the feature's own table.
import type { DaemonClient } from "../core/rpc/socketClient.ts";
import type {
  AutomationAnswer,
  AutomationCall,
  AutomationCalls,
  AutomationInput,
} from "../features/automation/calls.ts";

/** What the daemon answers to a call is what the feature's table says. */
export const askAutomation = async <Name extends AutomationCall>(
  client: DaemonClient,
  name: Name,
  kind: AutomationCalls[Name]["kind"],
  input: AutomationInput<Name>,
): Promise<AutomationAnswer<Name>> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  (await client.forward(`automation.${name}`, kind, input)) as AutomationAnswer<Name>;
