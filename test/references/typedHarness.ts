// Two watched tmux servers for references that people type, and what such a reference is taken for.
import { copyFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { agentFile } from "../harness/agentFile.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { settleOptions } from "./layout.ts";

export interface Caller {
  insideTmux: string | null;
  tmuxPane: string | null;
}
const OUTSIDE: Caller = { insideTmux: null, tmuxPane: null };

export interface TypedServers {
  /** The server that the person is in; the daemon calls it `sock`. */
  readonly near: PrivateTmux;
  /** `sock-2`. */
  readonly far: PrivateTmux;
  readonly daemon: TestDaemon;
  /** `sock %3`, or the code of the refusal. */
  readonly hitBy: (ref: string, caller?: Caller) => Promise<string>;
  readonly detailsOf: (ref: string, caller?: Caller) => Promise<readonly string[]>;
  /** A new window with an agent, once the daemon has seen it. */
  readonly openAgent: (tmux: PrivateTmux, target: string, name: string) => Promise<string>;
}

/** $TMUX as it is inside of a server. */
export const insideOf = async (tmux: PrivateTmux): Promise<string> =>
  `${tmux.socketPath},${await tmux.serverPid()},0`;

/** To be called once in a test file: the servers are new in each test, unless those of the file can share them. */
export const useTypedServers = ({ isShared = false } = {}): TypedServers => {
  const [before, after] = isShared ? [beforeAll, afterAll] : [beforeEach, afterEach];
  let near: PrivateTmux;
  let far: PrivateTmux;
  let daemon: TestDaemon;
  before(async () => {
    [near, far] = [createPrivateTmux(), createPrivateTmux()];
    for (const tmux of [near, far]) {
      await tmux.newSession("base");
      await settleOptions(tmux);
      // A program that is taken for an agent.
      copyFileSync("/bin/cat", agentFile(tmux.folder));
    }
    daemon = await startTestDaemon({ sockets: [near.socketPath, far.socketPath] });
  });
  after(async () => {
    await daemon.close();
    for (const tmux of [near, far]) await tmux.close();
  });

  const hitBy = async (ref: string, caller: Caller = OUTSIDE): Promise<string> => {
    try {
      const { identity } = await daemon.daemon.service.resolve({ ref, ...caller });
      return `${identity.tmux_server} ${identity.pane_id}`;
    } catch (error) {
      if (error instanceof AgtmuxError) return error.code;
      throw error;
    }
  };
  const detailsOf = async (ref: string, caller: Caller = OUTSIDE): Promise<readonly string[]> => {
    try {
      await daemon.daemon.service.resolve({ ref, ...caller });
    } catch (error) {
      if (error instanceof AgtmuxError) return error.details;
      throw error;
    }
    return [];
  };

  const openAgent = async (tmux: PrivateTmux, target: string, name: string): Promise<string> => {
    const command = `exec ${agentFile(tmux.folder)}`;
    const paneId = await tmux.run("new-window", "-dP", "-F", "#{pane_id}", "-n", name, "-t", target, command);
    const server = tmux === near ? "sock" : "sock-2";
    await expect
      .poll(
        () =>
          daemon.rows().find(({ identity }) => identity.tmux_server === server && identity.pane_id === paneId)
            ?.agent,
        { timeout: 5_000 },
      )
      .toBe("claude");
    return paneId;
  };

  return {
    get near() {
      return near;
    },
    get far() {
      return far;
    },
    get daemon() {
      return daemon;
    },
    hitBy,
    detailsOf,
    openAgent,
  };
};
