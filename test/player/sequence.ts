// Scripts for a player: steps with the recorded gaps between events and frames, each of which a test may delay, drop or
// let overtake others. Timing only; what a step does is the player's.
import { setTimeout as wait } from "node:timers/promises";
import type { Player } from "./player.ts";
import { loadRecording, type Payload } from "../../adapters/testkit/recordings.ts";

/** Recorded with Claude Code 2.1.329: the dialog is drawn about this long after its PermissionRequest, milliseconds. */
const EVENT_TO_DIALOG_MS = 300;
/** A finished turn's frame is on screen when the next capture sees it. */
const EVENT_TO_FRAME_MS = 50;

interface Common {
  /** Waits this long first instead of the recorded gap, milliseconds. */
  afterMs?: number;
}

export type Step =
  | ({ frame: string; folder?: string } & Common)
  | ({
      event: string;
      payload?: Payload;
      /** Starts that much later while the script goes on: how events get reordered. */
      lateByMs?: number;
    } & Common)
  | ({ sessionFile: string; waitingFor?: string } & Common)
  | { waitMs: number }
  /** A whole recording: its events, then its frame. `drop` leaves events out by name; `speed` divides the gaps. */
  | { recording: string; drop?: readonly string[]; speed?: number; hasFrame?: boolean };

const playRecording = async (
  player: Player,
  folder: string,
  step: Extract<Step, { recording: string }>,
): Promise<void> => {
  const { events } = loadRecording(folder, step.recording);
  const drop = new Set(step.drop);
  const speed = step.speed ?? 1;
  const began = performance.now();
  const first = events[0]?.at ?? 0;
  // Gaps count from the start of the recording, so that slow hooks do not stretch it.
  const until = async (offsetMs: number): Promise<void> => {
    const rest = offsetMs / speed - (performance.now() - began);
    if (rest > 0) await wait(rest);
  };
  const dialogAt = events.find((event) => event.name === "PermissionRequest");
  const frameAt =
    dialogAt === undefined
      ? (events.at(-1)?.at ?? first) - first + EVENT_TO_FRAME_MS
      : dialogAt.at - first + EVENT_TO_DIALOG_MS;
  let isDrawn = step.hasFrame === false;
  const draw = async (): Promise<void> => {
    if (isDrawn) return;
    isDrawn = true;
    await until(frameAt);
    await player.frame(step.recording, folder);
  };
  for (const event of events) {
    if (event.at - first > frameAt) await draw();
    await until(event.at - first);
    const { session_id: _session, transcript_path: _transcript, cwd: _cwd, ...payload } = event.payload;
    if (!drop.has(event.name)) await player.event(event.name, payload);
  }
  await draw();
};

/** Plays the steps; resolves when all of them, late ones too, are done. */
export const playSteps = async (player: Player, folder: string, steps: readonly Step[]): Promise<void> => {
  const late: Promise<void>[] = [];
  let last: Step | null = null;
  for (const step of steps) {
    if ("waitMs" in step) {
      await wait(step.waitMs);
      continue;
    }
    if ("recording" in step) {
      await playRecording(player, folder, step);
      continue;
    }
    const isDialog =
      last !== null && "event" in last && last.event === "PermissionRequest" && "frame" in step;
    await wait(step.afterMs ?? (isDialog ? EVENT_TO_DIALOG_MS : 0));
    if ("frame" in step) await player.frame(step.frame, step.folder ?? folder);
    else if ("sessionFile" in step) await player.sessionFile(step.sessionFile, step.waitingFor);
    else if (step.lateByMs === undefined) await player.event(step.event, step.payload);
    else late.push(wait(step.lateByMs).then(() => player.event(step.event, step.payload)));
    last = step;
  }
  await Promise.all(late);
};
