// What the tests of actions share: a private tmux server with a daemon that watches it, and requests as a surface makes them.
import { fileURLToPath } from "node:url";
import { type AnswerChoice, actionGuardsSchema, type ActionGuards } from "../../core/model/action.ts";
import type { DaemonService } from "../../core/api/calls.ts";
import { createSystemClock } from "../../core/daemon/systemClock.ts";
import type { PaneView } from "../../core/model/view.ts";
import type { Clock } from "../../core/ports/clock.ts";
import { expect, vi } from "vitest";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer, type Player } from "../player/player.ts";

export const recordings = (agent: string): string =>
  fileURLToPath(new URL(`../fixtures/recordings/${agent}`, import.meta.url));

export interface Harness {
  readonly tmux: PrivateTmux;
  readonly daemon: TestDaemon;
  readonly service: DaemonService;
  /** A new window that runs `command`, once the daemon lists it; gives its row. */
  open(command: string): Promise<PaneView & { identity: { pane_id: string } }>;
  request(
    row: PaneView,
    guards?: Partial<ActionGuards>,
  ): { ref: string; guards: ActionGuards; surface: string };
  screen(paneId: string): Promise<string>;
  close(): Promise<void>;
}

const request: Harness["request"] = (row, guards = {}) => ({
  ref: row.identity.pane_ref,
  guards: { ...actionGuardsSchema.parse({}), ...guards },
  surface: "test",
});

/** `env`: for the daemon, beside what the tests run with. */
export const openHarness = async (
  env: NodeJS.ProcessEnv = {},
  clock: Clock = createSystemClock(),
): Promise<Harness> => {
  const tmux = createPrivateTmux();
  await tmux.run("new-session", "-d", "-s", "base", "-x", "120", "-y", "40", "exec cat");
  const daemon = await startTestDaemon({ sockets: [tmux.socketPath], env, clock });
  return {
    tmux,
    daemon,
    get service() {
      return daemon.daemon.service;
    },
    open: async (command) => {
      const paneId = await tmux.run("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "base:", command);
      const row = await daemon.until(paneId, () => true);
      return { ...row, identity: { ...row.identity, pane_id: paneId } };
    },
    request,
    screen: (paneId) => tmux.run("capture-pane", "-p", "-J", "-t", paneId),
    close: async () => {
      await daemon.close();
      await tmux.close();
    },
  };
};

/** A played agent in that tmux; whoever opens it closes it. */
export const openPlayer = ({ tmux, daemon }: Harness, agent = "claude"): Promise<Player> =>
  createPlayer({
    tmux: { socketArgs: tmux.socketArgs },
    home: daemon.home,
    recordingsDir: recordings(agent),
    agent,
  });

/** What is on record of sends to that pane, newest first. */
export const auditOf = ({ service }: Harness, { identity }: PaneView): unknown[] =>
  service
    .audit({ limit: 500 })
    .items.filter(({ ref }) => ref === identity.pane_ref)
    .map(({ action, outcome, text_length }) => [action, outcome, text_length]);

/** Nothing of a text stays in tmux; another one may be on its way meanwhile. */
export const expectNoBuffers = ({ tmux }: Harness): Promise<void> =>
  vi.waitFor(async () => expect(await tmux.run("list-buffers")).toBe(""), { timeout: 10_000 });

type SendInput = Parameters<DaemonService["send"]>[0];
export const sendTo = (
  { service }: Harness,
  row: PaneView,
  text: string,
  more: Partial<SendInput> = {},
  guards: Partial<ActionGuards> = {},
): ReturnType<DaemonService["send"]> =>
  service.send({
    ...request(row, guards),
    text,
    pressEnter: true,
    toShell: false,
    idempotencyKey: null,
    ...more,
  });

type AnswerInput = Parameters<DaemonService["answer"]>[0];
/** Of the prompt that the row has, unless a guard says otherwise. */
export const answerTo = (
  { service }: Harness,
  row: PaneView,
  choice: AnswerChoice,
  guards: Partial<ActionGuards> = {},
  more: Partial<AnswerInput> = {},
): ReturnType<DaemonService["answer"]> =>
  service.answer({
    ...request(row, { ifPrompt: row.prompt_fingerprint, ...guards }),
    choice,
    idempotencyKey: null,
    ...more,
  });
