// Plays one frame through the production path: process tree to the registry, event files to Ingest over a real store, the
// screen through the adapter in sustained reads. Time is a hand clock at the recorded moments, nothing waits.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AdapterRegistry } from "../../adapters/index.ts";
import { somePane } from "../../adapters/testkit/pane.ts";
import { screenOf, type Recording } from "../../adapters/testkit/recordings.ts";
import type { Ingest } from "../../core/ingest/ingest.ts";
import { mayAnswer } from "../../core/model/needs.ts";
import { HOST_TARGET, type Pane } from "../../core/model/runtime.ts";
import type { PaneView } from "../../core/model/view.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { openStore } from "../../core/store/openStore.ts";
import { addTarget, buildIngest, HandClock, listPanes } from "../../test/factories/ingest.ts";
import type { Frame } from "./corpus.ts";
import { envelopesOf, framePane, SERVER, workingFolder } from "./recordedEvents.ts";
import { approvedNow } from "./ruleAnswers.ts";

/** The witnesses that are used: events, screen or both. */
export const MODES = ["events", "screen", "both"] as const;
export type Mode = (typeof MODES)[number];

/** What is shown at one moment; null: no runtime. `rule`: why, and the text that gave it away. */
export interface Shown {
  agent: string;
  state: string;
  reasonCode: string;
  rule: string;
}

export interface Played {
  atFrame: Shown | null;
  /** Right after the last event; equal to `atFrame` where none was delivered. */
  atLastEvent: Shown | null;
  /** The command that rules would have approved; null: none. */
  approved: string | null;
  /** A person would have been offered to approve it. */
  isOffered: boolean;
}

/** The time from the last event to the first read of the frame: dialogs were drawn 60–900 ms after their event. */
const FRAME_DELAY_MS = 1_000;
const READ_INTERVAL_MS = 500;
const READS = 7;
/** The process is older than every event about it. */
const LEAD_MS = 10_000;
/** Agents that run our plugin in their own process, which is the one in the pane that the recorded event names. */
const IN_ITS_PROCESS: ReadonlySet<string> = new Set(["opencode"]);
/** Where a recording has no events: 2026-01-01. */
const SOME_TIME = 1_767_225_600_000;

/** Nothing here has to survive: stores lie in memory where the system has a folder there, so that no write waits for a disk. */
const MEMORY_FOLDER = "/dev/shm";

const paneOf = (frame: Frame, screen: Recording, paneId: string): Pane =>
  somePane(paneId, {
    server: SERVER.server,
    sessionName: "corpus",
    windowName: frame.agent,
    panePid: frame.recording.processes[0]?.pid ?? 1,
    title: screen.title,
    isAlternate: screen.isAlternate,
    width: screen.width,
    height: screen.height,
    cursorX: screen.cursor?.x ?? 0,
    cursorY: screen.cursor?.y ?? 0,
  });

