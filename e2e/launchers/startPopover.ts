// The popover in Chromium over a daemon that starts agents on a real tmux, for the tests of one file.
import { afterAll, beforeAll } from "vitest";
import { openStartHarness, type StartHarness } from "../../test/workspaces/startHarness.ts";
import type { BrowserPopover } from "./browser.ts";
import { shareStage } from "./popovers.ts";

export const START_LIMIT_MS = 60_000;

export interface StartPopover {
  /** Once the tests run. */
  readonly harness: StartHarness;
  /** The popover over it, as on a page of its own. */
  open(): Promise<BrowserPopover>;
}

export const useStartPopover = (prepare: (harness: StartHarness) => Promise<void>): StartPopover => {
  const stage = shareStage();
  let harness: StartHarness | null = null;
  const opened = (): StartHarness => {
    if (harness === null) throw new Error("it is opened before the first test");
    return harness;
  };
  beforeAll(async () => {
    harness = await openStartHarness();
    await prepare(harness);
  }, START_LIMIT_MS);
  afterAll(() => harness?.close(), START_LIMIT_MS);
  return {
    get harness() {
      return opened();
    },
    open: () => stage.show({ daemon: { home: opened().daemon.paths.home } }),
  };
};
