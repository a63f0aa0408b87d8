// `agtmux upgrade` of an installation from an archive: asked by a person, with a daemon that runs, by a link or in its own folder; and
// what a place of releases that means no good can do to it: nothing. The archives have everything but a Node of their own.
import { execFile } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { until } from "../setup/realClock.ts";
import { ROOT } from "./packageApp.ts";
import {
  makeArchive,
  rearchiveAs,
  sha256,
  startMirror,
  SYSTEM,
  tarOf,
  smallEntries,
  type Mirror,
} from "./releaseMirror.ts";

const MAKE_LIMIT_MS = 120_000;
const SCRIPT = join(ROOT, "scripts", "packaging", "install.sh");

let made: string;
const archives = new Map<string, Buffer>();
beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), "agtmux-made-"));
  const archive = await makeArchive(made, { isSmall: true });
  for (const version of ["1.0.0", "1.1.0", "1.2.0"])
    archives.set(version, readFileSync(await rearchiveAs(archive, version)));
}, MAKE_LIMIT_MS);
afterAll(() => rm(made, { recursive: true, force: true }));

let root: string;
let home: string;
let tmux: PrivateTmux;
let mirror: Mirror;
const publish = (version: string): void => mirror.release(version, archives.get(version) ?? Buffer.alloc(0));

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "agtmux-v-"));
  home = join(root, "a home");
  mkdirSync(home);
  tmux = createPrivateTmux();
  mirror = await startMirror();
  publish("1.0.0");
  expect(await run("dash", [SCRIPT])).toMatchObject({ status: 0, stderr: "" });
});
afterEach(async () => {
  await agtmux("daemon", "stop");
  await tmux.close();
  await mirror.close();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
});

const base = (...path: string[]) => join(home, ".local", "share", "agtmux", ...path);
const command = () => join(home, ".local", "bin", "agtmux");
const run = (
  file: string,
  args: readonly string[],
  more: NodeJS.ProcessEnv = {},
): Promise<{ status: number; stdout: string; stderr: string }> => {
  const env = {
    HOME: home,
    AGTMUX_HOME: join(root, "a"),
    PATH: "/usr/local/bin:/usr/bin:/bin",
    AGTMUX_RELEASES: mirror.address,
    AGTMUX_TMUX_SOCKETS: tmux.socketPath,
    LC_ALL: "C.UTF-8",
    ...more,
  };
  return new Promise((resolve) => {
    execFile(file, [...args], { env, cwd: home }, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      resolve({ status, stdout, stderr });
    });
  });
};
const agtmux = (...args: string[]) => run(command(), args);
const versionOf = async (file = command()) => (await run(file, ["--version"])).stdout.trim();
const daemonVersion = async (): Promise<string> =>
  (JSON.parse((await agtmux("daemon", "status", "--json")).stdout) as { version: string }).version;

it("fetches, tries and places the newer one, replaces the daemon, and keeps one version of before", async () => {
  await agtmux("list", "panes");
  expect(await daemonVersion()).toBe("1.0.0");
  publish("1.1.0");
  const asked = await agtmux("upgrade");
  expect([asked.status, asked.stdout]).toEqual([6, expect.stringContaining("1.1.0 is the newest release")]);
  expect(asked.stderr).toContain("Repeat with --yes");
  expect((await agtmux("upgrade", "--check")).status).toBe(0);
  expect(await versionOf()).toBe("1.0.0");
  const done = await agtmux("upgrade", "--yes");
  expect([done.status, done.stderr]).toEqual([0, ""]);
  expect(done.stdout).toContain("The daemon was replaced");
  expect([await versionOf(), await daemonVersion()]).toEqual(["1.1.0", "1.1.0"]);
  expect(readlinkSync(base("current"))).toBe(`agtmux-1.1.0-${SYSTEM}`);
  publish("1.2.0");
  expect((await agtmux("doc", "upgrade", "--yes")).status).toBe(0);
  expect(readdirSync(base()).toSorted()).toEqual(
    [`agtmux-1.1.0-${SYSTEM}`, `agtmux-1.2.0-${SYSTEM}`, "current"].toSorted(),
  );
  expect((await agtmux("upgrade")).stdout).toBe("This is agtmux 1.2.0, the newest release.\n");
  // Never back.
  publish("1.1.0");
  expect((await agtmux("upgrade", "--yes")).stdout).toBe(
    "This is agtmux 1.2.0; 1.1.0 is the newest release.\n",
  );
  expect(await versionOf()).toBe("1.2.0");
}, 120_000);

