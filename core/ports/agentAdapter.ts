// The adapter contract (spec 7.2.3), version 1.0. An adapter knows one agent: its process, events, files and screens. It declares;
// core decides. Adapters are pure, except for what is handed `files`. Also in this file: integrations, the source of the adapters
// in force, and print mode.
import type { RunningTool, Signal } from "../model/evidence.ts";
import type { Envelope } from "../model/envelope.ts";
import type { PersonStep } from "../model/adapterView.ts";
import type { PackOffer, PackView } from "../model/detectionPack.ts";
import type { PromptRequest } from "../model/request.ts";
import type { Pane, ProcessInfo } from "../model/runtime.ts";
import type { Confidence, Status } from "../model/state.ts";
import type { AgentHistory, AgentLimits, TranscriptEntry, AgentLoads } from "./agentFiles.ts";
import type { TargetFiles } from "./targetExecutor.ts";

export const ADAPTER_CONTRACT_VERSION = "1.0";

/** The spec's flags, plus what later surfaces need. A flag that is on and fails at run time is a bug. */
interface AdapterCapabilities {
  event_driven: boolean;
  polling_required: boolean;
  supports_waiting_approval: boolean;
  supports_waiting_input: boolean;
  supports_completed: boolean;
  /** False where nobody could record a run of this agent; shown as such. */
  verified: boolean;
}

export interface IdentifyMatch {
  /** The agent's process among those given. */
  process: ProcessInfo;
  confidence: Confidence;
  /** What identified it, for `explain`. */
  sign: string;
}

/** Visible screen, top to bottom, trailing blanks cut, no escape sequences. */
export interface Screen {
  lines: readonly string[];
  /**
   * The same lines with their colours as SGR sequences, whose effect goes on from line to line; given only at the moment of an
   * answer.
   */
  styledLines?: readonly string[];
  title: string;
  isAlternate: boolean;
  width: number;
  height: number;
  /** Its row is an index of `lines`, and may be below the last; absent where only the text was read. */
  cursor?: Cursor;
}

export interface Cursor {
  x: number;
  y: number;
  isVisible: boolean;
}

/** What a screen or a state file positively shows; `matched` quotes the text that shows it. */
export interface Reading {
  status: Status;
  confidence: Confidence;
  matched: string;
  request: PromptRequest | null;
  /**
   * In a reading with a request: the index in `Screen.lines` of the first row of its dialog, which reaches to the last line.
   * Absent where that is not known; then no key answers it.
   */
  dialogTop?: number;
  /** An unchanged picture still proves life (see ObservationSignal.steady). */
  isSteady: boolean;
  /**
   * What the agent says of its work beside the state, on one line: background tasks, attempts, queued prompts. Coarse: no
   * seconds, no tokens (core takes them out).
   */
  progress?: string | null;
  /**
   * What decides about keys on this screen instead of this reading: that of the program itself, where this one comes from a detection
   * pack that no person has approved for answers. Null: as if nothing were known. Absent: this reading.
   */
  forKeys?: Reading | null;
}

/** What decides about keys on a screen of which this was read. */
export const readingForKeys = (reading: Reading | null): Reading | null =>
  reading?.forKeys === undefined ? reading : reading.forKeys;

/** `confirmRequests`: another program may answer permission requests before a person sees them, so dialogs need confirmation. */
export interface NormalizeContext {
  confirmRequests: boolean;
}

/** What an event or the agent's own log says about the work; texts are unbounded. Absent: it says nothing about it. */
export interface ToldActivity {
  /** What the person asked. In an event, it also helps to find the pane where the event names the wrong one. */
  promptText?: string | null;
  /** A tool of the agent itself, not of a sub-agent, that begins or ends; null: none runs. */
  tool?: (RunningTool & { hasEnded?: boolean }) | null;
  /** What the agent said last. */
  saidText?: string | null;
  folder?: string | null;
  /** The agent's own name for its session; null: it has none. */
  sessionTitle?: string | null;
}

/** A normalised event: the signals it stands for, in order (most give one), and the agent's session id. */
export interface NormalizedEvent extends Omit<ToldActivity, "folder" | "sessionTitle"> {
  signals: readonly Signal[];
  sessionId: string | null;
  /** The agent's own id of this event, where it has one; else null and the spool name dedupes. */
  eventId: string | null;
  /** Set on the event that this agent emits when it exits by itself. */
  isExit: boolean;
  /** Working folder of the agent as the event names it. */
  cwd?: string | null;
  /** The agent's own log of this session, for `readStateFiles`. */
  transcriptPath?: string | null;
}

