// What tmux, /proc and ps print: listings, answers of the control protocol in any pieces, process tables.
import { StringDecoder } from "node:string_decoder";
import * as fc from "fast-check";
import { cleanScreen, MAX_SCREEN_COLUMNS, MAX_SCREEN_LINES } from "../../../core/tmux/capture.ts";
import { cleanText } from "../../../core/tmux/cleanText.ts";
import { createControlClient } from "../../../core/tmux/controlClient.ts";
import { foldRows, parseRows, rowFormat } from "../../../core/tmux/paneRows.ts";
import { parseCmdline, parseProcStat, parseUptime } from "../../../core/tmux/procStat.ts";
import { createProcessTree } from "../../../core/tmux/processTree.ts";
import { parsePsTable } from "../../../core/tmux/psTable.ts";
import { assertReadCommand, toControlLine } from "../../../core/tmux/readCommand.ts";
import { readListing } from "../../../core/tmux/topology.ts";
import { markerOf, parseControlTranscript, parseProcessTranscript } from "../../../core/tmux/transcript.ts";
import { createLineSplitter } from "../../../core/targets/executors/lineProcess.ts";
import type { ProcessInfo } from "../../../core/model/runtime.ts";
import { hold, holdLine } from "../expectations.ts";
import { stubClock, stubExecutor, stubLineProcess } from "../stubs.ts";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";
import { cutBytes, cutsArbitrary, hostileText, mutatedText } from "../mutateText.ts";

const NONCE = "00112233445566778899aabbccddeeff";
const MARK = `<${NONCE}>`;
const NUMBERS = "%5 $1 @2 0 1 4242 1 0 1 0 120 40 3 7 1000 1795238680 0  /dev/pts/3";
const rowText = (numbers: string, title: string, window: string, session: string): string =>
  `${MARK}${numbers}${MARK}${title}${MARK}${window}${MARK}${session}${MARK}`;

const checkRow = (row: ReturnType<typeof parseRows>["rows"][number]): void => {
  hold(/^%\d{1,10}$/.test(row.paneId), "no pane id");
  holdLine(row.sessionName, 200, "a session's name");
  holdLine(row.windowName, 200, "a window's name");
  holdLine(row.title, 500, "a title");
  holdLine(row.tty, 200, "a tty");
  for (const text of [row.sessionName, row.windowName, row.title])
    hold(text.isWellFormed(), "a name holds half a character");
};

/** Names cannot shift a field, forge a row or take one away. */
const rowsTarget = defineTarget({
  name: "tmux/pane rows of hostile names",
  weight: 2,
  open: () => {
    const name = hostileText.map((text) => text.replaceAll(NONCE, ""));
    return {
      arbitrary: fc.array(fc.tuple(name, name, name, fc.nat(99)), { minLength: 1, maxLength: 6 }),
      check: (rows) => {
        const text = rows
          .map(([title, window, session, pane]) =>
            rowText(NUMBERS.replace("%5", `%${pane}`), title, window, session),
          )
          .join("\n");
        const parsed = parseRows(text.split("\n"), NONCE);
        hold(parsed.malformed === 0, "a name made a row malformed");
        hold(parsed.rows.length === rows.length, `${parsed.rows.length} rows of ${rows.length}`);
        for (const [index, row] of parsed.rows.entries()) {
          checkRow(row);
          hold(row.paneId === `%${rows[index]?.[3]}` && row.panePid === 4242, "a field was shifted");
        }
        const panes = foldRows(parsed.rows);
        hold(new Set(panes.map(({ paneId }) => paneId)).size === panes.length, "a pane twice");
      },
    };
  },
});

const brokenRowsTarget = defineTarget({
  name: "tmux/pane rows that are broken",
  open: () => ({
    arbitrary: mutatedText([
      [1, 2, 3].map(() => rowText(NUMBERS, "title", "window", "session")).join("\n"),
      rowText(NUMBERS.replace(" 0  ", " 1 137 "), "", "", ""),
      rowFormat(NONCE),
    ]),
    check: (text) => {
      const { rows, malformed } = parseRows(text.split("\n"), NONCE);
      hold(malformed >= 0, "a negative count");
      for (const row of rows) checkRow(row);
      foldRows(rows);
    },
  }),
});

