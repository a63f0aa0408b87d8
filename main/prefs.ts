// What the window remembers between starts, and nothing that the daemon obeys: that is in config.json. A file that does
// not read as expected counts as empty.
import Store from "electron-store";
import { z } from "zod";

export const MIN_POPOVER_HEIGHT = 320;
export const MAX_POPOVER_HEIGHT = 1_600;
const DEFAULT_POPOVER_HEIGHT = 600;

const prefsSchema = z.object({
  /** Points. */
  popoverHeight: z.number().int().min(MIN_POPOVER_HEIGHT).max(MAX_POPOVER_HEIGHT),
});
export type Prefs = z.infer<typeof prefsSchema>;

export interface PrefsFile {
  read(): Prefs;
  /** Keeps the present value when the new one is out of range. */
  write(prefs: Prefs): void;
}

/** `<userData>/window.json`. */
export const openPrefs = (): PrefsFile => {
  const store = new Store<Record<string, unknown>>({ name: "window", clearInvalidConfig: true });
  return {
    read: () => {
      const parsed = prefsSchema.safeParse(store.store);
      return parsed.success ? parsed.data : { popoverHeight: DEFAULT_POPOVER_HEIGHT };
    },
    write: (prefs) => {
      const parsed = prefsSchema.safeParse(prefs);
      if (parsed.success) store.set(parsed.data);
    },
  };
};