/** A folder in which an agent keeps its files. The environment of its process may name another one than the usual. */
export interface AgentFolder {
  /** Below the home. */
  readonly usual: string;
  /** Absent: nothing moves it, or nobody knows what does. */
  readonly variable?: string;
  /** Below what the variable names; absent: that itself. */
  readonly below?: string;
}

/** `configDir`, here and in all requests: the agent's folder (`AgentAdapter.configFolder`) as this process or account has it. */
export interface StateFileRequest {
  files: TargetFiles;
  configDir: string;
  process: ProcessInfo;
  pane: Pane;
  agentSessionId: string | null;
  /** As the agent's events last named them; null before that. */
  transcriptPath: string | null;
  cwd: string | null;
}

/** A session of the agent that runs whether or not a terminal shows it, as the agent's own files name it. */
export interface BackgroundSession {
  /** The agent's own name for it, as its commands take it: letters, digits, `_` and `-`. */
  id: string;
  /** Its process, which is to be compared by `isOf` before it counts: the file of a killed one stays behind. */
  pid: number;
  isOf(process: ProcessInfo): boolean;
  sessionId: string | null;
  /** What it was asked to do, or its name; unbounded. */
  title: string;
  /** Where it works, and its log; absent: its process or its events say so. */
  cwd?: string | null;
  logPath?: string | null;
  /** Its turn goes on, or it waits in the middle of one. */
  isAtWork: boolean;
  /** When it began in this process, and when its files were written last; epoch ms. */
  beganAt: number;
  changedAt: number;
}

/** How an agent's background sessions are found and opened. Words of commands hold letters, digits and `._=:/-` only. */
export interface BackgroundSessions {
  /**
   * The folder with one file for each running session, and the folder below which the files of session `id` are in `<id>/`. Without
   * `jobs` nothing tells that a session has changed, so that it is read again and again while no pane shows it.
   */
  folders(configDir: string): { sessions: string; jobs?: string };
  /** The session of a file of the first folder; null: it is of none. Throws where it cannot be read, as while it is written. */
  read(request: { files: TargetFiles; configDir: string; name: string }): Promise<BackgroundSession | null>;
  /**
   * Each of its sessions is begun by a terminal, which shows it and which no file names. It goes on without one as long as it works
   * or waits. Its `id` is its `sessionId`. Absent: a session is begun without one, and a terminal that shows it is known by `shownBy`.
   */
  readonly startsInTerminals?: boolean;
  /** The session that this process may show in its terminal, if there is one of that name; null: none. */
  shownBy(process: ProcessInfo): string | null;
  /** A terminal goes from session to session without a new process. Absent: its command line says for good what it shows. */
  readonly roams?: {
    /** The title of a terminal that has begun to. */
    readonly title: RegExp;
    /** The session that runs on without this process, which only shows sessions since then; null: it still runs its own. */
    gaveAway(request: {
      files: TargetFiles;
      configDir: string;
      process: ProcessInfo;
    }): Promise<string | null>;
    /** The one of `sessions` that a terminal with this title shows; null: none, or nobody can tell. */
    shown(title: string, gaveAway: string, sessions: readonly BackgroundSession[]): string | null;
  };
  /** Where `startsInTerminals`: this terminal shows none of them, because its process runs its sessions itself. Absent: each may. */
  isApart?(process: ProcessInfo): boolean;
  /** A terminal that opens a session does not draw what it asks by then: that is answered where it was asked. */
  readonly hidesOpenDialogs?: true;
  /** The command that opens a session in a terminal; null: it cannot be opened now. Fails where `configDir` is needed and null. */
  attach(request: {
    id: string;
    files: TargetFiles;
    configDir: string | null;
  }): Promise<readonly string[] | null>;
  /** The one that ends it; absent: there is none. */
  stop?(id: string): readonly string[];
  /** The words before the task of a new session, and what it prints then: its id is the first group. Absent where it was never tried. */
  readonly start?: { readonly words: readonly string[]; readonly printed: RegExp };
}

/** One rule that matched a screen, in the order in which rules are tried; the first gives the result of `readScreen`. */
export interface ScreenTrace {
  rule: string;
  reading: Reading;
}

/** `reason`: what the adapter no longer does, and what brings it back. */
export type AdapterHealth = { status: "ok" } | { status: "degraded"; reason: string };

/**
 * How a person starts the agent in a terminal. Every word is constant but the session's id, and holds letters, digits and `._=/-`
 * only, because a shell reads them.
 */
export interface AgentLaunch {
  readonly program: string;
  /** Goes on with a session, by the id that the agent's events name; absent where it was never tried. */
  readonly resume?: (sessionId: string) => readonly string[];
}

