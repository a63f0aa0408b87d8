// Several answers to one text stand in the order in which they came. The second one was written without the first, so that, merged like
// what a person typed, it would stand above it. What is kept beside a snapshot says which text it is an answer to; then the next answer
// to that text is put into what the agents know by now. Pure.
import { createHash } from "node:crypto";
import * as z from "zod";
import { pendingId } from "../files/pendingResponses.ts";

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

const answeredSchema = z.object({
  /** The hash of the text that was answered, and of the snapshot that came of it. */
  baseline: z.string(),
  snapshot: z.string(),
  /** Ids of the answers in it. */
  answers: z.array(z.string()),
});

/** Beyond that, the oldest count as not yet put in: the merge finds them in the document. */
const MAX_ANSWERS = 200;

export interface Answer {
  readonly response: string;
  readonly baseline: string;
}

/** What an answer is applied to, and merged from. */
export interface Ground {
  readonly text: string;
  /** What the agents know afterwards; null: the text with the answer. */
  readonly knows: string | null;
  /** What is to be kept beside a snapshot with this text. */
  readonly keep: (snapshot: string) => string;
}

const parse = (kept: string | null): z.infer<typeof answeredSchema> | null => {
  try {
    return answeredSchema.parse(JSON.parse(kept ?? "null"));
  } catch {
    // There is none, or it is not ours: then the answer stands where it was written.
    return null;
  }
};

/** `kept`: what is beside the snapshot `seen`; null for what is not there. */
export const groundOf = (
  { response, baseline }: Answer,
  { seen, kept }: { readonly seen: string | null; readonly kept: string | null },
): Ground => {
  const found = parse(kept);
  // The same answer with other line ends is the same.
  const id = pendingId(response.replaceAll("\r\n", "\n"), baseline);
  const isSame =
    found !== null && seen !== null && found.baseline === hashOf(baseline) && found.snapshot === hashOf(seen);
  const before = isSame ? found.answers : [];
  const isThere = before.includes(id);
  const answers = isThere ? before : [...before, id].slice(-MAX_ANSWERS);
  return {
    text: isSame && !isThere ? seen : baseline,
    knows: isSame && isThere ? seen : null,
    keep: (snapshot) =>
      `${JSON.stringify({ baseline: hashOf(baseline), snapshot: hashOf(snapshot), answers })}\n`,
  };
};
