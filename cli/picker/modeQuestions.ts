// Questions to the daemon for a mode of the picker that shows what no feed brings: an answer is shown only if the person still looks
// and asked for nothing else since.
import type { DaemonClient } from "../../core/rpc/socketClient.ts";
import { displaySentence } from "../../ui/text/displayText.ts";
import { toFailure } from "../failure.ts";

export interface ModeQuestionsDeps<Shown> {
  /** The daemon of now; null while there is none. */
  readonly client: () => DaemonClient | null;
  /** The mode as it is now; null once the person left it. */
  readonly current: () => Shown | null;
  readonly put: (mode: Shown) => void;
}

export class ModeQuestions<Shown extends { readonly problem: string | null }> {
  private readonly deps: ModeQuestionsDeps<Shown>;
  /** An answer to an older question is dropped. */
  private asked = 0;

  constructor(deps: ModeQuestionsDeps<Shown>) {
    this.deps = deps;
  }

  async ask<T>(
    question: (client: DaemonClient) => Promise<T>,
    take: (answer: T, mode: Shown) => Shown,
  ): Promise<void> {
    this.asked += 1;
    const mine = this.asked;
    const current = (): Shown | null => (mine === this.asked ? this.deps.current() : null);
    try {
      const client = this.deps.client();
      if (client === null) throw new Error("the daemon is gone");
      const answer = await question(client);
      const mode = current();
      if (mode !== null) this.deps.put({ ...take(answer, mode), problem: null });
    } catch (error) {
      const mode = current();
      if (mode !== null) this.deps.put({ ...mode, problem: displaySentence(toFailure(error).message) });
    }
  }
}
