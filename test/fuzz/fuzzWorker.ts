// One thread that runs batches as it is told. It beats in shared memory, so that a case that never comes back is seen from
// outside; a rejection that nobody handles belongs to the target that is under way.
import { parentPort, workerData } from "node:worker_threads";
import type { OpenTarget } from "./fuzzTarget.ts";
import { caseOf, runBatch, type Beat } from "./runBatch.ts";
import { TARGETS } from "./targets.ts";
import { FAULTY_TARGETS } from "./targets/faultyTargets.ts";
import type { WorkerOrder, WorkerReport } from "./workerMessages.ts";

const port = parentPort;
if (port === null) throw new Error("the fuzz worker runs in a thread");
// The mask is the process's, and a thread may not set it: homes of targets are closed folders anyway.
process.umask = () => 0o077;
const cells = new Int32Array((workerData as { beat: SharedArrayBuffer }).beat);
const beat: Beat = {
  begin: (caseNumber) => {
    Atomics.store(cells, 0, caseNumber);
    Atomics.add(cells, 1, 1);
  },
  end: () => void Atomics.store(cells, 0, -1),
};

const open = new Map<string, Promise<OpenTarget<unknown>>>();
let current: { target: string; seed: number } | null = null;

const targetNamed = (name: string) => {
  const target = [...TARGETS, ...FAULTY_TARGETS].find((one) => one.name === name);
  if (target === undefined) throw new Error(`there is no fuzz target ${name}`);
  return target;
};
const openNamed = (name: string): Promise<OpenTarget<unknown>> => {
  const found = open.get(name) ?? targetNamed(name).open();
  open.set(name, found);
  return found;
};
const report = (message: WorkerReport): void => port.postMessage(message);

process.on("unhandledRejection", (reason) => {
  const { target, seed } = current ?? { target: "none", seed: 0 };
  const why = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
  report({
    kind: "stray",
    finding: { target, seed, path: null, message: `a rejection that nobody handles: ${why}`, value: "" },
  });
});

const obey = async (order: WorkerOrder): Promise<void> => {
  switch (order.kind) {
    case "run": {
      current = { target: order.target, seed: order.batch.seed };
      const target = await openNamed(order.target);
      report({
        kind: "done",
        target: order.target,
        result: await runBatch(targetNamed(order.target), target, order.batch, beat),
      });
      return;
    }
    case "describe": {
      const value = await caseOf(await openNamed(order.target), order.batch, order.caseNumber);
      report({ kind: "described", value });
      return;
    }
    case "close":
      for (const target of open.values()) await (await target).close?.();
      report({ kind: "closed" });
      port.close();
      return;
  }
};

port.on("message", (order: WorkerOrder) => {
  obey(order).catch((error: unknown) => {
    const target = order.kind === "close" ? "close" : order.target;
    report({
      kind: "failed",
      target,
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  });
});
