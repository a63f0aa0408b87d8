// The listing of a remote spool, by the shells and programs of this machine: order and age come from fractions of seconds, and
// more files than fit into one batch are taken from the oldest on.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { awaitHello, createRemoteShell, type RemoteShell } from "../../core/targets/remote/remoteShell.ts";
import type { RemoteSpool } from "../../core/ports/targetExecutor.ts";
import { createRemoteSpool } from "../../core/targets/remote/remoteSpool.ts";
import { randomIds, realClock } from "../setup/realClock.ts";
import { openShellChannel } from "./shellChannel.ts";

/** Empty where there is none: then the usual programs are tried twice. */
const BUSYBOX = spawnSync("sh", ["-c", "command -v busybox"], { encoding: "utf8" }).stdout.trim();

describe.each([
  ["the usual programs", false],
  ["busybox", true],
])("a spool listed with %s", (_name, isBusybox) => {
  let folder: string;
  let shell: RemoteShell;
  let spool: RemoteSpool;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "agtmux far 'spool-"));
    mkdirSync(join(folder, "new"));
    mkdirSync(join(folder, "bin"));
    if (isBusybox && BUSYBOX !== "")
      for (const tool of ["stat", "date", "ls", "head", "rm", "mv", "mkdir", "tail"])
        symlinkSync(BUSYBOX, join(folder, "bin", tool));
    const makeNonce = () => randomIds.nonce();
    const env = { PATH: `${join(folder, "bin")}:${process.env["PATH"] ?? ""}` };
    shell = createRemoteShell({ channel: openShellChannel(["sh"], env), clock: realClock, makeNonce });
    await awaitHello(shell);
    spool = createRemoteSpool({ shell, spoolDir: folder, makeNonce });
  });
  afterEach(async () => {
    await shell.close();
  });

  const drop = (name: string, at: number): void => {
    writeFileSync(join(folder, "new", name), name);
    utimesSync(join(folder, "new", name), at, at);
  };
  const read = async (count: number) => (await spool.read({ count, maxBytes: 100 })).map(({ name }) => name);

  it("is in the order of fractions of a second, then of names", async () => {
    const second = Math.floor(Date.now() / 1_000) - 100;
    drop("0000001-0", second + 0.75);
    drop("0000002-0", second + 0.25);
    drop("0000004-0", second + 0.5);
    drop("0000003-0", second + 0.5);
    const files = await spool.read({ count: 10, maxBytes: 100 });
    expect(files.map(({ name, bytes }) => [name, bytes?.toString()])).toEqual(
      ["0000002-0", "0000003-0", "0000004-0", "0000001-0"].map((name) => [name, name]),
    );
    const ages = files.map(({ ageMs }) => ageMs);
    expect(Math.max(...ages) - Math.min(...ages)).toBeCloseTo(500, 0);
  });

  it("gives the oldest where there are more than were asked for, and leaves the shell as it was", async () => {
    for (let index = 0; index < 30; index += 1) drop(`${1_000_000 + index}-0`, 1_000_000_000 - index);
    drop("not ours", 1);
    expect(await read(10)).toHaveLength(9);
    expect(await read(31)).toHaveLength(30);
    const first = await read(5);
    expect(first[0]).toBe("1000029-0");
    await spool.remove(first);
    expect((await read(2))[0]).not.toBe("1000029-0");
    const { stdout } = await shell.ask('x="a b *"; for y in $x; do printf "[%s]" "$y"; break; done', {
      timeoutMs: 20_000,
    });
    expect(stdout.toString()).toBe("[a]");
  });

  it("counts what the far clock will only show tomorrow as of now", async () => {
    drop("0000001-0", Date.now() / 1_000 + 86_400);
    const [file] = await spool.read({ count: 10, maxBytes: 100 });
    expect(file?.ageMs).toBe(0);
  });
});
