// The documents of a pane, as the daemon knows them.
import type { PaneDocument } from "../../core/model/paneDocument.ts";
import type { DaemonClient } from "../../core/rpc/socketClient.ts";

export const askDocuments = async (client: DaemonClient, ref: string): Promise<readonly PaneDocument[]> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the daemon answers what the feature's table says
  (await client.forward("documents.ofPane", "mutation", { ref })) as PaneDocument[];
