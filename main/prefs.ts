// What the window remembers between starts, and nothing that the daemon obeys: that is in config.json.
import Store from "electron-store";
import { prefsSchema, readPrefs, type Prefs } from "./readPrefs.ts";

export interface PrefsFile {
  read(): Prefs;
  /** What is left out, or out of range, stays. */
  write(change: Partial<Prefs>): void;
}

/** `<userData>/window.json`. */
export const openPrefs = (): PrefsFile => {
  const store = new Store<Record<string, unknown>>({ name: "window", clearInvalidConfig: true });
  return {
    read: () => readPrefs(store.store, process.platform),
    write: (change) => {
      const parsed = prefsSchema.partial().safeParse(change);
      if (parsed.success) store.set(parsed.data);
    },
  };
};
