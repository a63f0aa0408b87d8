// `npm run e2e:vscode`: the extension in a real VS Code (code-server in Chromium), while somebody types. `-- --install` fetches
// code-server from the npm registry (616 MB, about a minute) into ~/.cache/agtmux-code-server; AGTMUX_CODE_SERVER names another
// folder that has it. `--patches N` (60 for each speed), `--keys 0,10,50` a second. Fails on any lost key or answer. The times are
// those of an editor that has been open for a while: the first answers, while its own extensions still start, are not in them.
// `--long`: 1,000 answers and 10,000 keys (`--patches`, `--typed`), in editors that are started again now and then. It goes on where
// it was stopped, on the same sources; `--minutes N` stops it after so long, `--fresh` begins again.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod";
import { spreadOf } from "../../bench/statistics.ts";
import { describeRun, openLongRun, sourcesKey } from "../../test/setup/longRun.ts";
import { codeServerHome, installCodeServer, isInstalled, openEditor } from "./codeServer.ts";
import { makeProject, Typing, type Typed } from "./typing.ts";

const { values } = parseArgs({
  options: {
    install: { type: "boolean", default: false },
    patches: { type: "string" },
    keys: { type: "string" },
    long: { type: "boolean", default: false },
    typed: { type: "string", default: "10000" },
    minutes: { type: "string", default: "600" },
    fresh: { type: "boolean", default: false },
  },
});
const patches = Number(values.patches ?? (values.long ? 1_000 : 60));
const speeds = (values.keys ?? (values.long ? "10,50" : "0,10,50")).split(",").map(Number);
/** So many answers to a speed, or so long, then the next; after so many speeds, another editor. */
const CHUNK = { answers: 60, ms: 30_000 };
const CHUNKS_OF_EDITOR = 6;
const TRIES = 1_000;

if (values.install && !isInstalled()) installCodeServer();
if (!isInstalled()) {
  console.log(
    `code-server is not in ${codeServerHome}: nothing was tried. Fetch it with 'npm run e2e:vscode -- --install'.`,
  );
  process.exit(1);
}

const faults: string[] = [];

const withEditor = async (work: (typing: Typing) => Promise<void>): Promise<void> => {
  const root = mkdtempSync(join(tmpdir(), "agtmux-vscode-"));
  const project = join(root, "project");
  makeProject(project);
  try {
    const editor = await openEditor(root, project);
    try {
      const typing = new Typing(editor.page, project);
      await typing.warmUp();
      await work(typing);
    } finally {
      await editor.close();
    }
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
};

const ms = (value: number): string => value.toFixed(0);
const countBusy = ({ puts }: Pick<Typed, "puts">): number => puts.reduce((sum, { busy }) => sum + busy, 0);

const checkUndo = async (typing: Typing): Promise<void> => {
  const found = await typing.checkUndo();
  faults.push(...found);
  console.log(`one undo takes an answer back, one redo gives it again: ${found.length === 0 ? "yes" : "no"}`);
};

const runShort = (): Promise<void> =>
  withEditor(async (typing) => {
    console.log(
      "| keys a second | answers | ACK median ms | ACK p95 ms | ACK max ms | whole write p95 ms | busy (75) | keys |",
    );
    console.log("| --: | --: | --: | --: | --: | --: | --: | --: |");
    for (const speed of speeds) {
      const typed = await typing.type(patches, speed, { tries: TRIES, limitMs: Number.POSITIVE_INFINITY });
      const [acks, wholes] = [
        spreadOf(typed.puts.map(({ ackMs }) => ackMs)),
        spreadOf(typed.puts.map(({ wholeMs }) => wholeMs)),
      ];
      faults.push(...typed.faults);
      console.log(
        `| ${speed} | ${typed.puts.length} | ${ms(acks.median)} | ${ms(acks.p95)} | ${ms(acks.max)} | ${ms(wholes.p95)} | ${countBusy(typed)} | ${typed.keys} |`,
      );
    }
    console.log("");
    await checkUndo(typing);
  });

const stateSchema = z.object({
  editors: z.number(),
  /** By keys a second. */
  speeds: z.record(
    z.string(),
    z.object({ answers: z.number(), keys: z.number(), busy: z.number(), ackMs: z.array(z.number()) }),
  ),
  faults: z.array(z.string()),
});

const runLong = async (): Promise<void> => {
  const run = openLongRun({
    name: "vscode",
    asked: sourcesKey("features/documents", "editors/vscode"),
    schema: stateSchema,
    begin: () => ({ editors: 0, speeds: {}, faults: [] }),
    isFresh: values.fresh,
    minutes: Number(values.minutes),
  });
  const { state } = run;
  const total = (field: "answers" | "keys" | "busy"): number =>
    Object.values(state.speeds).reduce((sum, one) => sum + one[field], 0);
  const isDone = (): boolean => total("answers") >= patches && total("keys") >= Number(values.typed);
  while (!isDone() && !run.isOver())
    await withEditor(async (typing) => {
      state.editors += 1;
      for (let chunk = 0; chunk < CHUNKS_OF_EDITOR && !isDone() && !run.isOver(); chunk += 1) {
        const speed = speeds[chunk % speeds.length] ?? 10;
        const typed = await typing.type(CHUNK.answers, speed, { tries: TRIES, limitMs: CHUNK.ms });
        const before = state.speeds[speed] ?? { answers: 0, keys: 0, busy: 0, ackMs: [] };
        state.speeds[speed] = {
          answers: before.answers + typed.puts.length,
          keys: before.keys + typed.keys,
          busy: before.busy + countBusy(typed),
          ackMs: [...before.ackMs, ...typed.puts.map(({ ackMs }) => Math.round(ackMs))],
        };
        state.faults.push(...typed.faults);
        run.save();
      }
      const before = faults.length;
      await checkUndo(typing);
      state.faults.push(...faults.slice(before));
      run.save();
    });
  faults.splice(0, faults.length, ...state.faults);
  console.log(`\n${describeRun()}\n${run.describe()}\nin ${state.editors} editors`);
  for (const [speed, one] of Object.entries(state.speeds)) {
    const acks = spreadOf(one.ackMs);
    console.log(
      `${speed} keys a second: ${one.answers} answers, ${one.keys} keys, ACK median ${ms(acks.median)}, p95 ${ms(acks.p95)}, max ${ms(acks.max)} ms, so often handed over again after status 75: ${one.busy}`,
    );
  }
  console.log(
    `${total("answers")} answers and ${total("keys")} keys: ${faults.length === 0 ? "none lost, none doubled, all in order" : `${faults.length} faults`}`,
  );
  if (!isDone()) console.log("Not all of it yet: the same command goes on.");
};

if (!values.long) console.log(`${describeRun()}\n`);
await (values.long ? runLong() : runShort());
for (const fault of faults) console.log(`✗ ${fault}`);
process.exit(faults.length === 0 ? 0 : 1);
