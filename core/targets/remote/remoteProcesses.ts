// The processes of a Linux target, read from /proc by its remote shell. It uses built-ins only, except for the command lines of
// programs that it has not seen before. Requests that come at the same time share one question.
import type { ProcessInfo, ProgramFile } from "../../model/runtime.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ProcessLife, ProcessTree } from "../../ports/targetExecutor.ts";
import type { RemoteShell } from "./remoteShell.ts";

const TIMEOUT_MS = 5_000;
/** Enough for a thousand panes with all their processes. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const MAX_PROCESSES = 128;
const MAX_ARGS = 4_096;
const MAX_COMM = 64;
const MAX_PATH = 4_096;
const TICKS_PER_SECOND = 100;
/** How long the result of one probe of a process is used. */
const VERIFIED_FOR_MS = 4_000;
/** The same tolerance as between two runs of the daemon: see core/tmux/processTree.ts. */
const SAME_START_TOLERANCE_MS = 2_000;

/** What the shell prints of a process: `<pid> (<name>) <state> <parent> <threads> <start in ticks> <start of its stack>`. */
interface RemoteProcess {
  pid: number;
  ppid: number;
  comm: string;
  isZombie: boolean;
  isStopped: boolean;
  startTicks: number;
  /** Changes when the process becomes another program. */
  program: string;
}

/** `q pid` prints one process; names may hold newlines, which become spaces. */
const FUNCTIONS = `
q() { l=; { while IFS= read -r x || [ -n "$x" ]; do l="$l$x "; done; } </proc/$1/stat || return 1
[ -n "$l" ] || return 1
h=\${l%)*}; set -f; set -- \${l##*)}; set +f
printf '%s) %s %s %s %s %s\\n' "$h" "$1" "$2" "\${18}" "\${20}" "\${26}"; }
w() { todo=$1; n=0
while [ -n "$todo" ] && [ $n -lt ${MAX_PROCESSES} ]; do next=
for p in $todo; do q $p || continue; n=$((n+1))
for t in /proc/$p/task/*/children; do c=; read -r c <"$t"; next="$next $c"; done; done
todo=\${next# }; todo=\${todo# }; [ -n "\${todo## }" ] || todo=; done; }
`;

const clean = (text: string, max: number): string =>
  // oxlint-disable-next-line no-control-regex -- control characters are what is taken out
  text.replace(/[\u0000-\u001f\u007f-\u009f]/g, "").slice(0, max);

/** No system has pids of more digits, nor runs for so many ticks. */
const parseProcess = (line: string): RemoteProcess | null => {
  const [, pid, comm = "", state, ppid, start, program = ""] =
    /^(\d{1,10}) \((.*)\) (\S) (\d{1,10}) \d+ (\d{1,15}) (\d+)$/s.exec(line) ?? [];
  if (pid === undefined) return null;
  return {
    pid: Number(pid),
    ppid: Number(ppid),
    comm: clean(comm, MAX_COMM),
    isZombie: state === "Z" || state === "X",
    isStopped: state === "T",
    startTicks: Number(start),
    program,
  };
};

const programKey = ({ pid, startTicks, program, comm }: RemoteProcess): string =>
  `${pid} ${startTicks} ${program} ${comm}`;

