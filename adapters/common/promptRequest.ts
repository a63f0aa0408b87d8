// A request of the person that is built field by field: what an agent does not tell is null or empty.
import type { PromptRequest } from "../../core/model/request.ts";

export type RequestFields = Partial<PromptRequest> & Pick<PromptRequest, "kind" | "title">;

export const promptRequest = (fields: RequestFields): PromptRequest => ({
  body: null,
  toolName: null,
  options: [],
  expiresAt: null,
  ...fields,
});
