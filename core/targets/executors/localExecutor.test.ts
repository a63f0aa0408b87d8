import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SocketConnection, TargetExecutor } from "../../ports/targetExecutor.ts";
import { createLocalExecutor } from "./localExecutor.ts";

let executor: TargetExecutor;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-executor-"));
  executor = createLocalExecutor({
    targetId: "host",
    env: { PATH: process.env["PATH"], HOME: `${folder}/` },
  });
});
afterEach(() => executor.close());

const connectTo = (path: string): SocketConnection => {
  if (executor.sockets === undefined) throw new Error("sockets of this machine can be reached");
  return executor.sockets.connect(path);
};

describe("run", () => {
  it("passes arguments untouched, feeds stdin and reports both streams and the exit status", async () => {
    const hostile = "a'b\"c $HOME;`id`\n%~";
    const result = await executor.run(
      ["sh", "-c", 'printf %s "$1"; cat; echo bad >&2; exit 3', "sh", hostile],
      {
        timeoutMs: 5_000,
        stdin: "|in",
      },
    );
    expect(result).toEqual({ exitCode: 3, stdout: `${hostile}|in`, stderr: "bad\n", timedOut: false });
  });

  it("waits no longer for a child that has ended, while what it started keeps its output open", async () => {
    const holder = join(folder, "holder");
    const script = `sleep 30 & echo $! > ${holder}; echo early`;
    const begun = Date.now();
    const result = await executor.run(["sh", "-c", script], { timeoutMs: 300 });
    process.kill(Number(readFileSync(holder, "utf8")), "SIGKILL");
    expect(result).toEqual({ exitCode: null, stdout: "early\n", stderr: "", timedOut: true });
    expect(Date.now() - begun).toBeLessThan(10_000);
  });

  it("ends a child at the time-out and says so", async () => {
    const result = await executor.run(["sh", "-c", "echo early; exec tail -f /dev/null"], { timeoutMs: 200 });
    expect(result).toEqual({ exitCode: null, stdout: "early\n", stderr: "", timedOut: true });
  });

  it("bounds output and ends a child that writes without end", async () => {
    const result = await executor.run(["yes"], { timeoutMs: 10_000, maxBytes: 1_000 });
    expect(result).toMatchObject({ exitCode: null, timedOut: false });
    expect(result.stdout.length).toBe(1_000);
  });

  it("throws when the program does not exist", async () => {
    await expect(executor.run([join(folder, "absent")], { timeoutMs: 1_000 })).rejects.toThrow(
      /could not start/,
    );
  });
});

describe("sockets", () => {
  const listening = async (): Promise<{ path: string; server: Server }> => {
    const path = join(folder, "socket");
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", (bytes) => socket.write(`got ${bytes.toString("utf8")}`));
    });
    await new Promise<void>((done) => server.listen(path, done));
    return { path, server };
  };

  it("carries bytes both ways, also those that are written before it is open", async () => {
    const { path, server } = await listening();
    const connection = connectTo(path);
    connection.write(Buffer.from("early"));
    const heard = await new Promise<string>((done) => {
      connection.onData((bytes) => done(Buffer.from(bytes).toString("utf8")));
    });
    expect(heard).toBe("got early");
    connection.close();
    server.close();
  });

  it("says why it could not be opened", async () => {
    const connection = connectTo(join(folder, "absent"));
    expect(await new Promise((done) => connection.onClose(done))).toBe("ENOENT");
  });

  it("are told apart, also at the same path, and only those that are the user's own", async () => {
    const identify = async (): Promise<string | null | undefined> => {
      const found = await executor.sockets?.find(join(folder, "socket"), "trusted");
      return found?.doubt === null ? found.identity : null;
    };
    expect(await identify()).toBe(null);
    const first = await listening();
    const is = await identify();
    connectTo(first.path).close();
    chmodSync(first.path, 0o700);
    expect(await identify()).toBe(is);
    await new Promise((done) => first.server.close(done));
    writeFileSync(first.path, "");
    expect(await identify()).toBe(null);
    rmSync(first.path);
    const second = await listening();
    expect(await identify()).toMatch(/^\d+ \d+ \d+$/);
    expect(await identify()).not.toBe(is);
    if (process.geteuid?.() === 0) {
      chownSync(second.path, 65_534, 65_534);
      expect(await identify()).toBe(null);
    }
    second.server.close();
  });

  it("ends with the executor", async () => {
    const { path, server } = await listening();
    const connection = connectTo(path);
    const closed = new Promise((done) => connection.onClose(done));
    await executor.close();
    await closed;
    expect(() => connectTo(path)).toThrow("is closed");
    server.close();
  });
});

describe("files", () => {
  it("reads a prefix, /proc files of size 0 and FIFOs without blocking; missing is null", async () => {
    writeFileSync(join(folder, "f"), "hello");
    execFileSync("mkfifo", [join(folder, "fifo")]);
    expect(await executor.files.readText(join(folder, "f"), 3)).toBe("hel");
    expect(await executor.files.readText(join(folder, "fifo"))).toBe("");
    expect(await executor.files.readText(join(folder, "none"))).toBe(null);
    expect(await executor.files.readText(join(folder, "f", "below"))).toBe(null);
    expect(await executor.files.list(join(folder, "none"))).toEqual([]);
    expect(await executor.files.stat(join(folder, "none"))).toBe(null);
  });

  it("writes through symlinks, keeps the mode and leaves no temp file", async () => {
    mkdirSync(join(folder, "real"));
    writeFileSync(join(folder, "real", "settings.json"), "old");
    chmodSync(join(folder, "real", "settings.json"), 0o640);
    symlinkSync("real/settings.json", join(folder, "link"));
    await executor.files.writeText(join(folder, "link"), "new", 0o600);
    expect(lstatSync(join(folder, "link")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, "real", "settings.json"), "utf8")).toBe("new");
    expect(statSync(join(folder, "real", "settings.json")).mode & 0o777).toBe(0o640);
    expect(readdirSync(join(folder, "real"))).toEqual(["settings.json"]);
  });

  it("creates a file and its folders for the owner only", async () => {
    await executor.files.writeText(join(folder, "a", "b", "script"), "x", 0o700);
    expect(statSync(join(folder, "a")).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "a", "b", "script")).mode & 0o777).toBe(0o700);
    await executor.files.remove(join(folder, "a", "b", "script"));
    await executor.files.remove(join(folder, "a", "b", "script"));
    expect(readdirSync(join(folder, "a", "b"))).toEqual([]);
  });

  it("gives the home folder without a final slash", async () => {
    expect(await executor.homeDir()).toBe(folder);
  });
});
