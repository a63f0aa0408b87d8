// Which panes' processes are worth reading now. A pane with a live runtime is only verified; one without is read when
// something moved in it; everything is read again now and then, because a silent change must be noticed too.
import type { Pane } from "../model/runtime.ts";

export interface LastScan {
  at: number;
  panePid: number;
  title: string;
}

const SWEEP_MS = 60_000;
const MIN_GAP_MS = 700;

export const isScanDue = (
  pane: Pane,
  last: LastScan | undefined,
  hasRuntime: boolean,
  now: number,
): boolean => {
  if (last === undefined || last.panePid !== pane.panePid) return true;
  if (now - last.at >= SWEEP_MS) return true;
  if (hasRuntime || now - last.at < MIN_GAP_MS) return false;
  return last.title !== pane.title || pane.windowActivity >= Math.floor(last.at / 1_000);
};
