// One simulated hour of a busy person, at full speed: recorded turns of every agent through the real hooks, agents and
// panes that come and go in every way, commands that connect and leave politely or not, actions, a tmux server and targets
// that vanish, files in the spool that are no events. It ends when everything is at rest again.
import { readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { actionGuardsSchema } from "../../core/model/action.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import { isWaiting } from "../../core/model/state.ts";
import type { FeedEntry, PaneView } from "../../core/model/view.ts";
import type { DaemonClient } from "../../core/rpc/socketClient.ts";
import { CONVERSATIONS, playStep } from "../chain/conversations.ts";
import type { Player } from "../player/player.ts";
import { until } from "../setup/realClock.ts";
import type { Keeper, SoakHarness } from "./soakHarness.ts";

// What people do to the agents of a soak that ask something: every action, rightly and wrongly guarded, all at once.

const tallied = async (actions: Map<string, number>, name: string, work: Promise<unknown>): Promise<void> => {
  const word = await work.then(
    (result) =>
      typeof result === "object" && result !== null && "outcome" in result ? String(result.outcome) : "done",
    (error: unknown) => {
      if (!(error instanceof AgtmuxError) || error.code === "E_INTERNAL") throw error;
      return error.code;
    },
  );
  actions.set(`${name} ${word}`, (actions.get(`${name} ${word}`) ?? 0) + 1);
};

/** On rows that wait: each may be refused, none may break anything. */
const act = async (
  harness: SoakHarness,
  rows: readonly PaneView[],
  actions: Map<string, number>,
): Promise<void> => {
  const surface = "soak";
  const guards = (row: PaneView, isRight: boolean) =>
    actionGuardsSchema.parse({ ifPrompt: isRight ? row.prompt_fingerprint : "0".repeat(16) });
  await Promise.all(
    rows.flatMap((row, index) => {
      const ref = row.identity.pane_ref;
      const plain = { ref, guards: actionGuardsSchema.parse({}), surface };
      const call = (name: string, run: Parameters<DaemonClient["call"]>[0]) =>
        tallied(actions, name, harness.client.call(run));
      return [
        call("output", (api) => api.viewOutput.mutate({ ...plain, lines: 100 })),
        call("attach", (api) => api.prepareAttach.mutate(plain)),
        call("send", (api) => api.send.mutate({ ...plain, text: "hello", idempotencyKey: `key ${index}` })),
        call("answer", (api) =>
          api.answer.mutate({
            ref,
            surface,
            guards: guards(row, index % 2 === 0),
            choice: { kind: "approve" },
          }),
        ),
      ];
    }),
  );
};

const LIMIT_MS = 60_000;

export interface HourOptions {
  /** Turns of every agent that stays. */
  turns: number;
  /** Agents that come and go. */
  visitors: number;
  /** Wrong files in the spool: the first hour fills the folder for them, so that it holds its most from then on. */
  wrongFiles: number;
  /** Whether people act on what waits; it takes seconds, because effects are waited for. */
  hasActions: boolean;
}

export interface HourTally {
  events: number;
  /** Outcomes and refusals of the actions, by name. */
  actions: Map<string, number>;
}

const TURN = ["prompt", "ask", "end"] as const;

const rowsOf = async (client: DaemonClient): Promise<PaneView[]> =>
  (await client.call((api) => api.panes.query({ all: true }))).items;

const SECOND = "second";

/** Rows of the first server of this machine: with targets, the same pane is listed once more for each. */
const rowOf = (rows: readonly PaneView[], paneId: string): PaneView | undefined =>
  rows.find(
    ({ identity }) =>
      identity.target === HOST_TARGET && identity.session_name !== SECOND && identity.pane_id === paneId,
  );

const untilRows = async (
  harness: SoakHarness,
  players: readonly Player[],
  isWanted: (row: PaneView) => boolean,
  what: string,
): Promise<PaneView[]> => {
  let found: PaneView[] = [];
  let last = "";
  await until(
    async () => {
      const rows = await rowsOf(harness.client);
      found = players.flatMap(({ paneId }) => rowOf(rows, paneId) ?? []);
      last = found.map(({ agent, state, reason_code }) => `${agent} ${state}/${reason_code}`).join(", ");
      return found.length === players.length && found.every(isWanted);
    },
    what,
    LIMIT_MS,
  ).catch((cause: unknown) => {
    throw new Error(`${what}: ${last}`, { cause });
  });
  return found;
};

const playTurn = async (
  { agent, player }: Keeper,
  steps: readonly (typeof TURN)[number][],
): Promise<number> => {
  let events = 0;
  for (const step of steps) {
    await playStep(player, agent, step);
    events += CONVERSATIONS[agent][step].events.length;
  }
  return events;
};

const subscribe = (client: DaemonClient, signal: AbortSignal): AsyncIterator<FeedEntry> => {
  const feed = client.feed({ since: null, sinceTime: null, all: true }, signal);
  return feed[Symbol.asyncIterator]();
};

/** Commands of a person beside the desktop: half of them leave without a word. */
const visit = async (harness: SoakHarness, index: number): Promise<void> => {
  const client = await harness.daemon.connect();
  const leaving = new AbortController();
  const feed = subscribe(client, leaving.signal);
  await feed.next();
  const [row] = await rowsOf(client);
  if (row !== undefined) await client.call((api) => api.explain.query({ ref: row.identity.pane_ref }));
  await client.call((api) => api.audit.query({ limit: 50 }));
  if (index % 2 === 0) {
    leaving.abort();
    await feed.next();
  }
  client.close();
};

const leave = async (harness: SoakHarness, player: Player, way: number): Promise<void> => {
  switch (way % 4) {
    case 0:
      return player.exit({ code: 0 });
    case 1:
      return player.exit({ code: 1 });
    case 2:
      return player.exit({ signal: "SIGKILL" });
    case 3:
      await harness.tmux.run("kill-pane", "-t", player.paneId);
  }
};

/** Agents that come, work, and go in every way; their panes go as well. */
const receive = async (harness: SoakHarness, count: number): Promise<number> => {
  const guests = await Promise.all(
    Array.from({ length: count }, async (_none, index) => {
      const { agent } = harness.keepers[index % harness.keepers.length] ?? { agent: "claude" as const };
      const player = await harness.play(agent, "guests");
      await playStep(player, agent, "begin");
      return { agent, player };
    }),
  );
  await untilRows(
    harness,
    guests.map(({ player }) => player),
    ({ state }) => state !== null,
    "guests are seen",
  );
  const events = await Promise.all(guests.map((guest) => playTurn(guest, ["prompt"])));
  await Promise.all(guests.map(({ player }, way) => leave(harness, player, way)));
  for (const { player } of guests) await player.close();
  await harness.tmux.run("kill-session", "-t", "=guests").catch((error: unknown) => {
    // It went with the last pane.
    if (!String(error).includes("can't find session")) throw error;
  });
  return events.reduce((sum, one) => sum + one, 0);
};

const dropWrongFiles = (harness: SoakHarness, count: number): void => {
  for (let index = 0; index < count; index += 1) {
    const name = `wrong-${index}`;
    writeFileSync(join(harness.paths.spoolTmp, name), "no event", { mode: 0o600 });
    renameSync(join(harness.paths.spoolTmp, name), join(harness.paths.spoolNew, name));
  }
};

/** Crashed rows stay for a day: a person takes them away. */
const dismissCrashed = async (harness: SoakHarness): Promise<void> => {
  const keepers = new Set(harness.keepers.map(({ player }) => player.paneId));
  for (const { state, identity } of await rowsOf(harness.client))
    if (state === "error" && !keepers.has(identity.pane_id ?? ""))
      await harness.client.call((api) =>
        api.dismiss.mutate({
          ref: `runtime:${identity.runtime_id}`,
          guards: actionGuardsSchema.parse({}),
          surface: "soak",
        }),
      );
};

const vanish = async (harness: SoakHarness): Promise<void> => {
  if (harness.ssh !== null) for (const pid of harness.ssh.sessionPids()) process.kill(pid, "SIGKILL");
  await harness.secondTmux.run("kill-server");
};

/** A sample of a target that waits for its next attempt tells nothing of one that is connected. */
const untilConnected = async (harness: SoakHarness): Promise<void> => {
  const { ssh, client } = harness;
  if (ssh === null) return;
  await until(
    async () => {
      const targets = (await client.call((api) => api.targets.query())).filter(({ kind }) => kind === "ssh");
      const down = targets.filter(({ health }) => health !== "ok");
      for (const { target } of down)
        await client
          .call((api) => api.targetConnect.mutate({ name: target }))
          .catch((error: unknown) => {
            if (!(error instanceof AgtmuxError) || error.code === "E_INTERNAL") throw error;
          });
      return down.length === 0 && ssh.connectionPids().length >= targets.length;
    },
    "targets are connected again",
    LIMIT_MS,
  );
};

const rest = async (harness: SoakHarness): Promise<void> => {
  const players = harness.keepers.map(({ player }) => player);
  await untilRows(
    harness,
    players,
    ({ state }) => state === "completed" || state === "idle",
    "agents are at rest",
  );
  const panes = (await harness.tmux.run("list-panes", "-a", "-F", "#{pane_id}")).split("\n").length;
  const copies = harness.ssh === null ? 1 : 3;
  let count = 0;
  await until(
    async () => {
      await dismissCrashed(harness);
      count = (await rowsOf(harness.client)).length;
      return count === panes * copies && readdirSync(harness.paths.spoolNew).length === 0;
    },
    "only the panes that are there are listed",
    LIMIT_MS,
  ).catch((cause: unknown) => {
    throw new Error(`${count} rows for ${panes} panes, ${copies} times`, { cause });
  });
};

/** Resolves when everything of the hour is over and done with. Fails where a state does not come true. */
export const playHour = async (harness: SoakHarness, options: HourOptions): Promise<HourTally> => {
  const { keepers, client } = harness;
  const players = keepers.map(({ player }) => player);
  const tally: HourTally = { events: 0, actions: new Map() };
  const turns = async (steps: readonly (typeof TURN)[number][]): Promise<void> => {
    for (const events of await Promise.all(keepers.map((keeper) => playTurn(keeper, steps))))
      tally.events += events;
  };
  await harness.secondTmux.newSession(SECOND);
  dropWrongFiles(harness, options.wrongFiles);
  const lazy = subscribe(client, AbortSignal.timeout(LIMIT_MS));
  await lazy.next();
  for (let turn = 1; turn < options.turns; turn += 1) {
    await turns(TURN);
    await visit(harness, turn);
  }
  await turns(["prompt", "ask"]);
  const waiting = await untilRows(
    harness,
    players,
    ({ state }) => state !== null && isWaiting(state),
    "agents ask",
  );
  await Promise.all([
    options.hasActions ? act(harness, waiting, tally.actions) : null,
    receive(harness, options.visitors).then((events) => (tally.events += events)),
  ]);
  await turns(["end"]);
  await vanish(harness);
  await untilConnected(harness);
  await lazy.return?.(undefined);
  await rest(harness);
  return tally;
};
