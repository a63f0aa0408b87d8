// References, the window's own choices, and the texts that are cleaned of secrets.
import * as fc from "fast-check";
import { formatPaneRef, parseRef, resolveRef } from "../../../core/engine/ref.ts";
import type { ProcessInfo } from "../../../core/model/runtime.ts";
import { redactText } from "../../../core/store/redact.ts";
import {
  parseCmdline,
  parseProcStat,
  parsePsNames,
  parsePsRows,
  parseUptime,
} from "../../../core/tmux/processText.ts";
import { createProcessTree } from "../../../core/tmux/processTree.ts";
import { prefsSchema, readPrefs } from "../../../main/readPrefs.ts";
import { appearanceSchema } from "../../../renderer/state/stored.ts";
import { hold, holdLine, orRefused } from "../expectations.ts";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";
import { mutatedValue } from "../mutateJson.ts";
import { hostileText, mutatedText } from "../mutateText.ts";
import { stubClock, stubExecutor } from "../stubs.ts";

// What /proc and ps print of processes.

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

const REFS = ["pane:host/work/@1/%3", "pane:box:other/a%20b/2/1", "runtime:rt_1", "pane:host/%25/@1/%3"];
const refTarget = defineTarget({
  name: "reference/parsed",
  weight: 2,
  open: () => ({
    arbitrary: fc.oneof(
      { weight: 3, arbitrary: mutatedText(REFS, 3) },
      { weight: 1, arbitrary: hostileText },
    ),
    check: (text) => {
      const ref = orRefused(() => parseRef(text));
      if (ref?.kind === "runtime") hold(text === `runtime:${ref.runtimeId}`, "another runtime");
      const found = orRefused(() => resolveRef(text, []));
      hold(found === null, "found among nothing");
    },
  }),
});

const namedRefTarget = defineTarget({
  name: "reference/printed and parsed",
  weight: 2,
  open: () => ({
    arbitrary: fc.record({
      target: fc.constantFrom("host", "box", "a.b-c_1"),
      server: fc.constantFrom("default", "other", "x.y"),
      // As the listing hands names over: whole characters, none of control.
      sessionName: hostileText
        .map((text) => text.replace(/\p{Cc}/gu, "").toWellFormed())
        .filter((name) => name !== ""),
      windowId: fc.nat(999_999_999).map((id) => `@${id}`),
      paneId: fc.nat(999_999_999).map((id) => `%${id}`),
    }),
    check: (subject) => {
      const text = formatPaneRef(subject);
      hold(/^[!-~]+$/.test(text), "a reference that is not of printable characters");
      const ref = parseRef(text);
      hold(
        ref.kind === "pane" &&
          ref.target === subject.target &&
          ref.server === subject.server &&
          ref.session === subject.sessionName &&
          ref.window === subject.windowId &&
          ref.pane === subject.paneId,
        `another pane: ${text}`,
      );
      const row = {
        ...subject,
        links: [{ sessionName: subject.sessionName, windowIndex: 0 }],
        paneIndex: 0,
        runtimeId: null,
      };
      hold(resolveRef(text, [row]) === row, "not found");
    },
  }),
});

const prefsTarget = defineTarget({
  name: "window choices",
  open: () => ({
    arbitrary: mutatedValue([
      { popoverHeight: 600, terminal: { kind: "known", id: "kitty" }, shortcut: "Control+Alt+A" },
      { terminal: { kind: "command", argv: ["xterm", "-e", "{}"] }, shortcut: null },
      { theme: "dark", textSize: 115 },
    ]),
    check: (value) => {
      const prefs = readPrefs(value, "linux");
      prefsSchema.parse(prefs);
      if (prefs.terminal.kind === "command")
        for (const word of prefs.terminal.argv) holdLine(word, 1_000, "a word");
      appearanceSchema.safeParse(value);
    },
  }),
});

const SECRETS = [
  "export API_KEY=sk-abcdefghijklmnopqrstuvwxyz0123456789",
  "Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x",
  "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----",
  "https://user:hunter2secret@example.org/x",
  "curl -u me:longpassword https://x",
  'password = "correct horse"',
];
const redactTarget = defineTarget({
  name: "secrets in texts",
  weight: 2,
  open: () => ({
    arbitrary: fc.tuple(mutatedText(SECRETS, 5), fc.constantFrom(40, 200, 500, 8_000)),
    check: ([text, max]) => {
      const once = redactText(text, max);
      hold(once.length <= max, `${once.length} characters`);
      hold(!redactText(`x ${SECRETS[0]} x`, 4_000).includes("abcdefgh"), "a secret is kept");
      hold(redactText(once, max).length <= max, "more the second time");
    },
  }),
});

export const modelTargets = (): FuzzTarget[] => [refTarget, namedRefTarget, prefsTarget, redactTarget];