/** An input box that may have an editor with modes, as vim has: there keys are text in one mode only. */
export interface AgentInputModes {
  /** Whether the person has switched that editor on. */
  isOn(request: { files: TargetFiles; configDir: string; cwd: string | null }): Promise<boolean>;
  /**
   * As the screen shows it. "text": keys are text. "commands": the screen names another mode. "none": it names none, which is the
   * first mode of the editor, or there is no editor with modes. Null: it does not say.
   */
  read(screen: Screen): "text" | "commands" | "none" | null;
  /** From the first mode to the one for text: names of keys of tmux. */
  readonly textKeys: readonly string[];
}

/** What proves that an executable is the agent's, whatever its name is. */
export interface AgentExecutable {
  /** Real paths to which its installers put it. */
  readonly paths: RegExp;
  /** A text that stands in each version of the file, and in no other program. */
  readonly mark: string;
}

export interface AgentAdapter {
  // Who it is.

  readonly contractVersion: typeof ADAPTER_CONTRACT_VERSION;
  readonly agentType: string;
  readonly displayName: string;
  /** Version of the adapter, not of the agent. */
  readonly version: string;
  /** Versions of the agent that were recorded. */
  readonly recordedVersions: readonly string[];
  /** Major versions that it knows from documents alone; absent where there are none. */
  readonly unverifiedVersions?: readonly string[];
  readonly capabilities: AdapterCapabilities;
  /**
   * Whether the adapter itself still works; answers at once and has no effect. Absent where no part of it can fail permanently.
   * Hooks and the arrival of events are checked by `integration` and `doctor` instead.
   */
  health?(): AdapterHealth;

  // Its process.

  /**
   * `processes`: those that run in the pane, the pane's own first, parents before children. Null: not this agent's.
   * Must never claim another agent's process, a helper, a tool's child or a plain shell.
   */
  identify(processes: readonly ProcessInfo[]): IdentifyMatch | null;
  /** Absent for scripts, and where nobody could read the program. */
  readonly executable?: AgentExecutable;
  /** Names under which a shell finds the program; the agent's type where it is left out. */
  readonly programs?: readonly string[];
  /** True where the agent always announces an orderly exit by an event: an end in mid-turn without it is then a crash. */
  readonly announcesExit: boolean;

  // Its events.

  /** Turns an event file into signals. Unknown events and fields degrade to no signals; never throws. */
  normalize(envelope: Envelope, context: NormalizeContext): NormalizedEvent;
  /**
   * True where hooks may run in a background server with another pane's environment: `TMUX_PANE` of such an event proves
   * nothing, so the event is bound by session id and working folder.
   */
  readonly eventsMayNameOtherPanes?: boolean;
  /** Whether dialogs of this agent need confirmation just now (other permission hooks installed). Cheap; may be cached. */
  needsConfirmation?(request: {
    files: TargetFiles;
    configDir: string;
    cwd: string | null;
  }): Promise<boolean>;
  /** Installs our hook into the agent's settings; absent where the agent has no events. */
  readonly integration?: Integration;

  // Its screen.

  /**
   * Null where nothing on the screen is positive proof of a state: never a guess, never `idle` by default. `unknown/in_menu` where
   * a view of the agent's own (a menu, a list, its settings, its transcript) covers what it does; keys would be commands there.
   * `unknown/unsupported_signal` where a dialog may be open though the screen does not show it whole, as after `reset`.
   */
  readScreen(screen: Screen): Reading | null;
  /**
   * Whether only this agent draws such a screen, whatever its state, for panes in which no process tells of it
   * (core/ports/screenAlone.ts). Where the cursor stands has to be one of the marks: below a text that was printed, and in a pager,
   * it stands elsewhere. Absent where the recordings do not hold such marks.
   */
  isOwnScreen?(screen: Screen): boolean;
  /** Every rule that matches, for a person who writes rules; absent where an adapter is not made of rules. */
  traceScreen?(screen: Screen): readonly ScreenTrace[];
  /**
   * What stands in the input box that a person, or anybody, typed there: "" when it is empty, and null where there is no input box
   * or what stands in it is not known. The agent's own hint in an empty box is no draft. Needs `styledLines`, because a hint
   * differs from a draft by its colour alone. Absent where the box was not recorded.
   */
  readDraft?(screen: Screen): string | null;
  /**
   * When a limit of the provider ends, epoch ms, from the words of the failure; null where they do not say so. `at`: when they were
   * first seen. `timeZone`: of the agent's machine, for words without one; null: it is not known. Absent where no such words were
   * recorded.
   */
  readReset?(words: string, seen: { at: number; timeZone: string | null }): number | null;
  /**
   * What the agent says of its session in the title of its pane, without its own name, signs of state and the folder's name; null
   * where the title says nothing of the work. `folder` null: not known. Pure.
   */
  titleOfSession?(title: string, folder: string | null): string | null;

