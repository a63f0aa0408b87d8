// What people and programs may do to a tmux server within a short time, by chance and as fast as it goes: sessions, groups, linked
// windows, panes that die, modes, hooks, sizes, and terminals that come and go. One session, `kept`, is left alone. What tmux does
// not survive alone is left out: a server of 3.7c runs in circles when a pane in copy mode becomes very narrow; and see FATAL.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";

/** 0 up to but not `end`, the same row of numbers for the same seed. */
export type Chance = (end: number) => number;

/** mulberry32 */
export const createChance = (seed: number): Chance => {
  let state = seed;
  return (end) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * end);
  };
};

const LINES_IN_BATCH = 25;
const TERMINALS = 3;
const PROGRAMS = ["exec cat", "sleep 0.05", "seq 1 3000; exec cat", "true", "exec yes | head -c 300000"];
const HOOKS = ["after-new-window", "window-linked", "window-unlinked", "pane-exited", "session-created"];
const HOOK_DEEDS = ["'rename-window -t s0: hooked'", "'kill-window -t s2:'", "'run-shell -b \"true\"'"];

/**
 * Versions and what they do not survive: a respawned window in which sessions are chosen; a zoomed window that ends; a client that
 * ends while another leaves such a session; a window that is made while their size is manual.
 */
const FATAL: readonly (readonly [version: RegExp, line: RegExp])[] = [
  [/./, /^respawn-window/],
  [/^3\.4/, / -Z /],
  [/^3\.[0-6]/, /destroy-unattached on/],
  [/^3\.[3-6]/, /-g window-size manual/],
];

/** One line of a file of commands; many of them name what is not there any more. */
const makeLine = (chance: Chance, version: string): string => {
  const session = (): string => `s${chance(6)}`;
  const pane = (): string => `${session()}:${["", "0", "1", "{end}", "0.1", "{last}"][chance(6)]}`;
  const one = (list: readonly string[]): string => list[chance(list.length)] ?? "";
  const program = (): string => `'${one(PROGRAMS)}'`;
  const lines = [
    () => `new-session -d -s ${session()} -x 80 -y 24 ${program()}`,
    () => `new-session -d -s ${session()} -x 60 -y 20 ${program()}`,
    () => `new-session -d -t ${session()} -s ${session()}`,
    () => `new-window -d -t ${session()}: ${program()}`,
    () => `new-window -a -t ${pane()} ${program()}`,
    () => `split-window -t ${pane()} ${program()}`,
    () => `split-window -h -t ${pane()} ${program()}`,
    () => `link-window -s ${pane()} -t ${session()}:${chance(9)}`,
    () => `link-window -k -s ${pane()} -t ${session()}:${chance(3)}`,
    () => `unlink-window -k -t ${pane()}`,
    () => `move-window -s ${pane()} -t ${session()}:`,
    () => `swap-window -s ${pane()} -t ${pane()}`,
    () => `swap-pane -s ${pane()} -t ${pane()}`,
    () => `join-pane -s ${pane()} -t ${pane()}`,
    () => `break-pane -d -s ${pane()}`,
    () => `kill-pane -t ${pane()}`,
    () => `kill-window -t ${pane()}`,
    () => `kill-session -t ${session()}`,
    () => `rename-session -t ${session()} ${session()}`,
    () => `rename-window -t ${pane()} 'w ü ${chance(99)}'`,
    () => `respawn-pane -k -t ${pane()} ${program()}`,
    () => `respawn-window -k -t ${pane()} ${program()}`,
    () => `resize-window -t ${pane()} -x ${60 + chance(110)} -y ${20 + chance(40)}`,
    () => `resize-pane -Z -t ${pane()}`,
    () => `select-layout -t ${pane()} ${one(["tiled", "even-horizontal", "main-vertical"])}`,
    () => `set-option -t ${session()} destroy-unattached ${one(["on", "off"])}`,
    () => `set-option -wt ${pane()} remain-on-exit ${one(["on", "off"])}`,
    () => `set-option -g window-size ${one(["latest", "largest", "smallest", "manual"])}`,
    () => `set-option -g status ${one(["on", "off", "2"])}`,
    () => `clock-mode -t ${pane()}`,
    () => `choose-tree -t ${pane()}`,
    () => `send-keys -t ${pane()} 'text ${chance(99)}' Enter`,
    () => `clear-history -t ${pane()}`,
    () => `pipe-pane -t ${pane()} 'cat >/dev/null'`,
    () => `set-hook -g ${one(HOOKS)} ${one(HOOK_DEEDS)}`,
    () => `set-hook -gu ${one(HOOKS)}`,
    () => `run-shell -b 'true'`,
    () => `set-buffer -b b${chance(5)} 'text ${chance(99)}'`,
    () => `paste-buffer -b b${chance(5)} -t ${pane()}`,
    () => `select-window -t ${pane()}`,
    () => `select-pane -t ${pane()}`,
    () => `display-message -t ${pane()} 'to whom it concerns'`,
    () => `wait-for -S ${session()}`,
    () => `detach-client -s ${session()}`,
  ];
  const line = lines[chance(lines.length)]?.() ?? "";
  return FATAL.some(([versions, fatal]) => versions.test(version) && fatal.test(line)) ? "" : line;
};

const KEYS: readonly (readonly string[])[] = [
  ["C-b", "c"],
  ["C-b", "%"],
  ["C-b", "n"],
  ["C-b", "z"],
  ["C-b", "w"],
  ["C-b", ")"],
  ["C-b", "d"],
  ["q"],
  ["x", "Enter"],
];

export interface Turmoil {
  /** Makes `batches` of it, one after another. */
  run(batches: number): Promise<void>;
  close(): Promise<void>;
}

/** `tmux` must have its session `kept`. */
export const startTurmoil = async (tmux: PrivateTmux, chance: Chance): Promise<Turmoil> => {
  const outer = createPrivateTmux();
  const attach = `exec tmux ${tmux.socketArgs.join(" ")} attach-session`;
  const again = `while :; do env -u TMUX -u TMUX_PANE TERM=screen sh -c '${attach}'; sleep 0.1; done`;
  for (let terminal = 0; terminal < TERMINALS; terminal += 1)
    await outer.run(
      "new-session",
      "-d",
      "-s",
      `t${terminal}`,
      "-x",
      `${70 + 20 * terminal}`,
      "-y",
      "30",
      again,
    );
  const path = join(tmux.folder, "batch");
  const version = await tmux.run("display-message", "-p", "#{version}");
  if (version === "3.4") await tmux.run("unbind-key", "z");
  return {
    run: async (batches) => {
      for (let batch = 0; batch < batches; batch += 1) {
        writeFileSync(
          path,
          Array.from({ length: LINES_IN_BATCH }, () => `${makeLine(chance, version)}\n`).join(""),
        );
        await tmux.run("source-file", path).catch(() => "many of its lines fail");
        await outer.run("send-keys", "-t", `t${chance(TERMINALS)}:`, ...(KEYS[chance(KEYS.length)] ?? []));
        await wait(chance(20));
      }
    },
    close: () => outer.close(),
  };
};
