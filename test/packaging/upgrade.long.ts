// Another version in the place of the one that runs, by npm or by `agtmux upgrade` of an archive, while agents work and wait on a real
// tmux: the next command brings the new daemon, hooks write all the time, no event is lost or doubled, and nobody is told anything
// wrong.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { CanonicalState } from "../../core/model/state.ts";
import type { PaneView } from "../../core/model/view.ts";
import { framesOf } from "../chain/chainHarness.ts";
import { countPending, readPrompts } from "../faults/storedEvents.ts";
import { startProgram, type Running } from "../harness/commandLine.ts";
import { createPlayer, type Player } from "../player/player.ts";
import { until } from "../setup/realClock.ts";
import { openMachine, packForNpm, repackAs, type Machine } from "./npmPackage.ts";
import { ROOT } from "./packageApp.ts";
import { makeArchive, rearchiveAs, startMirror, type Mirror } from "./releaseMirror.ts";

const PACK_LIMIT_MS = 120_000;
const TEST_LIMIT_MS = 120_000;
const [OLD, NEW] = ["0.0.1", "99.0.0"];

let folder: string;
let mirror: Mirror;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-pack-"));
  mirror = await startMirror();
});
afterAll(async () => {
  await mirror.close();
  await rm(folder, { recursive: true, force: true });
});

/** How a version comes to a machine, and the next one over it. */
interface Way {
  readonly name: string;
  /** Whether the upgrade itself replaces the daemon; else the next command does. */
  readonly replacesDaemon: boolean;
  readonly first: (machine: Machine) => Promise<void>;
  readonly next: (machine: Machine) => Promise<void>;
}

const WAYS: readonly Way[] = [
  {
    name: "npm",
    replacesDaemon: false,
    first: async (machine) => {
      await machine.npm("install", await repackAs(await packForNpm(folder), OLD));
      await repackAs(await packForNpm(folder), NEW);
    },
    next: async (machine) => void (await machine.npm("install", join(folder, `agtmux-${NEW}.tgz`))),
  },
  {
    name: "an archive",
    replacesDaemon: true,
    first: async (machine) => {
      const archive = await makeArchive(folder, { isSmall: false });
      const newer = await rearchiveAs(archive, NEW);
      mirror.release(OLD, readFileSync(await rearchiveAs(archive, OLD)));
      Object.assign(machine.env, { AGTMUX_RELEASES: mirror.address });
      const script = join(ROOT, "scripts", "packaging", "install.sh");
      await promisify(execFile)("sh", [script, "--prefix", machine.prefix], { env: machine.env });
      mirror.release(NEW, readFileSync(newer));
    },
    next: async (machine) => void (await machine.agtmux("upgrade", "--yes")),
  },
];

const statusOf = async (machine: Machine) =>
  JSON.parse(await machine.agtmux("daemon", "status", "--json")) as { pid: number; version: string };

const rowsOf = async (machine: Machine): Promise<PaneView[]> => {
  const { items } = JSON.parse(await machine.agtmux("list", "panes", "--json")) as { items: PaneView[] };
  return items;
};

/** The states that a `watch --format jsonl` told of a pane, snapshots included, with their versions. */
const toldBy = (watching: Running, paneId: string) =>
  watching
    .lines()
    .map((line) => JSON.parse(line) as { kind: string; version: number; pane?: PaneView; panes?: PaneView[] })
    .flatMap(({ kind, version, pane, panes }) =>
      [...(pane === undefined ? [] : [pane]), ...(panes ?? [])].map((row) => ({ kind, version, row })),
    )
    .filter(({ row }) => row.identity.pane_id === paneId);

/** Prompts of an agent, one after the other until it is stopped, by the hook that is in its settings. */
const keepPrompting = (player: Player) => {
  const prompts: string[] = [];
  const stopping = new AbortController();
  const written = (async () => {
    while (!stopping.signal.aborted) {
      const prompt = `p-${String(prompts.length).padStart(6, "0")}`;
      await player.event("UserPromptSubmit", { prompt });
      prompts.push(prompt);
    }
  })();
  return {
    count: () => prompts.length,
    stop: async () => {
      stopping.abort();
      await written;
      return prompts;
    },
  };
};

