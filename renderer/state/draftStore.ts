// Texts that were begun and not sent, one per pane. They outlive the popover's page; bounded in number, length and age.
import { z } from "zod";

export interface Draft {
  text: string;
  /** Names this very text towards the daemon, which then types it once however often it is sent. */
  key: string;
  /** Epoch ms of the last change. */
  at: number;
}

export interface DraftStoreDeps {
  /** Null where the browser keeps nothing. */
  storage: Pick<Storage, "getItem" | "setItem" | "removeItem"> | null;
  makeKey(): string;
  now(): number;
}

const STORAGE_KEY = "agtmux.drafts";
const MAX_DRAFTS = 50;
export const MAX_DRAFT_CHARACTERS = 20_000;
const MAX_AGE_MS = 7 * 86_400_000;

const storedSchema = z.array(
  z.tuple([z.string().max(2_000), z.object({ text: z.string(), key: z.string(), at: z.number() })]),
);

export class DraftStore {
  private readonly deps: DraftStoreDeps;
  private drafts: ReadonlyMap<string, Draft>;
  private readonly listeners = new Set<() => void>();

  constructor(deps: DraftStoreDeps) {
    this.deps = deps;
    this.drafts = this.read();
  }

  readonly getDrafts = (): ReadonlyMap<string, Draft> => this.drafts;
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** An empty text removes the draft. Another text gets another key. */
  write(ref: string, text: string): void {
    const drafts = new Map(this.drafts);
    drafts.delete(ref);
    if (text !== "")
      drafts.set(ref, {
        text: text.slice(0, MAX_DRAFT_CHARACTERS),
        key: this.deps.makeKey(),
        at: this.deps.now(),
      });
    this.drafts = new Map([...drafts].slice(-MAX_DRAFTS));
    this.save();
    for (const listener of this.listeners) listener();
  }

  private read(): ReadonlyMap<string, Draft> {
    try {
      const stored = storedSchema.parse(JSON.parse(this.deps.storage?.getItem(STORAGE_KEY) ?? "[]"));
      const oldest = this.deps.now() - MAX_AGE_MS;
      return new Map(stored.filter(([, { at }]) => at >= oldest));
    } catch {
      // Storage may be switched off or hold something else: there are no drafts then.
      return new Map();
    }
  }

  private save(): void {
    try {
      if (this.drafts.size === 0) this.deps.storage?.removeItem(STORAGE_KEY);
      else this.deps.storage?.setItem(STORAGE_KEY, JSON.stringify([...this.drafts]));
    } catch {
      // Only what outlives the page is lost.
    }
  }
}
