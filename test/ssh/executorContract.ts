// What every TargetExecutor must do, whatever machine it reaches: one suite for the local one and both SSH transports. It
// looks at the remote side through the file system of this machine, where all of them end up.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TargetExecutor } from "../../core/ports/targetExecutor.ts";
import type { RemoteExecutor } from "../../core/targets/executors/sshExecutor.ts";
import { until } from "../setup/realClock.ts";

export interface ExecutorUnderTest {
  executor: TargetExecutor;
  homeDir: string;
  close(): Promise<void>;
}

const LIMITS = { timeoutMs: 20_000 };
/** Bytes of every kind that a name may have. */
const HOSTILE = `a'b"c $HOME;\`id\`\n%~é😀\\0101\\ !x$(touch x)\t-\u0001*?[a]{b,c}&|<>()#`;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // A zombie waits for its parent only.
    return !readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z ");
  } catch {
    return false;
  }
};

export const describeExecutor = (name: string, make: () => Promise<ExecutorUnderTest>): void => {
  describe(name, () => {
    let under: ExecutorUnderTest;
    let executor: TargetExecutor;
    let folder: string;
    const at = (file: string): string => join(folder, file);
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "agtmux-contract-"));
      under = await make();
      ({ executor } = under);
    });
    afterAll(() => under.close());

    describe("run", () => {
      it("passes arguments untouched, feeds stdin and reports both streams and the exit status", async () => {
        const script = 'printf %s "$1"; cat; echo bad >&2; exit 3';
        expect(
          await executor.run(["sh", "-c", script, "sh", HOSTILE], { ...LIMITS, stdin: `|${HOSTILE}\n` }),
        ).toEqual({ exitCode: 3, stdout: `${HOSTILE}|${HOSTILE}\n`, stderr: "bad\n", timedOut: false });
      });
      it("passes empty words and words that look like options", async () => {
        const words = ["", "-n", "--", "-", "\n", " ", "-e\\n"];
        const { stdout } = await executor.run(
          ["sh", "-c", 'for w; do printf "<%s>" "$w"; done', "sh", ...words],
          LIMITS,
        );
        expect(stdout).toBe(words.map((word) => `<${word}>`).join(""));
      });
      it("gives a command without stdin an empty one", async () => {
        expect(await executor.run(["cat"], LIMITS)).toMatchObject({ exitCode: 0, stdout: "" });
      });
      it("carries 1 MB in and out", async () => {
        const text = "0123456789abcde\n".repeat(65_536);
        const { stdout, exitCode } = await executor.run(["cat"], { ...LIMITS, stdin: text });
        expect(exitCode).toBe(0);
        expect(stdout === text).toBe(true);
      });
      it("does not mind a command that leaves its stdin unread", async () => {
        const { stdout } = await executor.run(["echo", "done"], { ...LIMITS, stdin: "x".repeat(300_000) });
        expect(stdout).toBe("done\n");
      });
      it("ends a command at the time-out, also one that ignores it, and leaves nothing behind", async () => {
        const scripts = [
          "echo $$; exec tail -f /dev/null",
          "trap '' TERM; echo $$; while :; do sleep 1; done",
        ];
        await Promise.all(
          scripts.map(async (script) => {
            const result = await executor.run(["sh", "-c", script], { timeoutMs: 1_500 });
            expect(result).toMatchObject({ exitCode: null, timedOut: true });
            const pid = Number(result.stdout);
            expect(pid).toBeGreaterThan(1);
            await until(() => !isAlive(pid), "the command is gone");
          }),
        );
      });
      it("reports a command that a signal ended without an exit status", async () => {
        const { exitCode } = await executor.run(["sh", "-c", "kill -KILL $$"], LIMITS);
        expect(exitCode).toBe(null);
      });
      it("bounds output and ends a command that writes without end", async () => {
        const result = await executor.run(["yes"], { ...LIMITS, maxBytes: 1_000 });
        expect(result).toMatchObject({ exitCode: null, timedOut: false });
        expect(result.stdout.length).toBe(1_000);
      });
      it("throws when the program does not exist", async () => {
        await expect(executor.run([at("absent")], LIMITS)).rejects.toThrow(/could not start/);
      });
      it("runs many at once", async () => {
        const numbers = Array.from({ length: 24 }, (_, index) => String(index));
        const results = await Promise.all(numbers.map((one) => executor.run(["echo", one], LIMITS)));
        expect(results.map(({ stdout }) => stdout.trim())).toEqual(numbers);
      });
    });

    describe("files", () => {
      it("reads a prefix, /proc files of size 0 and FIFOs without blocking; missing is null", async () => {
        writeFileSync(at("f"), "hello");
        execFileSync("mkfifo", [at("fifo")]);
        const { files } = executor;
        expect(await files.readText(at("f"), 3)).toBe("hel");
        expect(await files.readText(at("f"), 0)).toBe("");
        expect(await files.readText(at("fifo"))).toBe("");
        expect(await files.readText("/proc/version")).toBe(readFileSync("/proc/version", "utf8"));
        expect(await files.readText(at("none"))).toBe(null);
        expect(await files.readText(at("f/below"))).toBe(null);
        expect(await files.readTail(at("none"), 5)).toBe(null);
        expect(await files.list(at("none"))).toEqual([]);
        expect(await files.list(at("f"))).toEqual([]);
        expect(await files.stat(at("none"))).toBe(null);
        expect(await files.readLink(at("none"))).toBe(null);
        expect(await files.readLink(at("f"))).toBe(null);
        await expect(files.readText(folder)).rejects.toThrow();
      });
      it("reads the end of a file", async () => {
        writeFileSync(at("log"), "one\ntwo\nthree\n");
        expect(await executor.files.readTail(at("log"), 6)).toBe("three\n");
        expect(await executor.files.readTail(at("log"), 100)).toBe("one\ntwo\nthree\n");
      });
      it("writes and reads back hostile names and contents byte for byte", async () => {
        const inner = at(HOSTILE.replaceAll("/", ""));
        const text = `${HOSTILE}\0\r\n\u2028${"x".repeat(1_000)}\n\n`;
        await executor.files.writeText(inner, text);
        expect(readFileSync(inner, "utf8")).toBe(text);
        expect(await executor.files.readText(inner)).toBe(text);
        expect(await executor.files.readTail(inner, 2)).toBe("\n\n");
        expect(await executor.files.stat(inner)).toMatchObject({ size: Buffer.byteLength(text) });
        await executor.files.remove(inner);
        expect(await executor.files.readText(inner)).toBe(null);
      });
      it("carries 16 MB", async () => {
        const text = "0123456789abcdeé\n".repeat(880_000);
        await executor.files.writeText(at("big"), text);
        expect(readFileSync(at("big"), "utf8") === text).toBe(true);
        expect((await executor.files.readText(at("big"))) === text).toBe(true);
      });
      it("lists every name, hidden and hostile ones too", async () => {
        const names = [
          ".hidden",
          "..twice",
          "-dash",
          "new\nline",
          "*",
          "with space",
          "é😀",
          "'quote\"",
          "...",
        ];
        mkdirSync(at("many"));
        for (const name of names) writeFileSync(join(folder, "many", name), "");
        symlinkSync("/nowhere", at("many/dangling"));
        expect((await executor.files.list(at("many"))).toSorted()).toEqual([...names, "dangling"].toSorted());
        mkdirSync(at("empty"));
        expect(await executor.files.list(at("empty"))).toEqual([]);
      });
      it("stats files, folders and what a link points to", async () => {
        writeFileSync(at("s"), "12345");
        chmodSync(at("s"), 0o2640);
        utimesSync(at("s"), 1_700_000_000.25, 1_700_000_000.25);
        symlinkSync("s", at("s-link"));
        const { ino: inode } = statSync(at("s"));
        const here = executor.kind === "local" ? { inode } : {};
        const found = { mtimeMs: 1_700_000_000_250, size: 5, isFile: true, mode: 0o2640, ...here };
        expect(await executor.files.stat(at("s"))).toEqual(found);
        expect(await executor.files.stat(at("s-link"))).toEqual(found);
        expect(await executor.files.stat(folder)).toMatchObject({ isFile: false, mode: 0o700 });
        expect(await executor.files.readLink(at("s-link"))).toBe("s");
      });
      it("writes through symlinks, keeps the mode and leaves no temp file", async () => {
        mkdirSync(at("real"));
        writeFileSync(at("real/settings.json"), "old");
        chmodSync(at("real/settings.json"), 0o640);
        symlinkSync("real/settings.json", at("link"));
        symlinkSync("real/new.json", at("link-to-nothing"));
        await executor.files.writeText(at("link"), "new", 0o600);
        await executor.files.writeText(at("link-to-nothing"), "");
        expect(lstatSync(at("link")).isSymbolicLink()).toBe(true);
        expect(lstatSync(at("link-to-nothing")).isSymbolicLink()).toBe(true);
        expect(readFileSync(at("real/settings.json"), "utf8")).toBe("new");
        expect(readFileSync(at("real/new.json"), "utf8")).toBe("");
        expect(statSync(at("real/settings.json")).mode & 0o777).toBe(0o640);
        expect(statSync(at("real/new.json")).mode & 0o777).toBe(0o600);
        expect(readdirSync(at("real")).toSorted()).toEqual(["new.json", "settings.json"]);
      });
      it("creates a file and its folders for the owner only", async () => {
        await executor.files.writeText(at("a/b/script"), "x", 0o700);
        expect(statSync(at("a")).mode & 0o777).toBe(0o700);
        expect(statSync(at("a/b/script")).mode & 0o777).toBe(0o700);
        await executor.files.remove(at("a/b/script"));
        await executor.files.remove(at("a/b/script"));
        expect(readdirSync(at("a/b"))).toEqual([]);
      });
      it("refuses to put a file in the place of a folder, and a link that goes round", async () => {
        mkdirSync(at("dir"));
        symlinkSync("round", at("round"));
        await expect(executor.files.writeText(at("dir"), "x")).rejects.toThrow();
        await expect(executor.files.writeText(at("round"), "x")).rejects.toThrow(/too many symbolic links/);
        await expect(executor.files.remove(at("dir"))).rejects.toThrow();
        expect(readdirSync(at("dir"))).toEqual([]);
      });
    });

    it("knows the home folder, without a final slash", async () => {
      expect(await executor.homeDir()).toBe(under.homeDir);
    });
  });
};

