// install.sh: what it does for a person, in each shell that may be sh, and what it does with what a mirror, another user or an
// earlier file puts in its way. The mirror is on this machine, its archives are small.
import { execFile, execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listFiles, ROOT } from "./packageApp.ts";
import { smallEntries, startMirror, SYSTEM, tarOf, type Mirror, type TarEntry } from "./releaseMirror.ts";

const SCRIPT = join(ROOT, "scripts", "packaging", "install.sh");
/** busybox is no shell of macOS. */
const SHELLS: readonly (readonly string[])[] = [
  ["dash"],
  ["mksh"],
  ["bash", "--posix"],
  ...(process.platform === "linux" ? [["busybox", "sh"]] : []),
];
const isRoot = process.getuid?.() === 0;
const SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin";

let root: string;
let home: string;
let mirror: Mirror;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "agtmux-i-"));
  home = join(root, "a person's home");
  mkdirSync(home);
  mirror = await startMirror();
  mirror.release("1.0.0", tarOf(smallEntries("1.0.0")));
});
afterEach(async () => {
  await mirror.close();
  await rm(root, { recursive: true, force: true });
});

const local = (...path: string[]) => join(home, ".local", ...path);

/** Runs it as the person; what is not said stays out of its environment. */
const install = (
  options: {
    shell?: readonly string[];
    args?: readonly string[];
    env?: NodeJS.ProcessEnv;
    script?: string;
  } = {},
): Promise<{ status: number; stdout: string; stderr: string }> => {
  const [shell = "dash", ...words] = options.shell ?? ["dash"];
  const env = { HOME: home, PATH: SYSTEM_PATH, AGTMUX_RELEASES: mirror.address, ...options.env };
  const args = [...words, options.script ?? SCRIPT, ...(options.args ?? [])];
  return new Promise((resolve) => {
    execFile(shell, args, { env, cwd: root }, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      resolve({ status, stdout, stderr });
    });
  });
};

/** What another run of the command says, by the link that was made. */
const installedVersion = (): string =>
  execFileSync(local("bin", "agtmux"), ["--version"], {
    env: { PATH: SYSTEM_PATH },
    encoding: "utf8",
  }).trim();

it("is understood by every shell that may be sh", () => {
  console.log(`install.sh was read by: ${SHELLS.map((words) => words.join(" ")).join(", ")}`);
  for (const [shell = "", ...words] of SHELLS) {
    const { status, stderr, error } = spawnSync(shell, [...words, "-n", SCRIPT], { encoding: "utf8" });
    expect([shell, error?.message, status, stderr]).toEqual([shell, undefined, 0, ""]);
  }
});

it("has nothing that shellcheck warns of", () => {
  const { status, stdout, error } = spawnSync("shellcheck", ["--shell=sh", SCRIPT], { encoding: "utf8" });
  // Of Debian, and not needed for anything else.
  console.log(
    `shellcheck ${error === undefined ? "has read install.sh" : "is not here, and did not read install.sh"}`,
  );
  if (error === undefined) expect([status, stdout]).toEqual([0, ""]);
});

describe.each(SHELLS)("in %s", (...shell) => {
  it("installs for one person, in a path with spaces, and tells how it goes again", async () => {
    const { status, stdout, stderr } = await install({ shell });
    expect([status, stderr]).toEqual([0, ""]);
    expect(installedVersion()).toBe("1.0.0");
    expect(stdout).toContain(`is installed in ${local("share", "agtmux", `agtmux-1.0.0-${SYSTEM}`)}`);
    expect(stdout).toContain("is not on your PATH");
    expect(readdirSync(home)).toEqual([".local"]);
    expect(readdirSync(local("share", "agtmux")).toSorted()).toEqual([`agtmux-1.0.0-${SYSTEM}`, "current"]);
    const remove = /^ {2}rm -r '.*$/m.exec(stdout)?.[0] ?? "";
    execFileSync("sh", ["-c", remove], { env: { HOME: home, PATH: SYSTEM_PATH } });
    expect(listFiles(home)).toEqual([]);
  });

  it("puts a newer one beside it, keeps the one of before, and no more", async () => {
    for (const version of ["1.0.0", "1.1.0", "1.2.0", "1.2.0"]) {
      mirror.release(version, tarOf(smallEntries(version)));
      expect(await install({ shell })).toMatchObject({ status: 0, stderr: "" });
      expect(installedVersion()).toBe(version);
    }
    expect(readdirSync(local("share", "agtmux")).toSorted()).toEqual([`agtmux-1.2.0-${SYSTEM}`, "current"]);
    mirror.release("1.3.0", tarOf(smallEntries("1.3.0")));
    await install({ shell });
    expect(readdirSync(local("share", "agtmux")).toSorted()).toEqual(
      [`agtmux-1.2.0-${SYSTEM}`, `agtmux-1.3.0-${SYSTEM}`, "current"].toSorted(),
    );
    // Of a certain version, elsewhere.
    const opt = join(root, "opt");
    await install({ shell, args: ["--version", "v1.1.0", "--prefix", "opt"] });
    expect(readlinkSync(join(opt, "share", "agtmux", "current"))).toBe(`agtmux-1.1.0-${SYSTEM}`);
  });

  it("refuses an archive with another content", async () => {
    mirror.release("1.0.0", tarOf(smallEntries("1.0.0")), {
      sums: `${"0".repeat(64)}  agtmux-1.0.0-${SYSTEM}.tar.gz\n`,
    });
    const { status, stderr } = await install({ shell });
    expect([status, stderr]).toEqual([1, expect.stringContaining("not the one that SHA256SUMS names")]);
    expect(listFiles(home)).toEqual([]);
  });
});

