// What all faults on a harness have in common: a daemon that is right at first, rounds that end with everything right again,
// the counting, and the end of it all. What is injected and what is looked at beside that is each fault's own.
import type { DaemonProcess } from "../harness/daemonProcess.ts";
import { openFaultHarness, type FaultHarness } from "./faultHarness.ts";
import { memoryAtRestMb, memoryMb } from "./memory.ts";
import { countLost, MEMORY_SLACK_MB, type Outcome } from "./outcome.ts";

export interface Trial {
  readonly harness: FaultHarness;
  /** The last that was started, dead or alive. Its memory at the end is compared with that of the first one before. */
  readonly daemon: DaemonProcess;
  /** Starts the next daemon and resolves when it answers. */
  restart(): Promise<void>;
  /** The same; resolves with the milliseconds until everything is right again. */
  recover(): Promise<number>;
  /** What the daemon takes by now is what it is compared with. */
  takeBase(): void;
  /** Injects as often as it is to be; `inject` resolves with the milliseconds that the recovery took. */
  rounds(inject: (round: number) => Promise<number>): Promise<void>;
  /** For faults after which not all that was dropped is in the database: adds what of a part is missing or doubled. */
  count(dropped: readonly string[], stored: readonly string[]): void;
}

/** Resolves with the milliseconds that `work` took. */
export const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const from = performance.now();
  await work();
  return performance.now() - from;
};

interface OpenTrial extends Trial {
  outcome(fault: string, note: string): Promise<Outcome>;
}

const openTrial = async (harness: FaultHarness, times: number): Promise<OpenTrial> => {
  let daemon = await harness.start();
  await harness.untilTrue();
  let before = memoryMb(daemon.pid);
  let [recovered, worstMs] = [0, 0];
  let counted: number | null = null;
  const restart = async (): Promise<void> => {
    daemon = await harness.start();
  };
  return {
    harness,
    get daemon() {
      return daemon;
    },
    restart,
    recover: () =>
      timed(async () => {
        await restart();
        await harness.untilTrue();
      }),
    takeBase: () => {
      before = memoryMb(daemon.pid);
    },
    rounds: async (inject) => {
      for (let round = 0; round < times; round += 1) {
        worstMs = Math.max(worstMs, await inject(round));
        recovered += 1;
      }
    },
    count: (dropped, stored) => {
      counted = (counted ?? 0) + countLost(dropped, stored);
    },
    outcome: async (fault, note) => ({
      fault,
      times,
      recovered,
      lost: counted ?? countLost(harness.dropped, harness.stored()),
      wrong: harness.wrong.length,
      worstMs,
      memoryMb: [before, await memoryAtRestMb(daemon.pid, before + MEMORY_SLACK_MB)],
      note,
    }),
  };
};

/**
 * Opens a harness, has `inject` do its work on it and closes it whatever happens. `inject` resolves with a note for the table.
 * Unless `inject` counts itself, everything that was dropped on the harness has to be stored once at the end.
 */
export const injectFault = async (
  options: { fault: string; times: number; open?: () => Promise<FaultHarness> },
  inject: (trial: Trial) => Promise<string>,
): Promise<Outcome> => {
  const { fault, times, open = openFaultHarness } = options;
  const harness = await open();
  try {
    const trial = await openTrial(harness, times);
    const note = await inject(trial);
    return await trial.outcome(fault, note);
  } finally {
    await harness.close();
  }
};
