// What an agent asks now, for a rule that would answer it: to the letter, as an event of the agent told it.
import type { PromptRequest } from "./request.ts";

export interface ToldRequest {
  readonly runtimeId: string;
  readonly stateVersion: number;
  /** Names this asking of it; null: it cannot be answered now. */
  readonly fingerprint: string | null;
  readonly kind: PromptRequest["kind"];
  readonly toolName: string | null;
  /** The command, where it is about one. Never redacted: it goes to the rules and nowhere else. */
  readonly command: string | null;
  /** The file of an edit; several on lines of their own. Null where it is about none, or is not told. */
  readonly file: string | null;
  /** In which the command runs where its event tells that, else the one that the agent's events named last. */
  readonly folder: string | null;
  /** Why it must not be approved by a rule, after "because"; null: nothing speaks against it. */
  readonly doubt: string | null;
}