/** A program that stays over there, as every RemoteExecutor opens it. */
export const describeChannels = (
  name: string,
  make: () => Promise<{ executor: RemoteExecutor; close(): Promise<void> }>,
): void => {
  describe(name, () => {
    let under: Awaited<ReturnType<typeof make>>;
    beforeAll(async () => {
      under = await make();
    });
    afterAll(() => under.close());
    const start = (...argv: readonly string[]) => {
      const channel = under.executor.openChannel(argv);
      let said = "";
      channel.onStdout((chunk) => (said += chunk.toString("utf8")));
      const ended = new Promise<string>((done) => channel.onClose(done));
      return { channel, said: () => said, ended };
    };

    it("hands over what it says as it comes, and the reason of the end", async () => {
      const { channel, said, ended } = start("sh", "-c", "read x; echo got $x; printf last; exit 4");
      channel.write("word\n");
      expect(await ended).toBe("exit status 4");
      expect(said()).toBe("got word\nlast");
    });
    it("reports a program that cannot be started as an end", async () => {
      expect(await start("/nowhere/absent").ended).toMatch(/absent|127/);
    });
    it.each([
      ["reads its input", "echo $$; cat"],
      ["ignores SIGTERM and its stdin", "trap '' TERM; echo $$; while :; do sleep 1; done"],
    ])("close ends one that %s", async (_what, script) => {
      const { channel, said } = start("sh", "-c", script);
      await until(() => said().endsWith("\n"), "it runs");
      await channel.close();
      await until(() => !isAlive(Number(said())), "the program is gone");
    });
    it("passes arguments and input untouched", async () => {
      const word = "a'b\"c $HOME;`id`é😀\\0101";
      const { channel, said } = start("sh", "-c", 'printf "%s\\n" "$1"; cat', "sh", word);
      channel.write("in 'é😀\\n\n");
      await until(() => said() === `${word}\nin 'é😀\\n\n`, "both lines");
      await channel.close();
    });
  });
};
