// What the window remembers between starts. Everything that the daemon obeys is in config.json instead.
import Store from "electron-store";
import { prefsSchema, readPrefs, type Prefs } from "./readPrefs.ts";

export interface PrefsFile {
  read(): Prefs;
  /** A value that is left out or out of range does not change. */
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