it("replaces a folder that somebody unpacked where they like", async () => {
  const mine = join(home, "opt", "my agtmux");
  mkdirSync(dirname(mine));
  renameSync(base(`agtmux-1.0.0-${SYSTEM}`), mine);
  publish("1.1.0");
  const own = join(mine, "bin", "agtmux");
  const { status, stderr } = await run(own, ["upgrade", "--yes"]);
  expect([status, stderr]).toEqual([0, ""]);
  expect(await versionOf(own)).toBe("1.1.0");
  expect(readdirSync(join(home, "opt"))).toEqual(["my agtmux"]);
});

it("changes nothing whatever a place of releases says", async () => {
  const good = archives.get("1.1.0") ?? Buffer.alloc(0);
  const name = `agtmux-1.1.0-${SYSTEM}`;
  const expectNothing = async (why: string): Promise<void> => {
    const { status, stderr } = await agtmux("upgrade", "--yes");
    expect([why, status, stderr]).toEqual([why, 15, expect.stringContaining(why)]);
    expect(readdirSync(base()).toSorted()).toEqual([`agtmux-1.0.0-${SYSTEM}`, "current"]);
    expect(await versionOf()).toBe("1.0.0");
  };
  mirror.release("1.1.0", good, { sums: `${"0".repeat(64)}  ${name}.tar.gz\n` });
  await expectNothing("not the one that SHA256SUMS names");
  mirror.release("1.1.0", good.subarray(0, good.length - 1_000));
  await expectNothing("damaged");
  mirror.release("1.1.0", tarOf([...smallEntries("1.1.0"), { name: `${name}/../../evil`, text: "x" }]));
  await expectNothing("outside of its folder");
  mirror.release(
    "1.1.0",
    tarOf(smallEntries("1.1.0").map((one) => ({ ...one, text: one.text?.replace("1.1.0", "9.9.9") ?? "" }))),
  );
  await expectNothing("does not run here");
  mirror.release("1.1.0", Buffer.from("none"), { sums: "nothing" });
  await expectNothing("names no archive");
  mirror.release("1.1.0", good, {
    sums: `${sha256(good)}  agtmux-1.1.0-macos-${SYSTEM.startsWith("macos-x") ? "arm64" : "x64"}.tar.gz\n`,
  });
  await expectNothing("has no archive for");
  mirror.release("1.1.0", good);
  mirror.put(`download/v1.1.0/${name}.tar.gz`, (response) => {
    response.writeHead(200, { "content-length": String(good.length) });
    response.write(good.subarray(0, 5_000), () => response.destroy());
  });
  await expectNothing("cannot be fetched");
  mirror.put("latest/download/SHA256SUMS", (response) =>
    response.writeHead(302, { location: "http://example.org/" }).end(),
  );
  await expectNothing("isn't encrypted");
  expect(existsSync(base("evil"))).toBe(false);
}, 120_000);

it("leaves alone what it may not or need not change", async () => {
  publish("1.1.0");
  chmodSync(base(), 0o777);
  expect((await agtmux("upgrade", "--yes")).stderr).toContain("everybody may write to");
  chmodSync(base(), 0o755);
  for (const [address, why] of [
    ["http://example.org/", "cannot be used"],
    ["https://me:word@example.org/", "cannot be used"],
  ] as const)
    expect((await run(command(), ["upgrade"], { AGTMUX_RELEASES: address })).stderr).toContain(why);
  const config = join(root, "a", "config.json");
  mkdirSync(join(root, "a"), { recursive: true, mode: 0o700 });
  writeFileSync(config, "{");
  expect((await run(command(), ["upgrade"], { AGTMUX_RELEASES: "" })).stderr).toContain("E_CONFIG_INVALID");
  writeFileSync(config, JSON.stringify({ releases: { address: mirror.address } }));
  expect((await run(command(), ["upgrade", "--check"], { AGTMUX_RELEASES: "" })).stdout).toContain(
    "1.1.0 is the newest",
  );
  await rm(config);
  const unknown = await run(command(), ["upgrade"], { AGTMUX_RELEASES: "" });
  expect([unknown.status, unknown.stdout]).toEqual([
    0,
    expect.stringContaining("does not know where its releases are"),
  ]);
  expect(await versionOf()).toBe("1.0.0");
});

it("two at the same time both end well", async () => {
  publish("1.1.0");
  const both = await Promise.all([agtmux("upgrade", "--yes"), agtmux("upgrade", "--yes")]);
  expect(both.map(({ status }) => status)).toEqual([0, 0]);
  expect(await versionOf()).toBe("1.1.0");
  expect(readdirSync(base()).filter((name) => name.startsWith("."))).toEqual([]);
});

