// The documents of a pane, as the daemon knows them.
import * as z from "zod";
import { paneDocumentSchema, type PaneDocument } from "../../core/model/paneDocument.ts";
import type { DaemonClient } from "../../core/rpc/socketClient.ts";

const answerSchema = z.array(paneDocumentSchema);

export const askDocuments = async (client: DaemonClient, ref: string): Promise<PaneDocument[]> =>
  answerSchema.parse(await client.forward("documents.ofPane", "mutation", { ref }));
