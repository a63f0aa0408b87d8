// A store on an empty file of its own for each test.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";

/** `set` gets the store of each test, and the one that `reopen` opens on the same file. The file goes with the run. */
export const useStore = <S extends { close(): void }>(open: (path: string) => S, set: (store: S) => void) => {
  let path = "";
  let store: S;
  const use = (): void => {
    store = open(path);
    set(store);
  };
  beforeEach(() => {
    path = join(mkdtempSync(join(tmpdir(), "agtmux-store-")), "state.db");
    use();
  });
  afterEach(() => store.close());
  return {
    file: () => path,
    /** `meanwhile` happens to the closed file. */
    reopen: (meanwhile: (path: string) => void = () => {}): void => {
      store.close();
      meanwhile(path);
      use();
    },
  };
};
