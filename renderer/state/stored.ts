// Values that a window remembers after it was closed: unsent texts and comments, and the appearance, which the daemon keeps too. Where
// the browser stores nothing, they last as long as the page.
import * as z from "zod";
import { TEXT_SIZES, THEMES, type Appearance } from "../../core/model/words.ts";
import { MAX_COMMENT, MAX_COMMENTS, type LineComment } from "../../ui/text/changesText.ts";
import { Store } from "./store.ts";

// Appearance: the person's choices, and how they are applied to the document.

export const appearanceSchema = z.object({
  theme: z.enum(THEMES),
  textSize: z.literal([...TEXT_SIZES]),
});
export const DEFAULT_APPEARANCE: Appearance = { theme: "system", textSize: 100 };

/** Theme.css follows `data-theme`; everything is measured in rem. */
export const applyAppearance = (root: HTMLElement, { theme, textSize }: Appearance): void => {
  if (theme === "system") delete root.dataset["theme"];
  else root.dataset["theme"] = theme;
  root.style.fontSize = textSize === 100 ? "" : `${textSize}%`;
};

/** Null where the browser keeps nothing. */
export type Keeper = Pick<Storage, "getItem" | "setItem" | "removeItem"> | null;

/** Reading the property alone fails where storage is switched off. */
export const findStorage = (): Keeper => {
  try {
    return localStorage;
  } catch {
    return null;
  }
};

export const readStored = <T>(keeper: Keeper, key: string, schema: z.ZodType<T>, fallback: T): T => {
  try {
    const stored = keeper?.getItem(key) ?? null;
    return stored === null ? fallback : schema.parse(JSON.parse(stored));
  } catch {
    // Something else may be stored there.
    return fallback;
  }
};

/** Null removes it. */
export const writeStored = (keeper: Keeper, key: string, value: unknown): void => {
  try {
    if (value === null) keeper?.removeItem(key);
    else keeper?.setItem(key, JSON.stringify(value));
  } catch {
    // The value is then just not remembered.
  }
};

// Drafts: unsent texts, one per pane. They outlive the popover's page; their number, length and age are bounded.

interface Draft {
  text: string;
  /** Identifies this text to the daemon, which types it once however often it is sent. */
  key: string;
  /** Epoch ms of the last change. */
  at: number;
}

interface DraftStoreDeps {
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

// Comments on changed lines, which were not sent yet. They belong to a runtime: they never reach the next agent in its pane.

const COMMENTS_KEY = "agtmux.comments";
const MAX_COMMENTED = 20;

const commentsSchema = z.array(
  z.tuple([
    z.string().max(2_000),
    z
      .array(
        z.object({
          path: z.string(),
          side: z.enum(["old", "new"]),
          line: z.number().int(),
          quoted: z.string(),
          words: z.string().max(MAX_COMMENT),
        }),
      )
      .max(MAX_COMMENTS),
  ]),
);

/** By runtime. */
export class CommentStore extends Store<ReadonlyMap<string, readonly LineComment[]>> {
  private readonly keeper: Keeper;

  constructor(keeper: Keeper) {
    super(new Map(readStored(keeper, COMMENTS_KEY, commentsSchema, [])));
    this.keeper = keeper;
  }

  write(runtimeId: string, comments: readonly LineComment[]): void {
    const all = new Map(this.getState());
    all.delete(runtimeId);
    if (comments.length > 0) all.set(runtimeId, comments);
    const kept = [...all].slice(-MAX_COMMENTED);
    writeStored(this.keeper, COMMENTS_KEY, kept.length === 0 ? null : kept);
    this.set(new Map(kept));
  }
}