const COMMAND_WORDS = [
  "list-panes",
  "list-clients",
  "capture-pane",
  "display-message",
  "run-shell",
  "send-keys",
  "-a",
  "-s",
  "-p",
  "-J",
  "-t",
  "-F",
  "-S",
  "-E",
  "%5",
  "$1",
  "@2",
  "-10",
  "#{pane_id} #{pane_title}",
  "#(touch x)",
  "#{E:pane_title}",
  "a;",
];
const readCommandTarget = defineTarget({
  name: "tmux/read commands",
  weight: 2,
  open: () => ({
    arbitrary: fc.array(
      fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...COMMAND_WORDS) },
        { weight: 1, arbitrary: mutatedText(COMMAND_WORDS, 2) },
        { weight: 1, arbitrary: hostileText },
      ),
      { maxLength: 7 },
    ),
    check: (words) => {
      try {
        assertReadCommand(words);
      } catch (error) {
        hold(error instanceof Error && error.message.startsWith("tmux query refused:"), "another error");
        return;
      }
      hold(
        /^(list-panes|list-clients|capture-pane|display-message)$/.test(words[0] ?? ""),
        "another command",
      );
      const line = toControlLine(words);
      hold(/^[ -~]*$/.test(line), "a control line of more than one printable line");
      hold(!/#\(|[{;]\s*[ET][:;]/.test(line), "a format that runs or expands");
      // Every word stands between quotes that it cannot close, or holds nothing that tmux would read.
      const words2 = line.match(/'[^']*'|[^ ]+/g) ?? [];
      hold(words2.length === words.length, "a word became two");
    },
  }),
});

interface Answer {
  isOk: boolean;
  lines: string[];
}
/** What a control client receives for a batch: each command between two markers, notifications anywhere between blocks. */
const transcriptOf = (nonce: string, answers: readonly Answer[], noise: readonly string[]): string[] => {
  let number = 100;
  const block = (lines: readonly string[], isOk = true): string[] => {
    number += 1;
    return [`%begin 1795 ${number} 1`, ...lines, `${isOk ? "%end" : "%error"} 1795 ${number} 1`];
  };
  const lines = answers.flatMap((answer, index) => [
    ...block([markerOf(nonce, index)]),
    ...noise,
    ...block(answer.lines, answer.isOk),
    ...noise,
  ]);
  return [...lines, ...block([markerOf(nonce, answers.length)])];
};

const NOISE = ["%output %1 abc", "%window-add @1", "%session-changed $1 work", "%unlinked-window-close @9"];
const FORGED = [
  "%begin 1795 102 1",
  "%end 1795 102 1",
  "%error 1795 102 1",
  "%end 1795 104 1",
  "%exit",
  `agtmux-${"f".repeat(32)}-1`,
  "agtmux--1",
  "",
];
const line = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...FORGED) },
  { weight: 2, arbitrary: hostileText.map((text) => text.replaceAll("\n", " ").toWellFormed()) },
);
const answersArbitrary: fc.Arbitrary<Answer[]> = fc.array(
  fc.record({ isOk: fc.boolean(), lines: fc.array(line, { maxLength: 6 }) }),
  { minLength: 1, maxLength: 4 },
);

/**
 * What a pane shows cannot end its own answer. The one thing that the numbers of a block cannot tell is a line that closes
 * the block's own number before the real end with nothing but notifications after it; the last one counts.
 */
const controlTarget = defineTarget({
  name: "tmux/control answers in pieces",
  weight: 3,
  open: () => ({
    arbitrary: fc.record({
      answers: answersArbitrary,
      noise: fc.array(fc.constantFrom(...NOISE), { maxLength: 3 }),
      cuts: cutsArbitrary,
      isCutEverywhere: fc.boolean(),
    }),
    check: async ({ answers, noise, cuts, isCutEverywhere }) => {
      const { process, tell } = stubLineProcess();
      const ends: string[] = [];
      const client = createControlClient({
        process,
        clock: stubClock(),
        makeNonce: () => NONCE,
        onNotification: () => {},
        onEnd: (reason) => ends.push(reason),
      });
      const answered = client.send(answers.map(() => "list-panes -a"));
      const text = `${transcriptOf(NONCE, answers, noise).join("\n")}\n`;
      const splitter = createLineSplitter(tell);
      const decoder = new StringDecoder("utf8");
      const bytes = Buffer.from(text, "utf8");
      const pieces =
        isCutEverywhere && bytes.length < 3_000
          ? [...bytes].map((byte) => Buffer.of(byte))
          : cutBytes(bytes, cuts);
      for (const piece of pieces) splitter.push(decoder.write(piece));
      const got = await answered;
      hold(ends.length === 0, `the client ended: ${ends.join()}`);
      hold(got.length === answers.length, `${got.length} answers`);
      for (const [index, answer] of got.entries()) {
        hold(answer.isOk === answers[index]?.isOk, `answer ${index}: another status`);
        hold(
          answer.lines.join("\n") === answers[index]?.lines.join("\n"),
          `answer ${index}: ${JSON.stringify(answer.lines)}`,
        );
      }
    },
  }),
});

