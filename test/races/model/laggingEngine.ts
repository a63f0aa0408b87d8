// What the daemon believes of the model world: right when it was brought up to date last, and wrong since then. In the
// shape in which the actions read it.
import { EMPTY_FACTS, type Facts } from "../../../core/engine/facts.ts";
import { foldEvidence } from "../../../core/engine/testkit/foldEvidence.ts";
import { createPromptFingerprint, type FingerprintOf } from "../../../core/actions/fingerprint.ts";
import type { ActionSubject } from "../../../core/actions/prepare.ts";
import type { SubjectNow } from "../../../core/engine/guard.ts";
import { formatPaneRef } from "../../../core/engine/ref.ts";
import type { Ingest } from "../../../core/ingest/ingest.ts";
import { promptWith } from "../../../core/ingest/view.ts";
import {
  NO_ACTIVITY,
  type Prompt as ShownPrompt,
  type RuntimeEntry,
} from "../../../core/ingest/liveState.ts";
import { NO_TURN_MARKS } from "../../../core/model/evidence.ts";
import type { Pane, PaneKey } from "../../../core/model/runtime.ts";
import type { Status } from "../../../core/model/state.ts";
import type { PromptRequest } from "../../../core/model/request.ts";
import { draftlessAdapter, modelAdapter, seenOn } from "./modelAdapter.ts";
import { screenOf, type ModelPane, type Prompt, type TmuxModel } from "./tmuxModel.ts";

interface Belief {
  pane: Pane;
  entry: RuntimeEntry | null;
  prompt: Prompt | null;
}

const statusOf = ({ prompt, isWorking }: ModelPane): Status => {
  if (prompt !== null)
    return prompt.request.kind === "question"
      ? { state: "waiting_input", reasonCode: "question" }
      : { state: "waiting_approval", reasonCode: "permission_tool" };
  return isWorking ? { state: "running", reasonCode: "thinking" } : { state: "idle", reasonCode: "fresh" };
};

const STATUS: Status = { state: "waiting_approval", reasonCode: "permission_tool" };

/** What events told of every request that is open. */
const factsOf = (prompts: readonly (Prompt | null)[]): Facts =>
  foldEvidence(
    prompts.flatMap((prompt, index) =>
      prompt === null
        ? []
        : [
            {
              eventId: prompt.id,
              runtimeId: "model",
              source: "hook",
              eventType: "PermissionRequest",
              sourceSeq: null,
              eventTime: 1,
              ingestedAt: 1,
              dedupeKey: prompt.id,
              signal: {
                kind: "request",
                agentId: "",
                requestKey: ["x", "y"][index] ?? "z",
                status: STATUS,
                confidence: "high",
                request: prompt.request,
                needsConfirmation: false,
                dialogGraceMs: 1_000,
              },
            },
          ],
    ),
  );

const paneOf = ({ paneId, sessionName, first, isDead, inMode }: ModelPane, now: number): Pane => ({
  targetId: "host",
  server: "default",
  paneId,
  sessionId: "$1",
  sessionName,
  alsoIn: [],
  windowId: `@${paneId.slice(1)}`,
  windowIndex: Number(paneId.slice(1)),
  windowName: "window",
  paneIndex: 0,
  panePid: first.pid,
  tty: "/dev/pts/9",
  title: "title",
  isActive: true,
  isDead,
  deadStatus: null,
  isAlternate: false,
  inMode,
  width: 100,
  height: 30,
  cursorX: 0,
  cursorY: 0,
  historySize: 0,
  windowActivity: 0,
  updatedAt: now,
});

type World = Pick<TmuxModel, "isRunning" | "panes">;

export interface EngineOptions {
  /** Events told the whole text of every request; else only the screen does. */
  isAnnounced: boolean;
  /** Where another request is open, it takes that one for the one on the screen. */
  showsQueued: boolean;
  /** Checks of the gate that are taken out: that the text is the one that was shown, that it is whole, and that what is drawn otherwise is still drawn so. */
  isLenient: boolean;
  isWhole: boolean;
  isLoose: boolean;
  /** The input box counts as empty. */
  isDraftless: boolean;
}

const PLAIN: EngineOptions = {
  isAnnounced: false,
  showsQueued: false,
  isLenient: false,
  isWhole: false,
  isLoose: false,
  isDraftless: false,
};

export class LaggingEngine {
  private readonly model: World;
  private readonly now: () => number;
  private readonly options: EngineOptions;
  private readonly fingerprintOf = createPromptFingerprint();
  private beliefs = new Map<string, Belief>();
  /** Over all lives of a runtime, as the store counts them. */
  private readonly versions = new Map<string, { seen: string; version: number }>();

  constructor(model: World, now: () => number, options: EngineOptions = PLAIN) {
    this.model = model;
    this.now = now;
    this.options = options;
    this.sync();
  }

  /** Sees everything as it is now. */
  sync(): void {
    this.beliefs = new Map(
      this.model.isRunning
        ? [...this.model.panes.values()].map((pane) => [pane.paneId, this.observe(pane)])
        : [],
    );
  }