  // Its keys.

  /** How a person stops a turn: presses one after another, each a list of tmux key names. Absent where it is not known. */
  readonly interruptKeys?: readonly (readonly string[])[];
  /** Absent where its input box has no editor with modes, or none that was recorded. */
  readonly inputModes?: AgentInputModes;
  /** The cursor goes on moving while a dialog is open, so its place says nothing then. */
  readonly movesCursorInDialogs?: boolean;
  /** How long a dialog ignores keys after it opened, in ms. */
  readonly dialogIgnoresKeysMs?: number;
  /** What a person types before a name, to give the session that name. Absent where there is none, or none that was seen to work. */
  readonly sessionNameCommand?: string;
  /** What a person types to make the agent use a skill. Absent where plain words do. */
  skillCommand?(skill: string, argument: string): string;

  // Its files.

  /** With its settings, its sessions and their state. Absent: it has none that anybody knows of. */
  readonly configFolder?: AgentFolder;
  /** With its sessions, where that is another one. */
  readonly dataFolder?: AgentFolder;
  /** The agent's own state file or transcript, validated against the process; null where there is none to trust. */
  readStateFiles?(request: StateFileRequest): Promise<Reading | null>;
  /** What the agent's own files say of its work beside any state, as `Reading.progress`; null for nothing. */
  readProgress?(request: StateFileRequest): Promise<string | null>;
  /**
   * The newest part of the session from the agent's own log, oldest first, for a person to read; null if no log provably
   * belongs to this process, or if its format is not known. It is shown and never stored. Absent for agents whose log format is
   * unknown.
   */
  readTranscript?(request: StateFileRequest): Promise<readonly TranscriptEntry[] | null>;
  /** The agent's own name for the session from a file that is provably this process's; null for none. */
  readSessionTitle?(request: StateFileRequest): Promise<string | null>;
  /** The sessions that the agent keeps on disk; absent where their form is not known. */
  readonly history?: AgentHistory;
  /** What its files say of its account's limits; absent where none is known that does. */
  readonly limits?: AgentLimits;
  /** The sessions that run without a terminal; absent where the agent has none, or none that were recorded. */
  readonly background?: BackgroundSessions;

  // How it is started. Each is absent where it is not known.

  readonly launch?: AgentLaunch;
  /** What it reads when it starts in a folder. */
  readonly loads?: AgentLoads;
  /** How it answers without a pane. */
  readonly printMode?: PrintMode;
}

/** `steps` absent: there are none. */
interface InspectedIntegration {
  installed: boolean;
  missing: readonly string[];
  problems: readonly string[];
  steps?: readonly PersonStep[];
}

export interface IntegrationRequest {
  files: TargetFiles;
  homeDir: string;
  configDir: string;
  /** Path of the installed event script; constant, because some agents ask for trust again when it changes. */
  eventScript: string;
}

/** One file that an integration would change; `before` null: it does not exist yet. */
export interface IntegrationChange {
  path: string;
  before: string | null;
  /** Null: the file is removed. */
  after: string | null;
  /** Nothing of anybody else's is in it, so its old text is not kept. */
  isOwn?: boolean;
}

/**
 * How an agent notifies a person by itself, and the setting that switches it off: documented, or seen. Fails as `Integration` does.
 */
export interface OwnNotifications {
  /** What it does, after its name: "rings the bell of its terminal". */
  readonly what: string;
  /** The settings file in that configuration folder. */
  path(configDir: string): string;
  /** Whether it notifies now, and whether it does not because of `planSilence`. */
  inspect(request: IntegrationRequest): Promise<{ isOn: boolean; isSilenced: boolean }>;
  /** Empty where it does not notify. */
  planSilence(request: IntegrationRequest): Promise<IntegrationChange[]>;
  /** Puts back what stood there before `planSilence`; a value that somebody has set since then stays. */
  planRestore(request: IntegrationRequest): Promise<IntegrationChange[]>;
}

