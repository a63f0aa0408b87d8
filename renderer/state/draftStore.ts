// Unsent texts, one per pane. They outlive the popover's page; their number, length and age are bounded.
import * as z from "zod";
import { Store } from "./store.ts";
import { readStored, writeStored, type Keeper } from "./stored.ts";

export interface Draft {
  text: string;
  /** Identifies this text to the daemon, which types it once however often it is sent. */
  key: string;
  /** Epoch ms of the last change. */
  at: number;
}

export interface DraftStoreDeps {
  storage: Keeper;
  makeKey(): string;
  now(): number;
}

const STORAGE_KEY = "agtmux.drafts";
const MAX_DRAFTS = 50;
export const MAX_DRAFT_CHARACTERS = 20_000;
const MAX_AGE_MS = 7 * 86_400_000;

type Drafts = ReadonlyMap<string, Draft>;

const storedSchema = z.array(
  z.tuple([z.string().max(2_000), z.object({ text: z.string(), key: z.string(), at: z.number() })]),
);

const readDrafts = (deps: DraftStoreDeps): Drafts => {
  const oldest = deps.now() - MAX_AGE_MS;
  return new Map(
    readStored(deps.storage, STORAGE_KEY, storedSchema, []).filter(([, { at }]) => at >= oldest),
  );
};

/** By pane reference. */
export class DraftStore extends Store<Drafts> {
  private readonly deps: DraftStoreDeps;

  constructor(deps: DraftStoreDeps) {
    super(readDrafts(deps));
    this.deps = deps;
  }

  /** An empty text removes the draft. Another text gets another key. */
  write(ref: string, text: string): void {
    const drafts = new Map(this.getState());
    drafts.delete(ref);
    if (text !== "")
      drafts.set(ref, {
        text: text.slice(0, MAX_DRAFT_CHARACTERS),
        key: this.deps.makeKey(),
        at: this.deps.now(),
      });
    const kept = [...drafts].slice(-MAX_DRAFTS);
    writeStored(this.deps.storage, STORAGE_KEY, kept.length === 0 ? null : kept);
    this.set(new Map(kept));
  }
}
