// What a plugin of ours had to cut of the texts that it hands on (eventWriterSource.ts).
import { fieldOf, type Payload } from "./payload.ts";
import type { RequestFields } from "./promptRequest.ts";

/** Plugins that were installed before they said so cut texts to this length. */
const SILENT_CUT = 4_000;

const isSilentlyCut = (text: string | null | undefined): boolean => text?.length === SILENT_CUT;

/** The request, which is not whole where the plugin cut the payload that tells it. */
export const asHandedOn = (payload: Payload, fields: RequestFields): RequestFields =>
  fieldOf(payload, "isCut") === true || isSilentlyCut(fields.body) || isSilentlyCut(fields.content)
    ? { ...fields, isWhole: false, hasMore: true }
    : fields;
