// Real sockets and folders of this user and of another one, by both ways in which they are looked at: on this machine, and by the
// script in each shell that is here. What stands for tmux only says that it ran, and on which socket.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
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
  rmSync(root, { recursive: true, force: true });
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

interface Case {
  readonly what: string;
  readonly rule: SocketRule;
  readonly make: (name: string) => Promise<string>;
  /** Null: it is run. */
  readonly doubt: RegExp | null;
  readonly mayStart?: boolean;
  readonly needsRoot?: boolean;
}

const CASES: readonly Case[] = [
  { what: "their own", rule: "trusted", make: (name) => listen(join(folder(name), "sock")), doubt: null },
  {
    what: "their own, by tmux's rule",
    rule: "person",
    make: (name) => listen(join(folder(name), "sock")),
    doubt: null,
  },
  {
    what: "one with a name that a shell could take apart",
    rule: "trusted",
    make: (name) => listen(join(folder(`${name} a'b $(x) *`), "-s o'c`k;")),
    doubt: null,
  },
  {
    what: "their own in a folder that others may read",
    rule: "trusted",
    make: (name) => listen(join(folder(name, 0o755), "sock")),
    doubt: null,
  },
  {
    what: "their own in a folder where each keeps what is theirs",
    rule: "trusted",
    make: (name) => listen(join(folder(name, 0o1777), "sock")),
    doubt: null,
  },
  {
    what: "their own, reached by a link of theirs to its folder",
    rule: "trusted",
    make: async (name) => {
      const path = await listen(join(folder(name), "sock"));
      symlinkSync(dirname(path), join(root, `${name}-link`));
      return join(root, `${name}-link`, "sock");
    },
    doubt: null,
  },
  {
    what: "in a folder that others may read, by tmux's rule",
    rule: "person",
    make: (name) => listen(join(folder(name, 0o755), "sock")),
    doubt: /unsafe permissions/,
  },
  {
    what: "in a folder that everybody may write to",
    rule: "trusted",
    make: (name) => listen(join(folder(name, 0o777), "sock")),
    doubt: /unsafe permissions/,
  },
  {
    what: "another user's in a folder of theirs",
    rule: "trusted",
    make: (name) => listen(join(folder(name), "sock"), NOBODY),
    doubt: /belongs to another user \(65534\)/,
    needsRoot: true,
  },
  {
    what: "another user's in a folder of theirs, by tmux's rule",
    rule: "person",
    make: (name) => listen(join(folder(name), "sock"), NOBODY),
    doubt: /belongs to another user/,
    needsRoot: true,
  },
  {
    what: "another user's where each keeps what is theirs",
    rule: "trusted",
    make: (name) => listen(join(folder(name, 0o1777), "sock"), NOBODY),
    doubt: /belongs to another user/,
    needsRoot: true,
  },
  {
    what: "theirs in a folder of another user",
    rule: "trusted",
    make: (name) => listen(join(folder(name, 0o755, NOBODY), "sock")),
    doubt: /unsafe permissions: its folder belongs/,
    needsRoot: true,
  },
  {
    what: "in a folder of another user, by tmux's rule",
    rule: "person",
    make: (name) => listen(join(folder(name, 0o700, NOBODY), "sock"), NOBODY),
    doubt: /unsafe permissions: its folder belongs/,
    needsRoot: true,
  },
  {
    what: "a link to their own",
    rule: "trusted",
    make: async (name) => {
      const path = await listen(join(folder(name), "real"));
      symlinkSync(path, join(dirname(path), "sock"));
      return join(dirname(path), "sock");
    },
    doubt: /not a socket/,
  },
  {
    what: "a link that leads nowhere",
    rule: "trusted",
    make: async (name) => {
      const path = join(folder(name), "sock");
      symlinkSync("/nonexistent", path);
      return path;
    },
    doubt: /not a socket/,
  },
  {
    what: "their own, reached by a link of another user to its folder",
    rule: "trusted",
    make: async (name) => {
      const path = await listen(join(folder(name), "sock"));
      symlinkSync(dirname(path), join(root, `${name}-link`));
      lchownSync(join(root, `${name}-link`), NOBODY, NOBODY);
      return join(root, `${name}-link`, "sock");
    },
    doubt: /unsafe permissions/,
    needsRoot: true,
  },
  {
    what: "their own, reached by a link to its folder, by tmux's rule",
    rule: "person",
    make: async (name) => {
      const path = await listen(join(folder(name), "sock"));
      symlinkSync(dirname(path), join(root, `${name}-link`));
      return join(root, `${name}-link`, "sock");
    },
    doubt: /unsafe permissions/,
  },
  {
    what: "a file",
    rule: "trusted",
    make: async (name) => {
      const path = join(folder(name), "sock");
      writeFileSync(path, "");
      return path;
    },
    doubt: /not a socket/,
  },
  {
    what: "in a folder of another user in which nothing lies yet",
    rule: "trusted",
    make: async (name) => join(folder(name, 0o755, NOBODY), "sock"),
    doubt: /unsafe permissions/,
    mayStart: true,
    needsRoot: true,
  },
  {
    what: "in a folder for everybody in which nothing lies yet",
    rule: "trusted",
    make: async (name) => join(folder(name, 0o777), "sock"),
    doubt: /unsafe permissions/,
    mayStart: true,
  },
  {
    what: "another user's, where one is to be started",
    rule: "trusted",
    make: (name) => listen(join(folder(name), "sock"), NOBODY),
    doubt: /belongs to another user/,
    mayStart: true,
    needsRoot: true,
  },
  {
    what: "their own, where one is to be started",
    rule: "trusted",
    make: (name) => listen(join(folder(name), "sock")),
    doubt: null,
    mayStart: true,
  },
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
      const { look, argv } = guardedCall(call);
      const done = spawnSync(shell, [...options, "-c", `${look}; exec "$@"`, "agtmux", ...argv], {
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
  it.each(CASES)(
    "that is $what",
    async ({ what, rule, make, doubt, mayStart = false, needsRoot = false }) => {
      if (needsRoot && !isRoot) return;
      const socketPath = await make(`${way}-${CASES.findIndex((one) => one.what === what)}`);
      const running = run({ program, socketPath, rule, words: ["word's"], mayStart });
      if (doubt !== null) {
        await expect(running).rejects.toMatchObject({
          code: "E_SOCKET_UNSAFE",
          message: expect.stringMatching(doubt),
        });
        return;
      }
      expect(await running).toMatchObject({
        exitCode: 0,
        stdout: `${statSync(socketPath).ino} word's\nin\n`,
      });
    },
  );

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
    ).toThrow(/no whole path/);
});
