// The remote shell on every POSIX shell of this machine: what a login shell leads to on other people's machines.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLocalExecutor } from "../../core/targets/executors/localExecutor.ts";
import {
  createShellExecutor,
  awaitHello,
  createRemoteShell,
  type RemoteShell,
} from "../../core/targets/remote/remoteShell.ts";
import { createRemoteProcesses } from "../../core/targets/remote/remoteProcesses.ts";
import { createRemoteSpool } from "../../core/targets/remote/remoteSpool.ts";
import { createProcessTree } from "../../core/tmux/processTree.ts";
import { randomIds, realClock, until } from "../setup/realClock.ts";
import { openShellChannel, type ShellChannel } from "./shellChannel.ts";

const SHELLS: readonly (readonly string[])[] = [["sh"], ["dash"], ["bash"], ["busybox", "sh"]].filter(
  ([name = ""]) => spawnSync("sh", ["-c", `command -v ${name}`]).status === 0,
);
const HOSTILE = 'it\'s\n"$(touch x)" `id` \\ ; & | 😀 \u001b[31m -n --';

describe.each(SHELLS.map((argv) => [argv.join(" "), argv] as const))(
  "a remote shell in %s",
  (_name, argv) => {
    let folder: string;
    let channel: ShellChannel;
    let shell: RemoteShell;
    const makeNonce = () => randomIds.nonce();
    const open = async (prefix = ""): Promise<void> => {
      channel = openShellChannel(argv, { PATH: process.env["PATH"] ?? "", HOME: folder, TMPDIR: folder });
      if (prefix !== "") channel.write(prefix);
      shell = createRemoteShell({ channel, clock: realClock, makeNonce });
      await awaitHello(shell);
    };
    const executor = () => {
      const env = { PATH: process.env["PATH"], HOME: folder };
      const base = createLocalExecutor({ targetId: "vm1", env });
      return createShellExecutor({ base, shell });
    };
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), "agtmux-far-"));
      await open();
    });
    afterEach(async () => {
      await shell.close();
      expect(channel.child.exitCode ?? channel.child.signalCode).not.toBeNull();
    });

    it("runs commands with hostile words and input, and tells output, errors and status apart", async () => {
      const script = 'printf "%s|" "$@"; cat; echo oops >&2; exit 7';
      const result = await executor().run(["sh", "-c", script, "sh", HOSTILE, ""], {
        timeoutMs: 20_000,
        stdin: `${HOSTILE}\n\n`,
      });
      expect(result).toEqual({
        exitCode: 7,
        stdout: `${HOSTILE}||${HOSTILE}\n\n`,
        stderr: "oops",
        timedOut: false,
      });
    });

    it("answers questions that are asked at once in their order", async () => {
      const words = Array.from({ length: 50 }, (_, index) => `word ${index}`);
      const answers = await Promise.all(
        words.map((word) => executor().run(["printf", "%s", word], { timeoutMs: 20_000 })),
      );
      expect(answers.map(({ stdout }) => stdout)).toEqual(words);
    });

    it("is not confused by what a login shell prints first", async () => {
      await shell.close();
      await open("echo Welcome; echo to >&2; printf 'no newline'\n");
      expect((await executor().run(["echo", "mine"], { timeoutMs: 20_000 })).stdout).toBe("mine\n");
    });

    it("reads files, and says of each whether it is there", async () => {
      const path = join(folder, "it's \n a file");
      writeFileSync(path, "one\0two\nthree");
      symlinkSync("nowhere", join(folder, "link"));
      mkdirSync(join(folder, ".hidden"));
      const { files } = executor();
      expect(await files.readText(path)).toBe("one\0two\nthree");
      expect(await files.readText(path, 3)).toBe("one");
      expect(await files.readTail(path, 5)).toBe("three");
      expect(await files.readText(join(folder, "missing"))).toBeNull();
      await expect(files.readText(folder)).rejects.toThrow("no readable file");
      expect(await files.readLink(join(folder, "link"))).toBe("nowhere");
      expect(await files.readLink(path)).toBeNull();
      expect((await files.list(folder)).toSorted()).toEqual([".hidden", "it's \n a file", "link"]);
      expect(await files.list(join(folder, "missing"))).toEqual([]);
      expect(await files.stat(path)).toMatchObject({ size: 13, isFile: true, mode: 0o644 });
      expect(await files.stat(folder)).toMatchObject({ isFile: false });
      expect(await files.stat(join(folder, "missing"))).toBeNull();
    });

    it("refuses a status that no process can have, and goes on", async () => {
      // Shells and what they run are the remote side's own: one may say anything.
      const asked = shell.ask(`s=${"9".repeat(400)}; a 2; a() { :; }`, { timeoutMs: 5_000 });
      await expect(asked).rejects.toThrow("nonsense");
      expect(shell.isClosed).toBe(false);
    });

    it("ends when nothing comes in time, and everybody hears", async () => {
      const pipe = join(folder, "pipe");
      spawnSync("mkfifo", [pipe]);
      const hang = executor().run(["cat", pipe], { timeoutMs: 200 });
      const behind = executor().run(["true"], { timeoutMs: 20_000 });
      await expect(hang).rejects.toThrow("no answer within 200 ms");
      await expect(behind).rejects.toThrow("the remote shell ended");
      expect(shell.isClosed).toBe(true);
      channel.child.kill("SIGKILL");
      writeFileSync(pipe, "");
    });

    it.runIf(process.platform === "linux")("reads processes as /proc has them", async () => {
      const tree = createProcessTree({
        executor: createLocalExecutor({ targetId: "host", env: process.env }),
        platform: "linux",
        clock: realClock,
      });
      const remote = createRemoteProcesses({
        shell,
        clock: realClock,
        makeNonce,
        ofPath: (path) => ({ path, runtime: null }),
      });
      const pids = [process.pid, 2 ** 22 + 7];
      const here = (await tree.ofPanes(pids)).get(process.pid);
      const trees = await remote.ofPanes(pids);
      const there = trees.get(process.pid);
      expect([...trees.keys()]).toEqual([process.pid]);
      const plain = (found: typeof here) =>
        found?.map(({ pid, ppid, comm, args }) => ({ pid, ppid, comm, args })).slice(0, 2);
      expect(plain(there)).toEqual(plain(here));
      expect(there?.[0]?.file).toEqual({ path: realpathSync(process.execPath), runtime: null });
      const startedAt = there?.[0]?.startedAt ?? 0;
      expect(Math.abs(startedAt - (here?.[0]?.startedAt ?? 0))).toBeLessThan(1_000);
      expect(await Promise.all([remote.verify(process.pid, startedAt), remote.verify(1, startedAt)])).toEqual(
        [true, false],
      );
      expect(await remote.verify(2 ** 22 + 7, startedAt)).toBe(false);
    });

    it("takes files out of a spool, oldest first, and leaves what is none of ours", async () => {
      const spoolDir = join(folder, "it's a spool");
      mkdirSync(join(spoolDir, "new"), { recursive: true });
      const spool = createRemoteSpool({ shell, spoolDir, makeNonce });
      const told: (readonly (readonly [string, string | undefined])[] | null)[] = [];
      spool.onFiles((files) => told.push(files?.map(({ name, bytes }) => [name, bytes?.toString()]) ?? null));
      spool.glance();
      await executor().run(["true"], { timeoutMs: 20_000 });
      expect(told).toEqual([]);
      writeFileSync(join(spoolDir, "new", "0000002-0"), "second\0\n\n");
      writeFileSync(join(spoolDir, "new", "0000001-0"), "");
      spawnSync("touch", ["-d", "@1000000000", join(spoolDir, "new", "0000002-0")]);
      mkdirSync(join(spoolDir, "new", "0000003-0"));
      writeFileSync(join(spoolDir, "new", "bad name"), "x");
      spool.glance();
      // What is on its way already is not told twice.
      spool.glance();
      await until(() => told.length === 1, "the glance tells");
      const files = await spool.read({ count: 10, maxBytes: 7 });
      expect(files.map(({ name, bytes, size }) => [name, bytes?.toString(), size]).slice(0, 2)).toEqual([
        ["0000002-0", "second\0", 9],
        ["0000001-0", "", 0],
      ]);
      expect(files[0]).toMatchObject({ modifiedSeconds: 1_000_000_000 });
      expect(files[0]?.ageMs).toBeGreaterThan(1e11);
      expect(files.find(({ name }) => name === "0000003-0")?.bytes).toBeNull();
      await spool.remove(["0000002-0"]);
      await spool.reject("0000003-0");
      const left = await executor().files.list(join(spoolDir, "new"));
      expect(left.toSorted()).toEqual(["0000001-0", "bad name"]);
      expect(await executor().files.list(join(spoolDir, "bad"))).toEqual(["0000003-0"]);
      spool.glance();
      await until(() => told.length === 2, "the next glance tells again");
      expect(told[0]?.map(([name, text]) => `${name}=${text}`)).toEqual([
        "0000002-0=second\0\n\n",
        "0000001-0=",
        "0000003-0=undefined",
      ]);
      expect(told[1]).toEqual([["0000001-0", ""]]);
      writeFileSync(join(spoolDir, "new", "0000004-0"), "x".repeat(20_000));
      spool.glance();
      await until(() => told.length === 3, "the next glance tells again");
      // Too large for a glance.
      expect(told[2]).toBeNull();
    });
  },
);
