// Real sockets and folders of this user and of another one, by both ways in which they are looked at: on this machine, and by the
// script in each shell that is here. What stands for tmux only says that it ran, and on which socket.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SocketRule, TmuxCall } from "../ports/targetExecutor.ts";
import { createLocalExecutor } from "./executors/localExecutor.ts";
import { checkGuarded, guardedCall } from "./ownSocket.ts";

const NOBODY = 65_534;
const isRoot = process.geteuid?.() === 0;

let root: string;
let servers: Server[];
/** Prints the inode of the socket that it is given, and its words. */
let program: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "agtmux-own-"));
  servers = [];
  program = join(root, "tmux");
  writeFileSync(
    program,
    '#!/bin/sh\nset -- "$2" "$3"; i=$(ls -Ldi -- "$1" 2>/dev/null); echo "${i%% *} $2"; cat\n',
    {
      mode: 0o755,
    },
  );
});
afterAll(async () => {
  for (const server of servers) await new Promise((done) => server.close(done));
});

const folder = (name: string, mode = 0o700, owner?: number): string => {
  const path = join(root, name);
  mkdirSync(path);
  chmodSync(path, mode);
  if (owner !== undefined) chownSync(path, owner, owner);
  return path;
};
const listen = async (path: string, owner?: number): Promise<string> => {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((done) => server.listen(path, done));
  if (owner !== undefined) chownSync(path, owner, owner);
  return path;
};

/** A socket in a folder of this mode; `owner` and `folderOwner`: another user's. */
const socketIn =
  (mode = 0o700, { owner, folderOwner }: { owner?: number; folderOwner?: number } = {}) =>
  (name: string): Promise<string> =>
    listen(join(folder(name, mode, folderOwner), "sock"), owner);
const nothingIn =
  (mode: number, folderOwner?: number) =>
  async (name: string): Promise<string> =>
    join(folder(name, mode, folderOwner), "sock");
/** What `make` puts at the place of the socket. */
const inPlace =
  (make: (path: string) => Promise<void> | void) =>
  async (name: string): Promise<string> => {
    const path = join(folder(name), "sock");
    await make(path);
    return path;
  };
/** A socket of theirs in a folder that a link leads to. */
const byLink =
  (owner?: number) =>
  async (name: string): Promise<string> => {
    const path = await listen(join(folder(name), "sock"));
    const link = join(root, `${name}-link`);
    symlinkSync(dirname(path), link);
    if (owner !== undefined) lchownSync(link, owner, owner);
    return join(link, "sock");
  };

type Case = [
  what: string,
  rule: SocketRule,
  make: (name: string) => Promise<string>,
  /** Null: it is run. */
  doubt: RegExp | null,
  mayStart?: "may start",
];

const CASES: readonly Case[] = [
  ["their own", "trusted", socketIn(), null],
  ["their own, by tmux's rule", "person", socketIn(), null],
  [
    "one with a name that a shell could take apart",
    "trusted",
    (name) => listen(join(folder(`${name} a'b $(x) *`), "-s o'c`k;")),
    null,
  ],
  ["their own in a folder that others may read", "trusted", socketIn(0o755), null],
  ["their own in a folder where each keeps what is theirs", "trusted", socketIn(0o1777), null],
  ["their own, reached by a link of theirs to its folder", "trusted", byLink(), null],
  ["in a folder that others may read, by tmux's rule", "person", socketIn(0o755), /unsafe permissions/],
  ["in a folder that everybody may write to", "trusted", socketIn(0o777), /unsafe permissions/],
  [
    "a link to their own",
    "trusted",
    inPlace(async (path) => symlinkSync(await listen(join(dirname(path), "real")), path)),
    /not a socket/,
  ],
  [
    "a link that leads nowhere",
    "trusted",
    inPlace((path) => symlinkSync("/nonexistent", path)),
    /not a socket/,
  ],
  ["their own, reached by a link to its folder, by tmux's rule", "person", byLink(), /unsafe permissions/],
  ["a file", "trusted", inPlace((path) => writeFileSync(path, "")), /not a socket/],
  [
    "in a folder for everybody in which nothing lies yet",
    "trusted",
    nothingIn(0o777),
    /unsafe permissions/,
    "may start",
  ],
  ["their own, where one is to be started", "trusted", socketIn(), null, "may start"],
];