/** Owns a temporary folder; each played frame gets a store of its own in it. */
export class Player implements Disposable {
  private readonly registry: AdapterRegistry;
  private readonly folder = mkdtempSync(
    join(existsSync(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir(), "agtmux-detect-"),
  );
  private readonly template = join(this.folder, "template.db");
  private count = 0;

  constructor(registry: AdapterRegistry) {
    this.registry = registry;
    openStore({ path: this.template, logger: SILENT_LOGGER }).close();
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /**
   * `screen`: what the pane shows, the recorded frame or a variation of it. `lead`: what it showed before, if both witnesses
   * are used and no recorded event tells that.
   */
  play(frame: Frame, screen: Recording, mode: Mode, lead: Recording | null = null): Played {
    const home = join(this.folder, String((this.count += 1)));
    mkdirSync(home);
    const path = join(home, "state.db");
    copyFileSync(this.template, path);
    const store = openStore({ path, logger: SILENT_LOGGER });
    try {
      const clock = new HandClock(0);
      const adapterOf = (agentType: string) => this.registry.byAgentType(agentType);
      const ingest = buildIngest({ store, clock, adapterOf });
      return this.run({ ingest, clock, frame, screen, mode, lead: mode === "both" ? lead : null });
    } finally {
      store.close();
      rmSync(home, { recursive: true, force: true });
    }
  }

  private run(play: {
    ingest: Ingest;
    clock: HandClock;
    frame: Frame;
    screen: Recording;
    mode: Mode;
    lead: Recording | null;
  }): Played {
    const { ingest, clock, frame, screen, mode, lead } = play;
    const envelopes = envelopesOf(frame);
    const paneId = framePane(frame, envelopes, this.registry);
    const pane = paneOf(frame, screen, paneId);
    const beganAt = (envelopes[0]?.eventTime ?? SOME_TIME) - LEAD_MS;
    const frameAt = (envelopes.at(-1)?.eventTime ?? SOME_TIME) + FRAME_DELAY_MS;
    const processes = frame.recording.processes.map((process) => ({
      ...process,
      startedAt: beganAt - LEAD_MS,
    }));
    const found = this.registry.identify(processes);
    const verifyAt = (time: number): void => {
      clock.set(time);
      ingest.applyRecognised(
        pane,
        found === null ? null : { agentType: found.adapter.agentType, process: found.match.process },
      );
      ingest.tick();
    };

    // Without events nothing is known of the time before the frame, so the daemon starts at that moment.
    clock.set(mode === "screen" ? frameAt - LEAD_MS : beganAt);
    addTarget(ingest, HOST_TARGET, clock.now());
    listPanes(ingest, HOST_TARGET, SERVER, [pane]);
    verifyAt(clock.now());
    const begun = ingest.watchedRuntimes(HOST_TARGET)[0];
    if (begun?.adapter.eventsMayNameOtherPanes === true)
      ingest.setProcessCwd(begun.runtime.runtimeId, workingFolder(envelopes, begun.adapter));

    const ownPid = IN_ITS_PROCESS.has(frame.agent) ? (found?.match.process.pid ?? null) : null;
    if (mode !== "screen")
      for (const envelope of envelopes) {
        verifyAt(envelope.eventTime);
        const parentPid = envelope.paneId === paneId ? ownPid : null;
        ingest.applyEnvelopes(HOST_TARGET, [{ ...envelope, parentPid }]);
      }
    const atLastEvent = shown(ingest, paneId);
    const read = (shownScreen: Recording, from: number): void => {
      for (let readAt = from; readAt < from + READS * READ_INTERVAL_MS; readAt += READ_INTERVAL_MS) {
        verifyAt(readAt);
        const runtime = ingest
          .watchedRuntimes(HOST_TARGET)
          .find((watched) => watched.runtime.paneId === paneId);
        if (mode === "events" || runtime === undefined) continue;
        const reading = runtime.adapter.readScreen(screenOf(shownScreen));
        ingest.applyReading(runtime.runtime.runtimeId, "poller", { reading, readAt, isChanged: false });
      }
    };
    if (lead !== null) read(lead, beganAt);
    read(screen, frameAt);
    const row = ingest.rows(false).find((one) => one.identity.pane_id === paneId);
    const approved = approvedNow(ingest, row?.identity.runtime_id ?? "none", frame.agent);
    return { atFrame: shown(ingest, paneId), atLastEvent, approved, isOffered: isOffered(row) };
  }
}

const isOffered = (row: PaneView | undefined): boolean =>
  row?.state === "waiting_approval" &&
  row.prompt_fingerprint !== null &&
  row.request !== null &&
  row.request.options.some(
    ({ role }) => role === "approve" && mayAnswer(row.request?.is_whole === true, role),
  );

const shown = (ingest: Ingest, paneId: string): Shown | null => {
  const row = ingest.rows(false).find((one) => one.identity.pane_id === paneId);
  if (row === undefined || row.agent === null || row.state === null) return null;
  const resolution = ingest.liveState.runtimes.get(row.identity.runtime_id ?? "")?.resolution;
  const winner = resolution?.verdicts.find(({ outcome }) => outcome === "won");
  const evidence =
    winner === undefined ? "" : ` [${winner.source} ${winner.eventType}] ${winner.matched ?? ""}`;
  return {
    agent: row.agent,
    state: row.state,
    reasonCode: row.reason_code ?? "",
    rule: `${resolution?.rule ?? "no resolution"}${evidence}`.trim(),
  };
};
