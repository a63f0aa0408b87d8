// What processes cost where there is no /proc: the words of macOS's ps, and this machine's own ps beside its /proc.
import { expect, test } from "vitest";
import { familyCpuOf, parsePs, readPs, residentMbOf } from "../../bench/processCost.ts";

test("times of macOS and of Linux are seconds", () => {
  const rows = parsePs(`    1     0   3:21.07  11520
  402     1   0:00.03   2048
  403   402 123:45.67      0
 4040   402 00:00:07   1024
 4041   402 1-02:03:04  1024
`);
  expect([...rows].map(([pid, { ppid, seconds, residentMb }]) => [pid, ppid, seconds, residentMb])).toEqual([
    [1, 0, expect.closeTo(201.07, 6), 11.25],
    [402, 1, expect.closeTo(0.03, 6), 2],
    [403, 402, expect.closeTo(7_425.67, 6), 0],
    [4040, 402, 7, 1],
    [4041, 402, 93_784, 1],
  ]);
});

test("ps tells of this process what is known of it", () => {
  const row = readPs().get(process.pid);
  expect(row?.ppid).toBe(process.ppid);
  expect(row?.seconds).toBeGreaterThanOrEqual(0);
  expect(Math.abs((row?.seconds ?? 0) - familyCpuOf(process.pid).own)).toBeLessThan(2);
  expect((row?.residentMb ?? 0) / residentMbOf(process.pid)).toBeCloseTo(1, 0);
});