  private observe(modelPane: ModelPane): Belief {
    const pane = paneOf(modelPane, this.now());
    const { front } = modelPane;
    const prompt = (this.options.showsQueued ? modelPane.queued : null) ?? modelPane.prompt;
    if (front.runtimeId === null || modelPane.isDead) return { pane, entry: null, prompt: null };
    const status = statusOf(modelPane);
    const { isAnnounced } = this.options;
    const onScreen = seenOn(screenOf(modelPane));
    const requestId =
      prompt === null ? null : isAnnounced ? `request:/x@${prompt.id}` : `poller@${prompt.id}`;
    const request = isAnnounced ? (prompt?.request ?? null) : onScreen;
    const resolution = {
      status,
      confidence: "high",
      requestId,
      request: prompt === null ? null : request,
    };
    const others = [modelPane.prompt, modelPane.queued].filter((one) => one !== prompt);
    const seen = JSON.stringify(resolution);
    const known = this.versions.get(front.runtimeId);
    const version = known?.seen === seen ? known.version : (known?.version ?? 0) + 1;
    this.versions.set(front.runtimeId, { seen, version });
    // As an event tells it that names each argument of the call: else no rule would approve anything here.
    const byEvent = new Map(prompt === null ? [] : [[prompt.id, { ...prompt.request, runsIn: "/p" }]]);
    const entry = {
      runtime: {
        runtimeId: front.runtimeId,
        inside: null,
        mutedUntil: null,
        name: null,
        targetId: pane.targetId,
        server: pane.server,
        paneId: pane.paneId,
        agentType: "model",
        pid: front.pid,
        processStartedAt: front.startedAt,
        endedAt: null,
      },
      adapter: this.options.isDraftless ? draftlessAdapter : modelAdapter,
      facts: isAnnounced ? factsOf([prompt, ...others]) : EMPTY_FACTS,
      cwd: null,
      resolution,
      asked: { byEvent, poller: onScreen },
      stateVersion: version,
      marks: NO_TURN_MARKS,
      activity: NO_ACTIVITY,
    } as unknown as RuntimeEntry;
    entry.prompt = onScreen === null ? null : this.promptWith(entry, onScreen);
    return { pane, entry, prompt };
  }

  /** As the daemon has it, unless a check is taken out. */
  private promptWith(entry: RuntimeEntry, seen: PromptRequest): ShownPrompt | null {
    const { isLenient, isWhole, isLoose } = this.options;
    const fingerprintOf: FingerprintOf = ({ runtimeId, requestId, request, drawn }) =>
      this.fingerprintOf({
        runtimeId,
        requestId,
        request,
        ...(isLoose || drawn === undefined ? {} : { drawn }),
      });
    const prompt = promptWith(entry, seen, fingerprintOf);
    const told = entry.resolution?.request ?? null;
    const fingerprint = `${entry.resolution?.requestId}`;
    if (isLenient)
      return told === null
        ? null
        : { request: { ...told, options: seen.options, isWhole: true }, fingerprint };
    return prompt !== null && isWhole ? { ...prompt, request: { ...prompt.request, isWhole } } : prompt;
  }

  /** The prompt that the person sees for a pane. */
  promptOf(paneId: string): Prompt | null {
    return this.beliefs.get(paneId)?.prompt ?? null;
  }

  entryOf(paneId: string): RuntimeEntry | null {
    return this.beliefs.get(paneId)?.entry ?? null;
  }

  paneOf(key: PaneKey): Pane | undefined {
    return this.beliefs.get(key.paneId)?.pane;
  }

  refOf(paneId: string): string {
    const pane = this.beliefs.get(paneId)?.pane;
    if (pane === undefined) throw new Error(`the engine does not know ${paneId}`);
    return formatPaneRef({ ...pane, target: "host" });
  }

  *subjects(): Iterable<ActionSubject> {
    for (const { pane, entry } of this.beliefs.values())
      yield {
        target: "host",
        server: pane.server,
        links: [pane],
        windowId: pane.windowId,
        paneId: pane.paneId,
        paneIndex: pane.paneIndex,
        runtimeId: entry?.runtime.runtimeId ?? null,
        key: { targetId: "host", server: "default", paneId: pane.paneId },
        paneRef: this.refOf(pane.paneId),
      };
  }

  current({ paneId }: PaneKey): SubjectNow | null {
    const belief = this.beliefs.get(paneId);
    if (belief === undefined) return null;
    const { entry } = belief;
    return {
      runtimeId: entry?.runtime.runtimeId ?? null,
      stateVersion: entry?.stateVersion ?? 0,
      state: entry?.resolution?.status.state ?? null,
      fingerprint: entry?.prompt?.fingerprint ?? null,
      confirmedAt: this.now(),
      // As late as everything else: what it saw last was alive.
      processAlive: entry !== null,
    };
  }

  /** What actions ask of ingest. */
  asIngest(): Ingest {
    const findEntry = (runtimeId: string): RuntimeEntry | undefined =>
      [...this.beliefs.values()].find(({ entry }) => entry?.runtime.runtimeId === runtimeId)?.entry ??
      undefined;
    return {
      liveState: { runtimes: { get: findEntry }, paneOf: (key: PaneKey) => this.paneOf(key) },
      promptWith: (entry: RuntimeEntry, seen: PromptRequest) => this.promptWith(entry, seen),
      markKilled: () => {},
    } as unknown as Ingest;
  }
}