it("is told of by doctor and with this machine where the person wants that, after one question in a day", async () => {
  publish("1.1.0");
  const asked = (): number => mirror.asked.filter((path) => path.includes("/latest/")).length;
  const newer = async (): Promise<string | null> => {
    const { items } = JSON.parse((await agtmux("target", "list", "--json")).stdout) as {
      items: { newer_release: string | null }[];
    };
    return items[0]?.newer_release ?? null;
  };
  const release = async (): Promise<string> => {
    const { findings } = JSON.parse((await agtmux("doctor", "--json")).stdout) as {
      findings: { check: string; status: string; summary: string }[];
    };
    const found = findings.find(({ check }) => check === "daemon.release");
    return `${found?.status ?? "none"}: ${found?.summary ?? ""}`;
  };
  const before = asked();
  expect(await release()).toBe("skipped: Nobody looks for newer releases: releases.check is off.");
  expect((await agtmux("config", "set", "releases.address", mirror.address)).status).toBe(0);
  expect((await agtmux("config", "set", "releases.address", "http://example.org")).status).toBe(2);
  expect((await agtmux("config", "set", "releases.check", "true")).status).toBe(0);
  await until(async () => (await newer()) === "1.1.0", "the row of this machine says it", 15_000);
  expect(await release()).toBe("warning: agtmux 1.1.0 is there; this is 1.0.0.");
  expect((await agtmux("doctor")).stdout).toContain("Run 'agtmux upgrade'");
  expect(asked() - before).toBe(1);
  expect((await agtmux("config", "set", "releases.check", "false")).status).toBe(0);
  await until(async () => (await newer()) === null, "nothing is said any more", 15_000);
  expect((await agtmux("config", "set", "releases.check", "true")).status).toBe(0);
  await until(async () => (await newer()) === "1.1.0", "what is known is said again", 15_000);
  expect(asked() - before).toBe(1);
}, 120_000);

it("is asked for at a terminal, and a no changes nothing", async () => {
  publish("1.1.0");
  const shows = (text: string) =>
    until(
      async () => (await tmux.run("capture-pane", "-p", "-J", "-t", "work:")).includes(text),
      text,
      20_000,
    );
  const settings = [
    `HOME='${home}'`,
    `AGTMUX_HOME='${join(root, "a")}'`,
    `AGTMUX_RELEASES='${mirror.address}'`,
    `AGTMUX_TMUX_SOCKETS='${tmux.socketPath}'`,
  ].join(" ");
  await tmux.newSession("work", "exec sh");
  await tmux.run("send-keys", "-t", "work:", `env ${settings} '${command()}' upgrade`, "Enter");
  await shows("Fetch 1.1.0 and put it there? [y/N]");
  await tmux.run("send-keys", "-t", "work:", "n", "Enter");
  await shows("Nothing was done.");
  expect(await versionOf()).toBe("1.0.0");
  await tmux.run("send-keys", "-t", "work:", "clear", "Enter");
  await tmux.run("send-keys", "-t", "work:", `env ${settings} '${command()}' upgrade`, "Enter");
  await shows("Fetch 1.1.0 and put it there? [y/N]");
  await tmux.run("send-keys", "-t", "work:", "y", "Enter");
  await shows("No daemon was running");
  expect(await versionOf()).toBe("1.1.0");
}, 120_000);

it("leaves a whole installation behind where it is killed or interrupted, and ends well the next time", async () => {
  publish("1.1.0");
  const name = `download/v1.1.0/agtmux-1.1.0-${SYSTEM}.tar.gz`;
  const whole = archives.get("1.1.0") ?? Buffer.alloc(0);
  for (const signal of ["SIGKILL", "SIGINT"] as const) {
    const { promise: isUnderWay, resolve } = Promise.withResolvers<void>();
    mirror.put(name, (response) => {
      response.writeHead(200, { "content-length": String(whole.length) });
      response.write(whole.subarray(0, whole.length / 2), () => resolve());
    });
    const ended = new Promise<string>((done) => {
      const env = {
        HOME: home,
        AGTMUX_HOME: join(root, "a"),
        PATH: "/usr/bin:/bin",
        AGTMUX_RELEASES: mirror.address,
      };
      const child = execFile(command(), ["upgrade", "--yes"], { env }, (_error, _stdout, stderr) =>
        done(stderr),
      );
      void isUnderWay.then(() => child.kill(signal));
    });
    const said = await ended;
    if (signal === "SIGINT") expect(said).toContain("it was cancelled");
    expect(readlinkSync(base("current"))).toBe(`agtmux-1.0.0-${SYSTEM}`);
    expect(await versionOf()).toBe("1.0.0");
  }
  publish("1.1.0");
  expect((await agtmux("upgrade", "--yes")).status).toBe(0);
  expect(await versionOf()).toBe("1.1.0");
}, 120_000);
