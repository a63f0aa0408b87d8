// The popover on a scripted daemon for the tests of its actions: agents in every state, one prompt of each kind.
import { expect, vi } from "vitest";
import type { PaneView } from "../../core/model/view.ts";
import type { FakeDaemon } from "../../test/fakes/fakeDaemon.ts";
import { usePopovers, WAIT } from "../launchers/popovers.ts";
import { askingScene, mixedScene, mixedTargets } from "../scenes/scenes.ts";
import type { PopoverPage } from "./popover.ts";

/** Selects a row without expanding it. */
export const select = async ({ popover }: { popover: PopoverPage }, name: string) => {
  // Rows far below the window are not in the document.
  if ((await popover.row(name).count()) === 0) await popover.scrollTo(1e6);
  await popover.row(name).focus();
};

export const asked = (daemon: FakeDaemon, count: number) =>
  vi.waitFor(() => {
    expect(daemon.asked).toHaveLength(count);
    return daemon.asked;
  }, WAIT);

/** To be called once, at the top of a test file. */
export const useActions = () => {
  const popovers = usePopovers();
  const start = async (panes: readonly PaneView[], firstRow: string) => {
    const started = await popovers.start(panes);
    started.daemon.setTargets(mixedTargets());
    await started.popover.row(firstRow).waitFor();
    return started;
  };
  const startMixed = () => start(mixedScene(Date.now()), "refunds");
  return {
    popovers,
    startMixed,
    startAsking: () => start(askingScene(Date.now()), "diff"),
    /** In the reply to an agent that is done. */
    startReply: async () => {
      const started = await startMixed();
      await select(started, "docs");
      await started.popover.press("r");
      await started.popover.replyBox.waitFor();
      return started;
    },
  };
};