it("links its completions and its man page where nothing is in the way, and they go with it", async () => {
  const share = `agtmux-1.0.0-${SYSTEM}/share/man/man1/agtmux.1`;
  const folders = ["", "/man", "/man/man1"].map((part) => ({
    name: `agtmux-1.0.0-${SYSTEM}/share${part}/`,
    type: "5",
  }));
  mirror.release(
    "1.0.0",
    tarOf([...smallEntries("1.0.0"), ...folders, { name: share, text: "page", mode: 0o644 }]),
  );
  mkdirSync(local("share", "fish", "vendor_completions.d"), { recursive: true });
  writeFileSync(local("share", "fish", "vendor_completions.d", "agtmux.fish"), "mine");
  const { stdout } = await install();
  expect(readFileSync(local("share", "man", "man1", "agtmux.1"), "utf8")).toBe("page");
  execFileSync("sh", ["-c", /^ {2}rm -r '.*$/m.exec(stdout)?.[0] ?? ""], { env: { PATH: SYSTEM_PATH } });
  expect(listFiles(home)).toEqual([".local/share/fish/vendor_completions.d/agtmux.fish"]);
});

/** Nothing of it may be left. */
const expectNothing = (): void => expect(listFiles(home)).toEqual([]);

describe("what no release is", () => {
  const name = `agtmux-1.0.0-${SYSTEM}`;
  const hostile: readonly (readonly [string, readonly TarEntry[], string])[] = [
    ["a path out of the folder", [{ name: `${name}/../../../evil`, text: "x" }], "outside of its folder"],
    ["an absolute path", [{ name: "/agtmux-evil", text: "x" }], "outside of its folder"],
    ["another folder", [{ name: "other/file", text: "x" }], "outside of its folder"],
    ["a link", [{ name: `${name}/l`, type: "2", link: "/etc" }], "links or special files"],
    [
      "a way through a link",
      [
        { name: `${name}/l`, type: "2", link: "../../../.." },
        { name: `${name}/l/evil`, text: "x" },
      ],
      "links or special files",
    ],
    ["a hard link", [{ name: `${name}/h`, type: "1", link: "/etc/passwd" }], "links or special files"],
    ["a pipe", [{ name: `${name}/p`, type: "6" }], "links or special files"],
    ["rights of others", [{ name: `${name}/s`, text: "x", mode: 0o4755 }], "links or special files"],
  ];
  it.each(hostile)("%s in the archive is refused", async (_what, entries, why) => {
    mirror.release("1.0.0", tarOf([...smallEntries("1.0.0"), ...entries]));
    const { status, stderr } = await install();
    expect([status, stderr]).toEqual([1, expect.stringContaining(why)]);
    expectNothing();
    expect(existsSync(join(root, "evil"))).toBe(false);
  });

  it("an archive that is none, is cut short, is missing or does not run is refused", async () => {
    const whole = tarOf(smallEntries("1.0.0"));
    for (const [archive, why] of [
      [Buffer.from("no archive"), "damaged"],
      [whole.subarray(0, whole.length - 40), "damaged"],
      [
        tarOf(smallEntries("1.0.1").map((one) => ({ ...one, name: one.name.replace("1.0.1", "1.0.0") }))),
        "does not run",
      ],
    ] as const) {
      mirror.release("1.0.0", archive);
      expect(await install()).toMatchObject({ status: 1, stderr: expect.stringContaining(why) as string });
      expectNothing();
    }
    mirror.put(`download/v1.0.0/${name}.tar.gz`, (response) => response.writeHead(404).end());
    expect((await install()).stderr).toContain("could not be fetched");
    mirror.put(`download/v1.0.0/${name}.tar.gz`, (response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write("x", () => response.destroy());
    });
    expect((await install()).stderr).toContain("could not be fetched");
    expectNothing();
  });

  it("a list that names nothing of use is refused", async () => {
    const hash = "a".repeat(64);
    for (const [sums, why] of [
      ["", "no archive"],
      ["<html>no</html>", "no archive"],
      [`${hash}  agtmux-1.0.0-${SYSTEM}.tar.gz\n`.repeat(2), "more than one"],
      [`${hash}  agtmux-../../1.0.0-${SYSTEM}.tar.gz\n`, "no archive"],
      [`${hash}  agtmux-$(touch evil)-${SYSTEM}.tar.gz\n`, "no archive"],
      [`${hash}  agtmux-1.0.0;touch\tevil-${SYSTEM}.tar.gz\n`, "no archive"],
      [`xyz  ${name}.tar.gz\n`, "no archive"],
      ["x".repeat(70_000), "larger than 65536"],
    ] as const) {
      mirror.release("1.0.0", tarOf(smallEntries("1.0.0")), { sums });
      const { status, stderr } = await install();
      expect([sums.slice(0, 200), status, stderr]).toEqual([
        sums.slice(0, 200),
        1,
        expect.stringContaining(why),
      ]);
      expectNothing();
    }
  });

  it("an answer without end is cut off", async () => {
    mirror.put("latest/download/SHA256SUMS", (response) => {
      response.writeHead(200);
      const more = (): void => {
        if (!response.destroyed) response.write("x".repeat(65_536), () => setImmediate(more));
      };
      more();
    });
    expect((await install()).stderr).toContain("larger than 65536");
    expectNothing();
  });

  it("an address that others can listen to is not asked", async () => {
    for (const [address, why] of [
      ["http://example.org/releases", "does not begin with https"],
      [mirror.address.replace("http://", "http://me@"), "characters"],
      ["http://127.0.0.1.example.org/", "does not begin with https"],
      ["file:///etc", "does not begin with https"],
      ["https://example.org/$(touch evil)", "characters"],
      ["", "names no address"],
    ] as const) {
      const { status, stderr } = await install({ env: { AGTMUX_RELEASES: address } });
      expect([address, status, stderr]).toEqual([address, 1, expect.stringContaining(why)]);
    }
    expect(mirror.asked).toEqual([]);
    expectNothing();
  });
});

describe("what is in the way", () => {
  it("stays, and nothing is fetched", async () => {
    const base = local("share", "agtmux");
    mkdirSync(local("bin"), { recursive: true });
    const bin = local("bin", "agtmux");
    writeFileSync(bin, "mine");
    expect((await install()).stderr).toContain("is there already, and not from here");
    expect(readFileSync(bin, "utf8")).toBe("mine");
    await rm(bin);
    symlinkSync("/nowhere", bin);
    expect((await install()).stderr).toContain("is there already, and not from here");
    await rm(bin);
    mkdirSync(join(base, "current"), { recursive: true });
    writeFileSync(join(base, "current", "file"), "mine");
    expect((await install()).stderr).toContain("is in the way: it is no link");
    await rm(base, { recursive: true });
    writeFileSync(base, "mine");
    expect((await install()).status).toBe(1);
    await rm(base);
    mkdirSync(base);
    chmodSync(base, 0o777);
    expect((await install()).stderr).toContain("everybody may write to");
    expect(mirror.asked).toEqual([]);
  });

  it("of another version's name is no way out of the folder", async () => {
    const base = local("share", "agtmux");
    mkdirSync(base, { recursive: true });
    mkdirSync(join(root, "theirs"));
    symlinkSync(join(root, "theirs"), join(base, `agtmux-1.0.0-${SYSTEM}`));
    expect((await install()).stderr).toContain("is in the way: it is a link");
    expect(readdirSync(join(root, "theirs"))).toEqual([]);
    await rm(join(base, `agtmux-1.0.0-${SYSTEM}`));
    symlinkSync(join(root, "theirs"), join(base, "agtmux-0.9.0"));
    expect((await install()).status).toBe(0);
    expect(existsSync(join(root, "theirs"))).toBe(true);
  });

  it.skipIf(!isRoot)("and another user's is not used (needs root)", async () => {
    const base = local("share", "agtmux");
    mkdirSync(base, { recursive: true });
    chownSync(base, 65_534, 65_534);
    expect((await install()).stderr).toContain("belongs to another user");
    expect(mirror.asked).toEqual([]);
    expect(readdirSync(base)).toEqual([]);
  });
});

describe("on other machines", () => {
  /** Programs in front of the system's, or, with `only`, instead of them. */
  const tools = (programs: Readonly<Record<string, string>>, only: readonly string[] = []): string => {
    const folder = mkdtempSync(join(root, "tools-"));
    for (const [name, text] of Object.entries(programs))
      writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    for (const name of only) {
      const found = execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
      symlinkSync(found, join(folder, name));
    }
    return only.length > 0 ? folder : `${folder}:${SYSTEM_PATH}`;
  };
  const uname = (kernel: string, machine: string) =>
    tools({ uname: `case $1 in -s) echo ${kernel} ;; *) echo ${machine} ;; esac`, sysctl: "echo 0" });

  it("the archive of that system is taken", async () => {
    for (const [kernel, machine, system] of [
      ["Darwin", "arm64", "macos-arm64"],
      ["Darwin", "x86_64", "macos-x64"],
    ] as const) {
      mirror.release("1.0.0", tarOf(smallEntries("1.0.0", system)), { system });
      const { status, stderr } = await install({
        env: { PATH: uname(kernel, machine) },
        args: ["--prefix", system],
      });
      expect([system, status, stderr]).toEqual([system, 0, ""]);
      expect(readlinkSync(join(root, system, "share", "agtmux", "current"))).toBe(`agtmux-1.0.0-${system}`);
    }
  });

  it("without an archive it is said, and what to do", async () => {
    for (const [kernel, machine, why] of [
      ["Linux", "riscv64", "no archive for riscv64"],
      ["FreeBSD", "x86_64", "no archive for FreeBSD"],
    ] as const)
      expect((await install({ env: { PATH: uname(kernel, machine) } })).stderr).toContain(why);
    if (SYSTEM === "linux-x64")
      expect((await install({ env: { PATH: uname("Linux", "aarch64") } })).stderr).toContain("another libc");
    expect(mirror.asked).toEqual([]);
    expectNothing();
  });

  it.skipIf(process.platform !== "linux")("wget and openssl do as well as curl and sha256sum", async () => {
    const common =
      "sh uname id sed tr awk grep head wc cut rm mkdir mktemp ls ln mv readlink dirname gzip tar cat".split(
        " ",
      );
    const only = [...common, "wget", "openssl"];
    const missing = only.filter(
      (name) => spawnSync("sh", ["-c", `command -v ${name}`], { stdio: "ignore" }).status !== 0,
    );
    expect(missing).toEqual([]);
    const { status, stderr } = await install({ shell: ["/usr/bin/dash"], env: { PATH: tools({}, only) } });
    expect([status, stderr]).toEqual([0, ""]);
    const none = await install({
      shell: ["/usr/bin/dash"],
      env: { PATH: tools({}, common) },
      args: ["--prefix", "b"],
    });
    expect(none.stderr).toContain("curl or wget is needed");
  });
});

it("does nothing where it arrived only in part", async () => {
  const text = readFileSync(SCRIPT, "utf8");
  const lines = text.split("\n");
  for (let count = 1; count < lines.length - 2; count += 9) {
    const cut = join(root, "cut.sh");
    writeFileSync(cut, lines.slice(0, count).join("\n").slice(0, -3));
    await install({ script: cut });
  }
  expect(mirror.asked).toEqual([]);
  expectNothing();
});

it("says what it takes, and changes nothing for that", async () => {
  expect((await install({ args: ["--help"] })).stdout).toContain("--prefix");
  expect((await install({ args: ["--what"] })).status).toBe(2);
  expect((await install({ args: ["--version"] })).stderr).toContain("needs a value");
  expect((await install({ args: ["--version", "$(touch x)"] })).stderr).toContain("this is no version");
  expect((await install({ env: { HOME: "" } })).stderr).toContain("HOME is not set");
  expectNothing();
});