export const createRemoteProcesses = (options: {
  shell: RemoteShell;
  clock: Clock;
  makeNonce: () => string;
  /** What an executable is, by its real path. */
  ofPath: (path: string) => ProgramFile | null;
}): ProcessTree => {
  const { shell, clock, makeNonce, ofPath } = options;
  const programs = new Map<string, { args: string; file: ProgramFile | null }>();
  const seen = new Map<number, { at: number; startedAt: number }>();
  let bootAt: Promise<number> | null = null;
  let batch: { pids: Set<number>; answer: Promise<Map<number, RemoteProcess>> } | null = null;
  let isPrepared = false;

  const ask = async (script: string): Promise<string> => {
    const functions = isPrepared ? "" : FUNCTIONS;
    const answer = await shell.ask(functions + script, { timeoutMs: TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES });
    isPrepared = true;
    return answer.stdout.toString("utf8");
  };
  /** The boot time on our own clock, because the target's clock may be hours off. */
  const getBootAt = (): Promise<number> => {
    bootAt ??= (async () => {
      const before = clock.now();
      const uptimeMs = Number.parseFloat(await ask('read -r u x </proc/uptime; printf %s "$u"')) * 1_000;
      if (!Number.isFinite(uptimeMs)) throw new Error("read /proc/uptime of the target: no number");
      return Math.round((before + clock.now()) / 2 - uptimeMs);
    })().catch((error: unknown) => {
      bootAt = null;
      throw error;
    });
    return bootAt;
  };
  const toStartedAt = async ({ startTicks }: RemoteProcess): Promise<number> =>
    (await getBootAt()) + (startTicks * 1_000) / TICKS_PER_SECOND;

  /** Asks for the command lines and executables that are not known yet. A program that is just starting has none until later. */
  const readPrograms = async (processes: readonly RemoteProcess[]): Promise<void> => {
    const unknown = processes.filter((process) => !programs.has(programKey(process)));
    if (unknown.length === 0) return;
    const nonce = makeNonce();
    const script = unknown
      .map(
        ({ pid }) =>
          `head -c ${MAX_ARGS} /proc/${pid}/cmdline; printf '\\n%s\\n' ${nonce}; readlink /proc/${pid}/exe; printf '\\n%s\\n' ${nonce}`,
      )
      .join("\n");
    const texts = (await ask(script)).split(`\n${nonce}\n`);
    for (const [index, process] of unknown.entries()) {
      const [cmdline = "", executable = ""] = texts.slice(2 * index, 2 * index + 2);
      const text = clean(cmdline.replace(/\0+$/, "").replaceAll("\0", " "), MAX_ARGS);
      if (text === "") continue;
      programs.set(programKey(process), { args: text, file: ofPath(clean(executable, MAX_PATH)) });
    }
  };

  const forget = (): void => {
    if (programs.size > 4_096) programs.clear();
    if (seen.size > 4_096) seen.clear();
  };

  const isSameStart = (one: number, other: number): boolean =>
    Math.abs(one - other) <= SAME_START_TOLERANCE_MS;
  const look = async (pid: number, startedAt: number): Promise<ProcessLife> => {
    batch ??= (() => {
      const pids = new Set<number>();
      const answer = Promise.resolve().then(async () => {
        batch = null;
        const script = [...pids].map((one) => `q ${one}`).join("\n");
        const lines = (await ask(script)).split("\n").map(parseProcess);
        return new Map(lines.flatMap((process) => (process === null ? [] : [[process.pid, process]])));
      });
      return { pids, answer };
    })();
    batch.pids.add(pid);
    const process = (await batch.answer).get(pid);
    seen.delete(pid);
    if (process === undefined || process.isZombie) return "gone";
    const actual = await toStartedAt(process);
    if (!isSameStart(actual, startedAt)) return "gone";
    if (process.isStopped) return "stopped";
    seen.set(pid, { at: clock.now(), startedAt: actual });
    return "running";
  };
  const wasSeen = (pid: number, startedAt: number): boolean => {
    const known = seen.get(pid);
    if (known === undefined || clock.now() - known.at >= VERIFIED_FOR_MS) return false;
    return isSameStart(known.startedAt, startedAt);
  };

  return {
    ofPanes: async (panePids) => {
      const wanted = [...new Set(panePids)].filter((pid) => Number.isInteger(pid) && pid > 0);
      if (wanted.length === 0) return new Map();
      forget();
      const nonce = makeNonce();
      const answer = await ask(wanted.map((pid) => `w ${pid}; printf '%s\\n' ${nonce}`).join("\n"));
      const parts = answer.split(`${nonce}\n`);
      const trees = wanted.map((pid, index) => {
        const known = new Set<number>();
        const tree = (parts[index] ?? "").split("\n").flatMap((line) => {
          const process = parseProcess(line);
          if (process === null || process.isZombie || known.has(process.pid)) return [];
          known.add(process.pid);
          return [process];
        });
        return { pid, tree: tree.slice(0, MAX_PROCESSES) };
      });
      await readPrograms(trees.flatMap(({ tree }) => tree));
      const result = new Map<number, ProcessInfo[]>();
      for (const { pid, tree } of trees) {
        if (tree.length === 0) continue;
        const infos = await Promise.all(
          tree.map(async (process): Promise<ProcessInfo> => {
            const { comm, ppid } = process;
            const program = programs.get(programKey(process)) ?? { args: comm, file: null };
            const { isStopped } = process;
            return {
              pid: process.pid,
              ppid,
              comm,
              args: program.args,
              startedAt: await toStartedAt(process),
              isStopped,
              ...(program.file === null ? {} : { file: program.file }),
            };
          }),
        );
        result.set(pid, infos);
      }
      return result;
    },
    verify: async (pid, startedAt) => wasSeen(pid, startedAt) || (await look(pid, startedAt)) !== "gone",
    lifeOf: async (pid, startedAt, asked) =>
      asked === undefined && wasSeen(pid, startedAt) ? "running" : look(pid, startedAt),
    isGone: () => false,
  };
};
