import { describe, expect, it } from "vitest";
import { parseCmdline, parseProcStat, parseUptime } from "./procStat.ts";
import { parsePsTable } from "./psTable.ts";

/** The form of macOS's ps: right-aligned numbers, names cut at their column, paths with spaces. */
const MAC = [
  "  PID  PPID STARTED                      COMMNAME         ARGUMENTS",
  "    1     0 Sat Nov 21 08:34:13 2026     /sbin/launchd    /sbin/launchd",
  "  501     1 Sun Nov  1 00:00:09 2026     -zsh             -zsh",
  "12345   501 Sat Nov 21 08:34:14 2026     /opt/homebrew/bi /opt/homebrew/bin/node /opt/homebrew/bin/claude --x",
  "12346 12345 Sat Nov 21 08:34:15 2026     claude           claude --resume a  b",
  "  777     1 Sat Nov 21 08:34:16 2026     /Applications/My /Applications/My App.app/Contents/MacOS/My App",
  "garbage",
  "",
].join("\n");

describe("parsePsTable", () => {
  it("reads output of the form of macOS", () => {
    expect(parsePsTable(MAC)).toEqual([
      {
        pid: 1,
        ppid: 0,
        comm: "launchd",
        args: "/sbin/launchd",
        startedAt: Date.UTC(2026, 10, 21, 8, 34, 13),
      },
      { pid: 501, ppid: 1, comm: "-zsh", args: "-zsh", startedAt: Date.UTC(2026, 10, 1, 0, 0, 9) },
      {
        pid: 12_345,
        ppid: 501,
        comm: "node",
        args: "/opt/homebrew/bin/node /opt/homebrew/bin/claude --x",
        startedAt: Date.UTC(2026, 10, 21, 8, 34, 14),
      },
      {
        pid: 12_346,
        ppid: 12_345,
        comm: "claude",
        args: "claude --resume a  b",
        startedAt: Date.UTC(2026, 10, 21, 8, 34, 15),
      },
      {
        pid: 777,
        ppid: 1,
        comm: "My",
        args: "/Applications/My App.app/Contents/MacOS/My App",
        startedAt: Date.UTC(2026, 10, 21, 8, 34, 16),
      },
    ]);
  });

  it("gives nothing for output of another form", () => {
    expect(parsePsTable("ps: illegal option")).toEqual([]);
  });

  it("leaves out a line with a number that is no pid of any system", () => {
    const digits = "9".repeat(30);
    expect(
      parsePsTable(MAC.replace("12345   501", `${digits} 1`).replace("12346 12345", `2 ${digits}`)),
    ).toEqual(parsePsTable(MAC).filter(({ pid }) => pid !== 12_345 && pid !== 12_346));
  });
});

describe("parseProcStat", () => {
  const tail = "S 7 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 3 0 12345 1000 100";
  it("finds the fields behind a name that holds anything", () => {
    expect(parseProcStat(`42 (a) R 1 (b \n) ${tail}\n`)).toEqual({
      pid: 42,
      ppid: 7,
      comm: "a) R 1 (b ",
      startedAfterBootMs: 123_450,
      isZombie: false,
      threadCount: 3,
    });
  });

  it("tells a zombie, and gives null for what is no stat", () => {
    expect(parseProcStat(`42 (x) ${tail.replace("S", "Z")}`)?.isZombie).toBe(true);
    expect(parseProcStat("")).toBe(null);
    expect(parseProcStat("42 (x) S")).toBe(null);
    for (const pid of ["1e308", "0x10", "-1", "44444444444444444", ""])
      expect(parseProcStat(`${pid} (x) ${tail}`)).toBe(null);
    expect(parseProcStat(`42 (x) ${tail.replace("12345", "1e308")}`)).toBe(null);
  });
});

it("reads the time since boot, and null for what is no time", () => {
  expect(parseUptime("1000.55 900.1\n")).toBe(1_000_550);
  expect([parseUptime(""), parseUptime("1e308 1")]).toEqual([null, null]);
});

describe("parseCmdline", () => {
  it("takes no longer for many empty arguments than for others", () => {
    expect(parseCmdline(`node${"\0".repeat(1_000_000)}x`)).toMatch(/^node +$/);
  });

  it("joins arguments and strips control characters", () => {
    expect(parseCmdline("node\0a b\0--c\u001b[1m\n\0\0")).toBe("node a b --c[1m");
  });
});
