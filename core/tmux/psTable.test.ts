import { describe, expect, it } from "vitest";
import { parseCmdline, parseProcStat, parseUptime, parsePsNames, parsePsRows } from "./processText.ts";

/** The form of macOS's ps: right-aligned numbers, names cut at their column, paths with spaces. */
const ROWS = [
  "    1     0 Ss   Sat Nov 21 08:34:13 2026    ",
  "  501     1 S+   Sun Nov  1 00:00:09 2026    ",
  "12345   501 U    Sat Nov 21 08:34:14 2026    ",
  "12346 12345 Z+   Sat Nov 21 08:34:15 2026    ",
  "garbage",
  "",
].join("\n");
const NAMES = [
  "  PID COMMNAME         ARGUMENTS",
  "    1 /sbin/launchd    /sbin/launchd",
  "  501 -zsh             -zsh",
  "12345 /opt/homebrew/bi /opt/homebrew/bin/node /opt/homebrew/bin/claude --x",
  "12346 claude           claude --resume a  b",
  "  777 /Applications/My /Applications/My App.app/Contents/MacOS/My App",
  "garbage",
  "",
].join("\n");

describe("parsePsRows", () => {
  it("reads output of the form of macOS, and takes a zombie for none", () => {
    expect([...parsePsRows(ROWS).values()]).toEqual([
      { pid: 1, ppid: 0, startedAt: Date.UTC(2026, 10, 21, 8, 34, 13), isStopped: false, isInFront: false },
      { pid: 501, ppid: 1, startedAt: Date.UTC(2026, 10, 1, 0, 0, 9), isStopped: false, isInFront: true },
      {
        pid: 12_345,
        ppid: 501,
        startedAt: Date.UTC(2026, 10, 21, 8, 34, 14),
        isStopped: false,
        isInFront: false,
      },
    ]);
  });

  it("tells one that is suspended", () => {
    const row = "  812   501 T    Sat Nov 21 08:34:15 2026    ";
    expect(parsePsRows(row).get(812)?.isStopped).toBe(true);
  });

  it("gives nothing for output of another form", () => {
    expect(parsePsRows("ps: illegal option").size).toBe(0);
  });

  it("leaves out a line with a number that is no pid of any system", () => {
    const digits = "9".repeat(30);
    const wrong = ROWS.replace("12345   501", `${digits} 1`).replace("  501     1", `2 ${digits}`);
    expect([...parsePsRows(wrong).keys()]).toEqual([1]);
  });
});

describe("parsePsNames", () => {
  it("reads output of the form of macOS", () => {
    expect([...parsePsNames(NAMES)]).toEqual([
      [1, { comm: "launchd", args: "/sbin/launchd", path: "/sbin/launchd" }],
      [501, { comm: "-zsh", args: "-zsh", path: null }],
      [
        12_345,
        {
          comm: "node",
          args: "/opt/homebrew/bin/node /opt/homebrew/bin/claude --x",
          path: "/opt/homebrew/bin/node",
        },
      ],
      [12_346, { comm: "claude", args: "claude --resume a  b", path: null }],
      [777, { comm: "My", args: "/Applications/My App.app/Contents/MacOS/My App", path: "/Applications/My" }],
    ]);
  });

  it("gives nothing for output of another form", () => {
    expect(parsePsNames("ps: illegal option").size).toBe(0);
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
      isStopped: false,
      isInFront: false,
      threadCount: 3,
    });
    expect(parseProcStat(`42 (x) ${tail.replace("0 -1", "1025 1")}`)?.isInFront).toBe(true);
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

it("tells a process that is suspended from one that a debugger holds", () => {
  const stateOf = (letter: string) =>
    parseProcStat(`42 (a) ${letter} 7 ${Array.from({ length: 20 }, () => "1").join(" ")}`)?.isStopped;
  expect([stateOf("T"), stateOf("t"), stateOf("S")]).toEqual([true, false, false]);
});

describe("parseCmdline", () => {
  it("takes no longer for many empty arguments than for others", () => {
    expect(parseCmdline(`node${"\0".repeat(1_000_000)}x`)).toMatch(/^node +$/);
  });

  it("joins arguments and strips control characters", () => {
    expect(parseCmdline("node\0a b\0--c\u001b[1m\n\0\0")).toBe("node a b --c[1m");
  });
});