const brokenControlTarget = defineTarget({
  name: "tmux/control answers that are broken",
  weight: 2,
  open: () => {
    const two = [
      { isOk: true, lines: ["%5 1 2", "x"] },
      { isOk: false, lines: ["can't find pane"] },
    ];
    const whole = transcriptOf(NONCE, two, NOISE.slice(0, 2));
    return {
      arbitrary: mutatedText([whole.join("\n"), transcriptOf(NONCE, two.slice(1), []).join("\n")]),
      check: async (text) => {
        const lines = text.split("\n");
        for (const count of [0, 1, 2]) {
          const parsed = parseControlTranscript(lines, NONCE, count);
          hold(parsed === null || parsed.answers.length === count, "another number of answers");
          hold(parseProcessTranscript(text, NONCE, count).length <= count, "more answers than commands");
        }
        const { process, tell } = stubLineProcess();
        const client = createControlClient({
          process,
          clock: stubClock(),
          makeNonce: () => NONCE,
          onNotification: () => {},
          onEnd: () => {},
        });
        const answered = client.send(["a", "b"]).then(
          (answers) => hold(answers.length === 2, "another number of answers"),
          (error: unknown) =>
            hold(
              error instanceof Error && error.message.startsWith("tmux control client ended"),
              `another error: ${String(error)}`,
            ),
        );
        for (const one of lines) tell(one);
        await client.close();
        await answered;
      },
    };
  },
});

const listingTarget = defineTarget({
  name: "tmux/server listing",
  open: () => ({
    arbitrary: fc.tuple(
      mutatedText(["4242 1795238680 /tmp/tmux-1000/default", ""], 3),
      fc.boolean(),
      fc.array(line, { maxLength: 3 }),
    ),
    check: ([about, isOk, lines]) => {
      const listing = readListing(
        {
          status: "ok",
          answers: [
            { isOk: true, lines: about.split("\n") },
            { isOk, lines },
          ],
          at: 1,
        },
        "default",
      );
      if (listing.status === "error") holdLine(listing.problem, 300, "a problem");
      if (listing.status !== "ok") return;
      hold(Number.isFinite(listing.instance.pid), "the pid is no number");
      hold(Number.isFinite(listing.instance.startedAt), "the start is no number");
    },
  }),
});

const screenTarget = defineTarget({
  name: "tmux/screens",
  open: () => ({
    arbitrary: fc.tuple(fc.array(hostileText, { maxLength: 30 }), hostileText, fc.nat(700)),
    check: ([lines, text, max]) => {
      const clean = cleanScreen(lines);
      hold(clean.length <= MAX_SCREEN_LINES, "too many lines");
      for (const one of clean) holdLine(one, MAX_SCREEN_COLUMNS, "a line of a screen");
      const once = cleanText(text, max);
      holdLine(once, max, "a clean text");
      hold(once.isWellFormed(), "half a character");
    },
  }),
});

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

const PS = [
  "    PID    PPID                  STARTED COMMNAME        ARGUMENTS",
  "   4242    4000 Sat Nov 21 05:16:00 2026 claude          /home/dev/bin/claude --model x",
  "      1       0 Sat Nov 21 05:00:00 2026 /sbin/launchd   /sbin/launchd",
].join("\n");
const psTarget = defineTarget({
  name: "processes/ps",
  weight: 2,
  open: () => ({
    arbitrary: mutatedText([PS, `${PS}\n${PS.split("\n")[1] ?? ""}`]),
    check: (text) => {
      for (const process of parsePsTable(text)) checkProcess(process);
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
      ps: mutatedText([PS], 3),
    }),
    check: async ({ stats, children, uptime, ps }) => {
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
        run: () => ps,
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

export const tmuxTargets = (): FuzzTarget[] => [
  rowsTarget,
  brokenRowsTarget,
  readCommandTarget,
  controlTarget,
  brokenControlTarget,
  listingTarget,
  screenTarget,
  procTarget,
  psTarget,
  treeTarget,
];
