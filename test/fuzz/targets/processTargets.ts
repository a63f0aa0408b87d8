// What /proc and ps print of processes.
import * as fc from "fast-check";
import {
  parseCmdline,
  parseProcStat,
  parseUptime,
  parsePsNames,
  parsePsRows,
} from "../../../core/tmux/processText.ts";
import { createProcessTree } from "../../../core/tmux/processTree.ts";
import type { ProcessInfo } from "../../../core/model/runtime.ts";
import { hold, holdLine } from "../expectations.ts";
import { stubClock, stubExecutor } from "../stubs.ts";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";
import { mutatedText } from "../mutateText.ts";
const checkProcess = ({ pid, ppid, comm, args, startedAt }: ProcessInfo): void => {
  hold(Number.isSafeInteger(pid) && pid >= 0, `the pid ${pid}`);
  hold(Number.isSafeInteger(ppid), `the parent ${ppid}`);
  hold(Number.isFinite(startedAt), `the start ${startedAt}`);
  holdLine(comm, 64, "the name of a process");
  holdLine(args, 4_096, "the arguments of a process");
};

const STATS = [
  "4242 (claude) S 4000 4242 4000 34816 4242 4194304 1 0 0 0 1 1 0 0 20 0 11 0 123456 1 1 18446744073709551615 1 1 1",
  "1 (a) b) (c) R 0 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 5 1 1 1 1 1 1",
];
const procTarget = defineTarget({
  name: "processes/proc files",
  weight: 2,
  open: () => ({
    arbitrary: fc.tuple(mutatedText(STATS, 3), mutatedText(["node\0/a b\0--x\0", "\0\0"], 3)),
    check: ([stat, cmdline]) => {
      const parsed = parseProcStat(stat);
      if (parsed !== null)
        checkProcess({ ...parsed, args: parseCmdline(cmdline), startedAt: parsed.startedAfterBootMs });
      const uptime = parseUptime(stat);
      hold(uptime === null || Number.isFinite(uptime), "the uptime is no number");
    },
  }),
});

const PS_ROWS = [
  "   4242    4000 S+   Sat Nov 21 05:16:00 2026",
  "      1       0 Ss   Sat Nov 21 05:00:00 2026",
].join("\n");
const PS_NAMES = [
  "    PID COMMNAME        ARGUMENTS",
  "   4242 claude          /home/dev/bin/claude --model x",
  "      1 /sbin/launchd   /sbin/launchd",
].join("\n");
const psTarget = defineTarget({
  name: "processes/ps",
  weight: 2,
  open: () => ({
    arbitrary: fc.tuple(mutatedText([PS_ROWS, `${PS_ROWS}\n${PS_ROWS}`]), mutatedText([PS_NAMES])),
    check: ([rows, names]) => {
      for (const row of parsePsRows(rows).values()) checkProcess({ ...row, comm: "", args: "" });
      for (const name of parsePsNames(names).values())
        checkProcess({ pid: 0, ppid: 0, startedAt: 0, ...name });
    },
  }),
});

const treeTarget = defineTarget({
  name: "processes/trees",
  open: () => ({
    arbitrary: fc.record({
      stats: fc.array(
        fc.tuple(
          fc.integer({ min: 1, max: 9 }),
          fc.integer({ min: 0, max: 9 }),
          mutatedText(["claude", ") S 1"], 2),
        ),
        { maxLength: 9 },
      ),
      children: fc.array(mutatedText(["2 3 4 ", "5 ", "1 1 1 ", ""], 2), { maxLength: 9 }),
      uptime: mutatedText(["1000.55 900.1"], 1),
      psRows: mutatedText([PS_ROWS], 3),
      psNames: mutatedText([PS_NAMES], 3),
    }),
    check: async ({ stats, children, uptime, psRows, psNames }) => {
      const files = new Map<string, string>([["/proc/uptime", uptime]]);
      for (const [index, [pid, ppid, comm]] of stats.entries()) {
        files.set(
          `/proc/${pid}/stat`,
          `${pid} (${comm}) S ${ppid} 1 1 1 1 1 1 1 1 1 1 1 1 1 20 0 1 0 500 1 1`,
        );
        files.set(`/proc/${pid}/cmdline`, `${comm}\0`);
        files.set(`/proc/${pid}/task/${pid}/children`, children[index] ?? "");
      }
      files.set("/proc/thread-self/children", "");
      const executor = stubExecutor({
        readText: (path) => files.get(path) ?? null,
        run: (argv) => (argv.includes("args=ARGUMENTS") ? psNames : psRows),
      });
      for (const platform of ["linux", "darwin"] as const) {
        const tree = createProcessTree({ executor, platform, clock: stubClock() });
        try {
          const found = await tree.ofPanes([1, 2, 4242]);
          for (const processes of found.values()) {
            hold(processes.length <= 64, "more processes than are looked at");
            hold(new Set(processes.map(({ pid }) => pid)).size === processes.length, "a process twice");
            for (const process of processes) checkProcess(process);
          }
          await tree.verify(4242, 1_000);
        } catch (error) {
          // The only thing that has no answer without it is the boot.
          hold(error instanceof Error && /\/proc\/uptime|ps failed/.test(error.message), String(error));
        }
      }
    },
  }),
});

export const processTargets = (): FuzzTarget[] => [procTarget, psTarget, treeTarget];