const CASES_OF_OTHERS: readonly Case[] = [
  [
    "another user's in a folder of theirs",
    "trusted",
    socketIn(0o700, { owner: NOBODY }),
    /belongs to another user \(65534\)/,
  ],
  [
    "another user's in a folder of theirs, by tmux's rule",
    "person",
    socketIn(0o700, { owner: NOBODY }),
    /belongs to another user/,
  ],
  [
    "another user's where each keeps what is theirs",
    "trusted",
    socketIn(0o1777, { owner: NOBODY }),
    /belongs to another user/,
  ],
  [
    "theirs in a folder of another user",
    "trusted",
    socketIn(0o755, { folderOwner: NOBODY }),
    /unsafe permissions: its folder belongs/,
  ],
  [
    "in a folder of another user, by tmux's rule",
    "person",
    socketIn(0o700, { owner: NOBODY, folderOwner: NOBODY }),
    /unsafe permissions: its folder belongs/,
  ],
  [
    "their own, reached by a link of another user to its folder",
    "trusted",
    byLink(NOBODY),
    /unsafe permissions/,
  ],
  [
    "in a folder of another user in which nothing lies yet",
    "trusted",
    nothingIn(0o755, NOBODY),
    /unsafe permissions/,
    "may start",
  ],
  [
    "another user's, where one is to be started",
    "trusted",
    socketIn(0o700, { owner: NOBODY }),
    /belongs to another user/,
    "may start",
  ],
];

const SHELLS = [
  ["dash"],
  ["bash", "--posix"],
  ["busybox", "sh"],
  ["mksh"],
  ["zsh", "--emulate", "sh"],
  ["ksh"],
].filter(([shell = ""]) => spawnSync(shell, ["-c", "exit"]).error === undefined);
type Run = (call: TmuxCall) => Promise<{ exitCode: number | null; stdout: string; stderr: string }>;
const WAYS: [string, Run][] = [
  [
    "this machine",
    (call) =>
      createLocalExecutor({ targetId: "host", env: process.env }).runTmux(call, {
        timeoutMs: 10_000,
        stdin: "in\n",
      }),
  ],
  ...SHELLS.map(([shell = "", ...options]): [string, Run] => [
    shell,
    async (call) => {
      const { check, argv } = guardedCall(call);
      const done = spawnSync(shell, [...options, "-c", `${check}; exec "$@"`, "agtmux", ...argv], {
        encoding: "utf8",
        input: "in\n",
        cwd: "/",
      });
      return checkGuarded(call, {
        exitCode: done.status,
        stdout: done.stdout,
        stderr: done.stderr,
        timedOut: false,
      });
    },
  ]),
];

describe.each(WAYS)("a socket, as %s looks at it", (way, run) => {
  const look = async (...[what, rule, make, doubt, mayStart]: Case): Promise<void> => {
    const socketPath = await make(
      `${way}-${[...CASES, ...CASES_OF_OTHERS].findIndex(([one]) => one === what)}`,
    );
    const running = run({ program, socketPath, rule, words: ["word's"], mayStart: mayStart !== undefined });
    if (doubt === null)
      expect(await running).toMatchObject({
        exitCode: 0,
        stdout: `${statSync(socketPath).ino} word's\nin\n`,
      });
    else
      await expect(running).rejects.toMatchObject({
        code: "E_SOCKET_UNSAFE",
        message: expect.stringMatching(doubt),
      });
  };
  it.each(CASES)("that is %s", look);
  it.runIf(isRoot).each(CASES_OF_OTHERS)("that is %s", look);

  it("of which there is none is answered as tmux does, and nothing is run", async () => {
    for (const path of [join(root, "none"), join(root, "no folder", "none")]) {
      const call = { program, socketPath: path, rule: "trusted" as const, words: [], mayStart: false };
      expect(await run(call)).toMatchObject({
        exitCode: 1,
        stdout: "",
        stderr: `no server running on ${path}\n`,
      });
    }
  });
});

it("is refused where its path is none that a shell can be given", () => {
  for (const path of ["sock", "/a/b\nc", "/a/..", "/"])
    expect(() =>
      guardedCall({ program, socketPath: path, rule: "trusted", words: [], mayStart: false }),
    ).toThrow(/isn't the full path/);
});
