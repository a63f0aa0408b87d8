// Every manner in which a tmux server may be asked over its socket by agtmux, also by one that is killed, stopped or slow at any
// moment: whole, in pieces, cut off at every byte of the question and of the answer, without reading, without speaking.
import { writeFileSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { connectLocalSocket } from "../../core/targets/executors/localExecutor.ts";
import {
  askProtocol,
  askServer,
  createServerReader,
  encodeRequest,
  PROTOCOL,
} from "../../core/tmux/askServer.ts";
import { lookScript, parseTranscript, type ReadCommand } from "../../core/tmux/tmuxCommand.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { realClock } from "../setup/realClock.ts";

// What people and programs may do to a tmux server within a short time, by chance and as fast as it goes: sessions, groups, linked
// windows, panes that die, modes, hooks, sizes, and terminals that come and go. One session, `kept`, is left alone. What tmux does
// not survive alone is left out: a server of 3.7c runs in circles when a pane in copy mode becomes very narrow; and see FATAL.

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
    // Only newer versions know these.
    () => `new-pane -d -t ${pane()} -x 30 -y 8 ${program()}`,
    () => `new-pane -O -t ${pane()} ${program()}`,
    () => `break-pane -W -s ${pane()}`,
    () => `move-pane -t ${pane()} -X ${chance(40)} -Y ${chance(10)}`,
    () => `choose-tree -h -t ${pane()}`,
    () => `switch-mode -t ${pane()}`,
    () => `set-option -s theme ${one(["light", "dark", "terminal", "detect"])}`,
    () => `set-hook -g -B '@titles:%*:#{pane_title}' 'set-option -g @seen 1'`,
    () => `set-hook -gu -B '@titles'`,
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

/** `tmux` must have its session `kept`. */
export const startTurmoil = async (tmux: PrivateTmux, chance: Chance) => {
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
    /** Makes `batches` of it, one after another. */
    run: async (batches: number): Promise<void> => {
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
    close: (): Promise<void> => outer.close(),
  };
};

const NONCE = "n0nce";
const TIMEOUT_MS = 20_000;
const LONGEST_MS = 30;
const FORMAT = "#{pane_id} #{window_activity} #{pane_pid} #{pane_title} #{window_name} #{session_name}";

const makeLook = (chance: Chance): ReadCommand[] => {
  const panes = Array.from({ length: chance(5) }, (): ReadCommand => {
    const from = ["0", "-20", "-50000"][chance(3)] ?? "0";
    return ["capture-pane", "-p", "-J", "-t", `%${chance(60)}`, "-S", from];
  });
  return [
    ["display-message", "-p", "#{pid} #{start_time} #{socket_path}"],
    ["list-panes", "-a", "-F", FORMAT],
    ["display-message", "-p", "-t", `%${chance(60)}`, "#{pane_current_path}"],
    ...panes,
  ];
};

const open = async (path: string): Promise<Socket> => {
  const socket = createConnection(path);
  // What a server that ends says to it is not looked at here.
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("connect", resolve).once("close", resolve));
  return socket;
};

export interface Manner {
  name: string;
  /** Gives what went wrong with an answer, or null. */
  ask: (socketPath: string, chance: Chance) => Promise<string | null>;
}

/** As the daemon does it. */
export const whole: Manner["ask"] = async (path, chance) => {
  const look = makeLook(chance);
  const answer = await askServer({
    connect: () => connectLocalSocket(path, () => {}),
    words: lookScript(look, NONCE),
    clock: realClock,
    timeoutMs: TIMEOUT_MS,
    maxBytes: 64 * 1024 * 1024,
  });
  if (answer.status !== "answered") return answer.status === "unfit" ? answer.problem : "refused";
  if (answer.timedOut) return "no answer in time";
  return parseTranscript(answer.stdout, NONCE, look.length) === null ? `no answer: ${answer.stderr}` : null;
};
/** The rest of a conversation after the request: `onBytes` says whether it goes on. */
const converse = async (socket: Socket, onBytes: (chunk: Buffer) => boolean): Promise<void> => {
  const read = createServerReader();
  const over = new Promise((resolve) => socket.once("close", resolve));
  socket.on("data", (chunk: Buffer) => {
    for (const said of read(chunk) ?? []) {
      if (said.kind === "open") socket.write(said.reply);
      if (said.kind === "end") socket.destroy();
    }
    if (!onBytes(chunk)) socket.destroy();
  });
  const timer = setTimeout(() => socket.destroy(), TIMEOUT_MS);
  await over;
  clearTimeout(timer);
};

let cutAt = 0;
const requestOf = (chance: Chance): Buffer => encodeRequest(lookScript(makeLook(chance), NONCE));

export const MANNERS: readonly Manner[] = [
  { name: "whole", ask: whole },
  {
    name: "for its protocol",
    ask: async (path) => {
      const said = await askProtocol({
        connect: () => connectLocalSocket(path, () => {}),
        clock: realClock,
        timeoutMs: TIMEOUT_MS,
      });
      return said === PROTOCOL ? null : `it says ${said}`;
    },
  },
  {
    name: "the question cut off at every byte in turn",
    ask: async (path, chance) => {
      const socket = await open(path);
      const request = requestOf(chance);
      cutAt = (cutAt + 1) % (request.length + 1);
      socket.write(request.subarray(0, cutAt));
      await wait(chance(3));
      socket.destroy();
      return null;
    },
  },
  {
    name: "the question in pieces",
    ask: async (path, chance) => {
      const socket = await open(path);
      const request = requestOf(chance);
      for (let from = 0; from < request.length;) {
        const to = from + 1 + chance(200);
        socket.write(request.subarray(from, to));
        from = to;
        await wait(0);
      }
      await converse(socket, () => true);
      return null;
    },
  },
  {
    name: "the answer never accepted",
    ask: async (path, chance) => {
      const socket = await open(path);
      socket.write(requestOf(chance));
      await wait(chance(LONGEST_MS));
      socket.destroy();
      return null;
    },
  },
  {
    name: "the answer cut off",
    ask: async (path, chance) => {
      const socket = await open(path);
      let left = chance(chance(2) === 0 ? 300 : 30_000);
      socket.write(requestOf(chance));
      await converse(socket, (chunk) => (left -= chunk.length) > 0);
      return null;
    },
  },
  {
    name: "the answer accepted and not read",
    ask: async (path, chance) => {
      const socket = await open(path);
      socket.write(requestOf(chance));
      socket.once("data", (chunk: Buffer) => {
        for (const said of createServerReader()(chunk) ?? [])
          if (said.kind === "open") socket.write(said.reply);
        socket.pause();
      });
      await wait(chance(LONGEST_MS));
      socket.destroy();
      return null;
    },
  },
  {
    name: "nothing said",
    ask: async (path, chance) => {
      const socket = await open(path);
      await wait(chance(LONGEST_MS));
      socket.destroy();
      return null;
    },
  },
  {
    name: "the end not noticed",
    ask: async (path, chance) => {
      const socket = await open(path);
      const read = createServerReader();
      socket.on("data", (chunk: Buffer) => {
        for (const said of read(chunk) ?? []) if (said.kind === "open") socket.write(said.reply);
      });
      socket.write(requestOf(chance));
      await wait(LONGEST_MS + chance(LONGEST_MS));
      socket.destroy();
      return null;
    },
  },
];
