// Every manner in which a tmux server may be asked over its socket by agtmux, also by one that is killed, stopped or slow at any
// moment: whole, in pieces, cut off at every byte of the question and of the answer, without reading, without speaking.
import { createConnection, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { connectLocalSocket } from "../../core/targets/executors/localExecutor.ts";
import { askServer, createServerReader, encodeRequest } from "../../core/tmux/askServer.ts";
import { lookScript, type ReadCommand, parseTranscript } from "../../core/tmux/tmuxCommand.ts";
import { realClock } from "../setup/realClock.ts";
import type { Chance } from "./turmoil.ts";

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