/** Fails with E_INTEGRATION_REFUSED for a file that it cannot parse. The caller shows, backs up and writes. */
export interface Integration {
  planInstall(request: IntegrationRequest): Promise<IntegrationChange[]>;
  planUninstall(request: IntegrationRequest): Promise<IntegrationChange[]>;
  /**
   * Which of our entries are present: `missing` names the events without one, `problems` what else is wrong, and `steps` what
   * the person has still to do.
   */
  inspect(request: IntegrationRequest): Promise<InspectedIntegration>;
  /** Absent where it does not notify by itself. Where its settings are not changed from here, `how` says what the person can do. */
  readonly notifications?: OwnNotifications | { readonly what: string; readonly how: string };
  /** A harmless event of this agent, for proving that delivery works. */
  readonly testEvent: { eventName: string; payload: Record<string, unknown> };
}

// Source: the adapters in force now, where each comes from, and what is wrong with those that are not. `adapters/` implements it.

/** What is wrong with an adapter file: `line` from 1, `path` the key with dots (empty: the file as a whole). */
export interface AdapterProblem {
  file: string;
  line: number;
  path: string;
  message: string;
}

/** A file with its content, as it was handed over for a check. */
export interface AdapterText {
  name: string;
  text: string;
}

/** `patched`: a built-in adapter with the rules of `files` before its own. */
export interface AdapterOrigin {
  kind: "built-in" | "patched" | "file";
  files: readonly string[];
}

/** The part that comes from the person's files. */
interface AdapterFiles {
  originOf(agentType: string): AdapterOrigin;
  /** Problems of all files as they are now, in the order of files and lines. */
  problems(): readonly AdapterProblem[];
  /** Reads a file that need not be in force; the adapter is null where it has problems. */
  check(file: AdapterText): {
    adapter: AgentAdapter | null;
    kind: AdapterOrigin["kind"];
    problems: readonly AdapterProblem[];
  };
  /** Called after each change of the adapters in force. Returns the unsubscribe function. */
  onChange(listener: () => void): () => void;
}

export interface AdapterSource {
  list(): readonly AgentAdapter[];
  byAgentType(agentType: string): AgentAdapter | null;
  identify(processes: readonly ProcessInfo[]): { adapter: AgentAdapter; match: IdentifyMatch } | null;
  /** Absent where only built-in adapters are used. */
  readonly files?: AdapterFiles;
  /** Absent where none are taken. */
  readonly packs?: DetectionPacks;
}

/**
 * Detection packs: signed files with rules that are tried before a built-in adapter's own, and the recordings that show them. All
 * fail with E_PACK_REFUSED, which says what is wrong; what was in force before stays.
 */
export interface DetectionPacks {
  /** One for each built-in agent. */
  list(): readonly PackView[];
  /** What a file would change; it is in the folder for incoming ones, named by its SHA-256 in hex. Changes nothing. */
  look(hash: string): Promise<PackOffer>;
  /** Puts it in force, after the same checks. `approvesAnswers`: a person has read its answers and allows them. */
  take(hash: string, approvesAnswers: boolean): Promise<PackView>;
  /** The pack before it, or the program's own rules alone. */
  rollBack(agentType: string): Promise<PackView>;
}

/** Packs as those see them who put adapters together. */
export interface PackSource extends DetectionPacks {
  /** The built-in adapters, each with the pack that is in force for it. */
  adapters(): readonly AgentAdapter[];
  /** Of packs that are stored and not in force. */
  problems(): readonly AdapterProblem[];
  /** Called after each change of what is in force. Returns the unsubscribe function. */
  onChange(listener: () => void): () => void;
}

// Print mode: how an agent answers without a pane, by a command that takes a question on its standard input and prints the answer.

export interface PrintQuestion {
  readonly prompt: string;
  /** The conversation to go on with; null: a new one. */
  readonly session: string | null;
  /** Goes on in a copy of `session`, or of the last conversation in this folder where that is null; only as `forks` allows. */
  readonly isFork: boolean;
  readonly model: string | null;
  /** It may change files of the folder without asking; else it asks, nobody answers, and nothing is changed. */
  readonly acceptsEdits: boolean;
}

export interface PrintAnswer {
  /** Empty: it gave none. */
  readonly text: string;
  /** By which it goes on with this conversation; null where it names none. */
  readonly session: string | null;
}

export interface PrintMode {
  readonly command: string;
  /** Which conversations it can copy and go on with: one that is named, also the last one, or none. */
  readonly forks: "named" | "last too" | "none";
  /** Without the prompt: every user of the machine can read a command line. */
  readonly argv: (question: PrintQuestion) => readonly string[];
  /** Variables that the command must not have. */
  readonly withoutEnv: readonly string[];
  /** What it printed, as an answer. Throws for what it does not understand, and where the agent says that it failed. */
  readonly parse: (stdout: string) => PrintAnswer;
}
