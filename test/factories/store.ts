// A store in a folder of its own, for each test of a file.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { openDurableStore, type DurableStore } from "../../core/store/durableStore.ts";

/** `onOpen` gets the store, and the folder in which it is `state.db`. Gives what opens it once more, as a restart does. */
export const useStore = (now: () => number, onOpen: (store: DurableStore, root: string) => void) => {
  let root = "";
  let store: DurableStore | null = null;
  const open = (): void => {
    store = openDurableStore({ path: join(root, "state.db"), logger: SILENT_LOGGER, now });
    onOpen(store, root);
  };
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "agtmux-store-"));
    open();
  });
  afterEach(() => {
    store?.close();
    rmSync(root, { recursive: true, force: true });
  });
  return open;
};
