import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { AgtmuxError } from "../model/errors.ts";
import { checkHome, checkSocket, ensureHome, resolveHome, runtimePaths } from "./paths.ts";

const codeOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof AgtmuxError) return error.code;
    throw error;
  }
  return "none";
};
const makeFolder = () => mkdtempSync(join(tmpdir(), "agtmux-paths-"));
const isRoot = process.geteuid?.() === 0;

describe("the runtime home", () => {
  test("is AGTMUX_HOME when set, else ~/.agtmux", () => {
    expect([
      resolveHome({ AGTMUX_HOME: "/x/y" }, "/home/me"),
      resolveHome({ AGTMUX_HOME: "" }, "/home/me"),
      resolveHome({}, "/home/me"),
    ]).toEqual(["/x/y", "/home/me/.agtmux", "/home/me/.agtmux"]);
  });

  test("is refused with a clear sentence when its socket path is too long", () => {
    expect(() => runtimePaths(`/${"x".repeat(100)}`)).toThrow(/114 bytes long, more than the 100/);
    expect(codeOf(() => runtimePaths(`/${"x".repeat(87)}`))).toBe("E_USAGE");
    expect(codeOf(() => runtimePaths(`/${"x".repeat(86)}`))).toBe("none");
  });

  test("that cannot be made is told with what to do", () => {
    const dangling = join(makeFolder(), "link");
    symlinkSync(join(dangling, "..", "nowhere"), dangling);
    const paths = runtimePaths(join(dangling, "home"));
    expect(() => ensureHome(paths)).toThrow(/link\/home cannot be made \(ENOENT\)/);
    expect(codeOf(() => ensureHome(paths))).toBe("E_USAGE");
  });

  test.runIf(existsSync("/proc/self"))("that the system has no place for is refused at once", () => {
    const paths = runtimePaths("/proc/agtmux-none");
    expect(() => ensureHome(paths)).toThrow("/proc/agtmux-none cannot be made (ENOENT)");
  });

  test("is created with its parents, which nobody else can read either", () => {
    const parent = join(makeFolder(), "a");
    const paths = runtimePaths(join(parent, "b", "home"));
    ensureHome(paths);
    expect([statSync(parent).mode & 0o777, statSync(paths.spoolNew).isDirectory()]).toEqual([0o700, true]);
  });

  test("is created 0700 with its folders, whatever the umask", () => {
    const paths = runtimePaths(join(makeFolder(), "home"));
    const previous = process.umask(0);
    try {
      ensureHome(paths);
    } finally {
      process.umask(previous);
    }
    expect(statSync(paths.home).mode & 0o777).toBe(0o700);
    ensureHome(paths);
    for (const folder of [paths.spoolNew, paths.spoolTmp, paths.spoolBad, paths.logDir, paths.binDir])
      expect(statSync(folder).mode & 0o077).toBe(0);
  });

  test("is refused when others can write to it", () => {
    const home = makeFolder();
    chmodSync(home, 0o770);
    expect(codeOf(() => checkHome(home))).toBe("E_SOCKET_UNSAFE");
    chmodSync(home, 0o755);
    expect(checkHome(home)).toBe(true);
  });

  test.each([
    ["everybody", 0o777],
    ["the group", 0o775],
  ])("is refused where %s could swap it, also behind a link, and not in a sticky folder", (_who, mode) => {
    const open = makeFolder();
    const home = join(open, "inner", "home");
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const link = join(makeFolder(), "link");
    symlinkSync(home, link);
    chmodSync(open, mode);
    expect([codeOf(() => checkHome(home)), codeOf(() => checkHome(link))]).toEqual([
      "E_SOCKET_UNSAFE",
      "E_SOCKET_UNSAFE",
    ]);
    chmodSync(open, 0o1000 | mode);
    expect([checkHome(home), checkHome(link)]).toEqual([true, true]);
  });

  test("that was there before is closed to readers", () => {
    const paths = runtimePaths(makeFolder());
    chmodSync(paths.home, 0o755);
    ensureHome(paths);
    expect(statSync(paths.home).mode & 0o777).toBe(0o700);
  });

  test("is refused when it is a file, and absent is no error", () => {
    const folder = makeFolder();
    writeFileSync(join(folder, "file"), "");
    expect(codeOf(() => checkHome(join(folder, "file")))).toBe("E_SOCKET_UNSAFE");
    expect(checkHome(join(folder, "absent"))).toBe(false);
  });

  test.runIf(isRoot)("is refused when it, or the link to it, belongs to someone else", () => {
    const folder = makeFolder();
    const foreign = join(folder, "foreign");
    mkdirSync(foreign, { mode: 0o700 });
    chownSync(foreign, 65_534, 65_534);
    expect(codeOf(() => checkHome(foreign))).toBe("E_SOCKET_UNSAFE");
    symlinkSync(foreign, join(folder, "link"));
    expect(codeOf(() => checkHome(join(folder, "link")))).toBe("E_SOCKET_UNSAFE");
  });

  test("a plain file or a link in the socket's place is refused", () => {
    const folder = makeFolder();
    const file = join(folder, "agtmuxd.sock");
    expect(checkSocket(file)).toBe(false);
    writeFileSync(file, "");
    expect(codeOf(() => checkSocket(file))).toBe("E_SOCKET_UNSAFE");
    symlinkSync("/nonexistent", join(folder, "link"));
    expect(codeOf(() => checkSocket(join(folder, "link")))).toBe("E_SOCKET_UNSAFE");
  });
});
