// What the tests of actions share: a private tmux server with a daemon that watches it, and requests as a surface makes them.
import { actionGuardsSchema, type ActionGuards } from "../../core/model/snapshot.ts";
import type { DaemonService } from "../../core/api/calls.ts";
import type { PaneView } from "../../core/model/view.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";

export interface Harness {
  readonly tmux: PrivateTmux;
  readonly daemon: TestDaemon;
  readonly service: DaemonService;
  /** A new window that runs `command`, once the daemon lists it; gives its row. */
  open(command: string): Promise<PaneView>;
  request(
    row: PaneView,
    guards?: Partial<ActionGuards>,
  ): { ref: string; guards: ActionGuards; surface: string };
  screen(paneId: string): Promise<string>;
  close(): Promise<void>;
}

/** `env`: for the daemon, beside what the tests run with. */
export const openHarness = async (env: NodeJS.ProcessEnv = {}): Promise<Harness> => {
  const tmux = createPrivateTmux();
  await tmux.run("new-session", "-d", "-s", "base", "-x", "120", "-y", "40", "exec cat");
  const daemon = await startTestDaemon({ sockets: [tmux.socketPath], env });
  return {
    tmux,
    daemon,
    get service() {
      return daemon.daemon.service;
    },
    open: async (command) => {
      const paneId = await tmux.run("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "base:", command);
      return daemon.until(paneId, () => true);
    },
    request: (row, guards = {}) => ({
      ref: row.identity.pane_ref,
      guards: { ...actionGuardsSchema.parse({}), ...guards },
      surface: "test",
    }),
    screen: (paneId) => tmux.run("capture-pane", "-p", "-J", "-t", paneId),
    close: async () => {
      await daemon.close();
      await tmux.close();
    },
  };
};