it.each(WAYS)(
  "an upgrade by $name while agents run loses and doubles no event, tells nothing wrong, and brings the new daemon",
  async ({ first: installOlder, next: installNewer, replacesDaemon }) => {
    const machine = openMachine();
    const players: Player[] = [];
    let watching: Running | null = null;
    try {
      await installOlder(machine);
      await machine.tmux.newSession("work");
      await machine.agtmux("integrate", "claude", "--yes");
      const play = async (frame: string): Promise<Player> => {
        const player = await createPlayer({
          tmux: { socketArgs: machine.tmux.socketArgs },
          home: machine.home,
          recordingsDir: framesOf("claude"),
        });
        players.push(player);
        await player.event("SessionStart");
        if (frame === "waiting_approval") await player.sequence([{ recording: frame }]);
        else await player.frame(frame);
        return player;
      };
      const asking = await play("waiting_approval");
      const working = await play("tool_running");
      const prompting = keepPrompting(working);
      const truth = new Map<string, CanonicalState>([
        [asking.paneId, "waiting_approval"],
        [working.paneId, "running"],
      ]);
      const isTrue = (rows: PaneView[]) =>
        [...truth].every(([pane, state]) =>
          rows.some(({ identity, state: shown }) => identity.pane_id === pane && shown === state),
        );
      const untilTrue = () =>
        until(async () => isTrue(await rowsOf(machine)), "every state is right", 20_000);
      await untilTrue();
      const before = await statusOf(machine);
      const [asked] = (await rowsOf(machine)).filter(({ identity }) => identity.pane_id === asking.paneId);
      watching = startProgram(
        join(machine.prefix, "bin", "agtmux"),
        ["watch", "--format", "jsonl"],
        machine.env,
      );
      await until(() => (watching?.lines().length ?? 0) > 0, "the first line of the watch");

      const countBefore = prompting.count();
      await installNewer(machine);
      const countDuring = prompting.count() - countBefore;
      // Installing alone ends nothing, but `agtmux upgrade` does.
      expect((await statusOf(machine)).pid === before.pid).toBe(!replacesDaemon);
      const handedFrom = performance.now();
      const first = await rowsOf(machine);
      const handedMs = performance.now() - handedFrom;
      const countAfter = prompting.count();
      await untilTrue();
      await until(() => prompting.count() > countAfter + 5, "hooks write to the new daemon");
      const prompts = await prompting.stop();
      console.log(
        `upgrade: ${countDuring} events while it was installed, the next command took ${handedMs.toFixed(0)} ms`,
      );

      // The new daemon alone, which needs the home that only one can have; what the first command showed was true or not known.
      const after = await statusOf(machine);
      expect([before.version, after.version]).toEqual([OLD, NEW]);
      for (const { identity, state } of first)
        expect([truth.get(identity.pane_id ?? ""), "unknown"]).toContain(state);

      // Every event once, in order.
      const home = join(machine.home, ".agtmux");
      await until(() => readdirSync(join(home, "spool", "new")).length === 0, "the spool is empty");
      await until(() => countPending(join(home, "state.db")) === 0, "no event waits for its agent");
      expect(countDuring).toBeGreaterThan(0);
      expect(readPrompts(join(home, "state.db"))).toEqual(prompts);
      expect(readdirSync(join(home, "spool", "bad"))).toEqual([]);

      // Whoever watched since before goes on from there, and was told no wrong state.
      await until(
        () => toldBy(watching as Running, working.paneId).at(-1)?.row.state === "running",
        "the watch shows the last state",
      );
      for (const [pane, state] of truth) {
        const told = toldBy(watching, pane);
        expect(new Set(told.map(({ row }) => row.state).filter((one) => one !== "unknown"))).toEqual(
          new Set([state]),
        );
      }
      const versions = watching.lines().flatMap((line) => {
        const { kind, version } = JSON.parse(line) as { kind: string; version: number };
        return kind === "state" ? [version] : [];
      });
      expect(versions).toEqual(versions.toSorted((one, other) => one - other));

      // The same is asked still, and an event of the new life is taken at once.
      const [asksNow] = (await rowsOf(machine)).filter(({ identity }) => identity.pane_id === asking.paneId);
      expect(asksNow?.request).toEqual(asked?.request);
      await working.frame("completed");
      await working.event("Stop");
      truth.set(working.paneId, "completed");
      await untilTrue();
    } finally {
      watching?.child.kill("SIGINT");
      await watching?.finished;
      for (const player of players) await player.close();
      await machine.close();
    }
  },
  PACK_LIMIT_MS + TEST_LIMIT_MS,
);
