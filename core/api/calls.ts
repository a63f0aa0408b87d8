// Everything that a surface can ask of the daemon's core: each call once, with its input as it comes over the wire and what it
// answers. The router, the service that the daemon implements, and the client for a daemon in another process are all made from
// this table, with the types below it. Features have tables of their own, made of the same parts.
import * as z from "zod";
import {
  answerChoiceSchema,
  DEFAULT_OUTPUT_LINES,
  MAX_OUTPUT_LINES,
  MAX_TEXT,
  outputRequestSchema,
  killSignalSchema,
  type ActionResult,
  type RenameResult,
  type AuditList,
  type PaneOutput,
  actionGuardsSchema,
  type AttachPlan,
} from "../model/action.ts";
import type {
  AdapterCheck,
  AdapterList,
  AdapterSwitched,
  AdapterTry,
  RemovalReport,
  SetupLook,
  IntegrationReport,
  IntegrationSummary,
  IntegrationVerification,
} from "../model/adapterView.ts";
import { packHashSchema, type PackList, type PackOffer, type PackView } from "../model/detectionPack.ts";
import type { Finding } from "../model/doctor.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { Caller } from "../ports/feature.ts";
import { refNameSchema } from "../model/runtime.ts";
import type { Settings } from "../model/config.ts";
import { canonicalStateSchema } from "../model/state.ts";
import { NOTIFIERS } from "../model/words.ts";
import {
  MAX_NAME,
  type Explanation,
  type FeedEntry,
  type PaneList,
  type PaneView,
  type SessionList,
  type TargetView,
  type WindowList,
} from "../model/view.ts";
import type { Hello } from "./protocol.ts";
import type { NotificationEvent } from "../model/notifications.ts";

/** `answer` has no value; only its type is used. */
export interface Call<Kind extends "query" | "mutation", Input extends z.ZodType, Answer> {
  kind: Kind;
  input: Input;
  answer?: Answer;
}

/** A call that only reads: it may be repeated when its answer is lost. */
export const query =
  <Input extends z.ZodType>(input: Input) =>
  <Answer>(): Call<"query", Input, Answer> => ({ kind: "query", input });
/** A call that changes something or is expensive. */
export const mutation =
  <Input extends z.ZodType>(input: Input) =>
  <Answer>(): Call<"mutation", Input, Answer> => ({ kind: "mutation", input });

const nothing = z.void();

/** One value, or several, of which one has to match. */
const oneOrMore = <T extends z.ZodType>(item: T) =>
  z.union([item, z.array(item).min(1).max(100).readonly()]).optional();
/** All filters combine with and; the values of one with or. `all`: panes without an agent too. */
const filtersSchema = z
  .object({
    target: oneOrMore(z.string()),
    targetSession: oneOrMore(z.string()),
    session: oneOrMore(z.string()),
    state: oneOrMore(canonicalStateSchema),
    agent: oneOrMore(z.string()),
    needsAction: z.boolean().optional(),
    all: z.boolean().optional(),
    /** False: sessions that no pane shows are left out, and the document says how many. */
    background: z.boolean().optional(),
  })
  .strict();

const refSchema = z.string().min(1).max(1_000);
/** The input that every action has. `surface`: who asks, for the audit. */
const actionSchema = z.object({
  ref: refSchema,
  guards: actionGuardsSchema.prefault({}),
  surface: z.string().max(40),
});
/** As long as a job may be armed. */
const MAX_MUTE_MS = 7 * 86_400_000;

const idempotencyKeySchema = z.string().min(1).max(200).nullable().default(null);

const adapterFileSchema = z.object({ name: z.string().min(1).max(255), text: z.string().max(300_000) });

const targetSchema = z.object({
  name: refNameSchema,
  transport: z.enum(["auto", "ssh2", "openssh"]).optional(),
  tmuxPath: z.string().startsWith("/").nullable().optional(),
});

export const CALLS = {
  hello: query(nothing)<Hello>(),
  shutdown: mutation(nothing)<void>(),
  panes: query(filtersSchema)<PaneList>(),
  windows: query(filtersSchema)<WindowList>(),
  sessions: query(
    filtersSchema.extend({ groupBy: z.enum(["target-session", "session-name"]).optional() }),
  )<SessionList>(),
  targets: query(nothing)<TargetView[]>(),
  /**
   * Adds a machine behind SSH by its name in the person's SSH configuration, and begins to connect; its health shows how that goes.
   */
  targetAdd: mutation(targetSchema.extend({ sshTarget: z.string().max(255) }))<TargetView>(),
  /** Hosts that the person's SSH configuration names, for choosing from; `problems` names files that cannot be read. */
  sshAliases: query(nothing)<{ aliases: string[]; problems: string[] }>(),
  targetChange: mutation(targetSchema.extend({ enabled: z.boolean().optional() }))<TargetView>(),
  /** Makes one attempt now; fails with the reason why the target is not connected. */
  targetConnect: mutation(z.object({ name: refNameSchema }))<TargetView>(),
  /** Fails with E_CONFIRMATION_REQUIRED unless confirmed. */
  targetRemove: mutation(z.object({ name: refNameSchema, isConfirmed: z.boolean().default(false) }))<void>(),
  /**
   * For when the machine woke up, or when much may have changed: every target is read again now. Calls in quick succession count as
   * one.
   */
  lookNow: mutation(nothing)<void>(),
  /**
   * The row of a reference that a person typed in its short form; actions then take its `pane_ref`. `insideTmux` and `tmuxPane`:
   * the caller's $TMUX and $TMUX_PANE. Fails with E_REF_INVALID, E_REF_NOT_FOUND and E_REF_AMBIGUOUS.
   */
  resolve: query(
    z.object({
      ref: refSchema,
      insideTmux: z.string().max(5_000).nullable().default(null),
      tmuxPane: z.string().max(100).nullable().default(null),
    }),
  )<PaneView>(),
  explain: query(z.object({ ref: refSchema }))<Explanation>(),
  /** `mayFocus`: the caller can bring a terminal to the front by its tty. */
  prepareAttach: mutation(
    actionSchema.extend({
      insideTmux: z.string().nullable().default(null),
      mayFocus: z.boolean().default(false),
    }),
  )<AttachPlan>(),
  /**
   * Brings the terminal that shows the pane's session to the front where the host can, else attaches in a terminal window
   * that it opens. A host without a desktop makes the terminal that was used last on that tmux server show the pane; it fails
   * with E_UNSUPPORTED where there is none.
   */
  openAttach: mutation(actionSchema)<AttachPlan>(),
  dismiss: mutation(actionSchema)<{ paneRef: string }>(),
  /**
   * Nothing is told of this agent for so long, or until it ends (`"end"`); null: it is again. Watches and texts of a person tell all
   * the same. Fails with E_UNSUPPORTED where no agent runs.
   */
  mute: mutation(
    actionSchema.extend({
      forMs: z.union([z.number().int().min(1_000).max(MAX_MUTE_MS), z.literal("end")]).nullable(),
    }),
  )<{ paneRef: string; muted: PaneView["muted"] }>(),
  /**
   * What the row of this agent is called, in agtmux alone; empty: as before. Control characters are left out, and a secret. Fails with
   * E_UNSUPPORTED where no agent runs. `session`: the agent's own session gets the name, too, by the agent's command for it, which is
   * typed only while the agent is idle and nobody types there; what became of that is `session` of the answer, null where it was not
   * asked for.
   */
  rename: mutation(
    actionSchema.extend({ name: z.string().max(MAX_NAME), session: z.boolean().default(false) }),
  )<RenameResult>(),
  /**
   * The person has the row open: what it showed as unread (`unread_since`) is read. What ended after that moment stays unread.
   * It changes nothing else and is no error where nothing is unread.
   */
  markSeen: mutation(z.object({ ref: refSchema, until: z.iso.datetime() }))<void>(),
  /** The newest `lines` of scrollback and screen; without `ansi` no control character is in them. */
  viewOutput: mutation(
    actionSchema.extend({
      lines: z.number().int().min(1).max(MAX_OUTPUT_LINES).default(DEFAULT_OUTPUT_LINES),
      ansi: z.boolean().default(false),
      source: outputRequestSchema.default("screen"),
      /** True where it is drawn beside a list on which the selection moves: then it marks nothing as read. */
      isPreview: z.boolean().optional(),
    }),
  )<PaneOutput>(),
  /** Types a text literally. The same `idempotencyKey` sends once per runtime; `toShell`: a shell may get it. */
  send: mutation(
    actionSchema.extend({
      text: z.string().max(MAX_TEXT),
      pressEnter: z.boolean().default(true),
      toShell: z.boolean().default(false),
      idempotencyKey: idempotencyKeySchema,
    }),
  )<ActionResult>(),
  /**
   * Answers the prompt that `guards.ifPrompt` names and no other, with the keys that its adapter knows. The same
   * `idempotencyKey` answers once per runtime. Fails with E_PROMPT_UNCONFIRMED without that guard, with E_STALE_SNAPSHOT
   * when that prompt is not on the screen, with E_UNSUPPORTED where the keys are not known.
   */
  answer: mutation(
    actionSchema.extend({ choice: answerChoiceSchema, idempotencyKey: idempotencyKeySchema }),
  )<ActionResult>(),
  /** Stops a turn by the agent's own keys. */
  interrupt: mutation(actionSchema)<ActionResult>(),
  /** Signals the agent's process; fails with E_CONFIRMATION_REQUIRED, saying what would happen, unless confirmed. */
  kill: mutation(
    actionSchema.extend({ signal: killSignalSchema.default("INT"), isConfirmed: z.boolean().default(false) }),
  )<ActionResult>(),
  /** How many actions are being done at this moment, texts of the queue and answers of rules among them. */
  underWay: query(nothing)<{ actions: number }>(),
  /** What was done to panes, newest first. */
  audit: query(z.object({ limit: z.number().int().min(1).max(10_000).default(50) }))<AuditList>(),
  /** Every adapter in force, and what is wrong with the files of those that are not. */
  adapters: query(nothing)<AdapterList>(),
  /** Checks the text of an adapter file that need not be in force. */
  adapterCheck: mutation(adapterFileSchema)<AdapterCheck>(),
  /** Sets whether an agent is recognised in panes from now on, in config.json. Fails with E_USAGE, E_CONFIG_INVALID. */
  adapterSwitch: mutation(
    z.object({ agent: z.string().min(1).max(100), enabled: z.boolean() }),
  )<AdapterSwitched>(),
  /** What the rules of a file, or of every adapter, say about a live pane; changes nothing. */
  adapterTry: mutation(
    z.object({ ref: refSchema, file: adapterFileSchema.nullable().default(null) }),
  )<AdapterTry>(),
  /** What reads each agent's screens now: the program's own rules, or a detection pack before them. */
  packs: query(nothing)<PackList>(),
  /**
   * What a detection pack would change; it stands under its hash in the home's folder for incoming ones. Changes nothing. Fails with
   * E_PACK_REFUSED, as do the next two.
   */
  packLook: mutation(z.object({ hash: packHashSchema }))<PackOffer>(),
  /**
   * Puts it in force. `approvesAnswers`: a person has read by what it would answer and allows that; fails with E_UNSUPPORTED where an
   * agent says so, or where nobody can tell who does.
   */
  packTake: mutation(
    z.object({ hash: packHashSchema, approvesAnswers: z.boolean().default(false) }),
  )<PackView>(),
  packRollBack: mutation(z.object({ agent: z.string().max(40) }))<PackView>(),
  /** The settings that a surface may change: the values in force and what is wrong with the file now. */
  configGet: query(nothing)<Settings>(),
  /** Resolves once it is in force. Fails with E_USAGE naming the key, E_CONFIG_INVALID for a file that is already invalid. */
  configSet: mutation(z.object({ key: z.string().min(1).max(200), value: z.unknown() }))<Settings>(),
  /** Only reads. `target`: this machine where it is left out. Fails with E_TARGET_UNKNOWN, E_TARGET_UNREACHABLE. */
  integrationList: query(z.object({ target: refNameSchema.optional() }))<IntegrationSummary[]>(),
  /** `repair`: our entries are removed and written again, so that changed ones are replaced. */
  integrationChange: mutation(
    z.object({
      agent: z.string(),
      target: refNameSchema.optional(),
      action: z.enum(["install", "repair", "uninstall"]),
      /** One of its configuration folders; left out: all of them. */
      folder: z.string().max(4_096).optional(),
      dryRun: z.boolean(),
    }),
  )<IntegrationReport>(),
  /**
   * Who notifies of an agent that does so by itself: its own setting is switched off, or put back as it was, and agtmux mutes it or
   * not. Fails with E_UNSUPPORTED, E_INTEGRATION_REFUSED, E_CONFIG_INVALID.
   */
  integrationNotifier: mutation(
    z.object({
      agent: z.string(),
      target: refNameSchema.optional(),
      who: z.enum(NOTIFIERS),
      /** One of its configuration folders; left out, and for `agent`: all of them. */
      folder: z.string().max(4_096).optional(),
      dryRun: z.boolean(),
    }),
  )<IntegrationReport>(),
  /** Everything of ours goes out of the settings of every agent of the target, with what hooks need beside their entries. */
  integrationRemoveAll: mutation(
    z.object({ target: refNameSchema.optional(), dryRun: z.boolean() }),
  )<RemovalReport>(),
  /** Whether the app starts at login; unless `dryRun`, from now on it does not. Null: this host knows nothing of that. */
  loginItemOff: mutation(z.object({ dryRun: z.boolean() }))<{ wasOn: boolean } | null>(),
  integrationVerify: mutation(
    z.object({ agent: z.string(), target: refNameSchema.optional() }),
  )<IntegrationVerification>(),
  /** What set-up finds on a target (this machine where left out); only reads. Fails with E_TARGET_UNKNOWN, E_TARGET_UNREACHABLE. */
  setupLook: query(z.object({ target: refNameSchema.optional() }))<SetupLook>(),
  /** Proves the chain of one target, or of all (null); only reads. Fails with E_REF_NOT_FOUND for an unknown name. */
  doctor: mutation(z.object({ target: z.string().max(64).nullable().default(null) }))<{
    findings: Finding[];
  }>(),
};

/**
 * `all`: also rows without an agent. `latest`, with `since`: the present form of every row that changed meanwhile, instead of the
 * stored transitions one by one. `shown`: its rows are drawn for a person as long as it is open, so that what costs something to
 * know is read.
 */
export const feedSchema = z.object({
  since: z.number().int().nullable().default(null),
  sinceTime: z.number().nullable().default(null),
  all: z.boolean().default(false),
  latest: z.boolean().optional(),
  shown: z.boolean().optional(),
});

/** For a call in any table, a feature's too: what a client sends, what arrives, and what comes back. */
export type SentTo<One> =
  One extends Call<"query" | "mutation", infer Input, unknown> ? z.input<Input> : never;
export type ArrivesAt<One> =
  One extends Call<"query" | "mutation", infer Input, unknown> ? z.output<Input> : never;
export type AnswerFrom<One> =
  One extends Call<"query" | "mutation", z.ZodType, infer Answer> ? Answer : never;

/** A table of calls by their names. */
export type CallTable = Readonly<Record<string, Call<"query" | "mutation", z.ZodType, unknown>>>;

/** What answers the calls of a feature's table. */
export type ServiceOf<Table extends CallTable> = {
  [Name in keyof Table]: (input: ArrivesAt<Table[Name]>, caller: Caller) => Promise<AnswerFrom<Table[Name]>>;
};

/**
 * What answers the call `name`; `input` must be what the table's schema gave. Fails with E_UNSUPPORTED where there is no such call.
 */
export const answerOf = (service: object, name: string): ((input: unknown, caller?: Caller) => unknown) => {
  const answer: unknown = Reflect.get(service, name);
  if (typeof answer !== "function") throw new AgtmuxError("E_UNSUPPORTED", `there is no call '${name}'`);
  return (input, caller) => Reflect.apply(answer, service, [input, caller]) as unknown;
};

export type Calls = typeof CALLS;
export type CallName = keyof Calls;
export type InputOf<Name extends CallName> = ArrivesAt<Calls[Name]>;
export type AnswerOf<Name extends CallName> = AnswerFrom<Calls[Name]>;

export type FeedOptions = z.output<typeof feedSchema>;
export type ListFilters = InputOf<"panes">;
export type TargetInput = InputOf<"targetAdd">;
export type IntegrationAction = InputOf<"integrationChange">["action"];

/** What the daemon answers without waiting for anything. */
type SynchronousCall =
  | "hello"
  | "shutdown"
  | "panes"
  | "windows"
  | "sessions"
  | "targets"
  | "underWay"
  | "audit"
  | "adapters"
  | "adapterCheck";

interface Subscriptions {
  /**
   * First a snapshot, or the changes after `since` where they are still stored (`latest`: every row that changed as it is
   * now, then the targets); then every change until the signal aborts.
   */
  feed(options: FeedOptions, signal: AbortSignal): AsyncIterable<FeedEntry>;
  notices(signal: AbortSignal): AsyncIterable<NotificationEvent>;
}

/** What the daemon implements; tests and the renderer's story pages fake it. */
export type DaemonService = Subscriptions & {
  [Name in CallName]: (
    input: InputOf<Name>,
    caller?: Caller,
  ) => Name extends SynchronousCall ? AnswerOf<Name> : Promise<AnswerOf<Name>>;
};

/** The service as it is reached through a connection: there, even the answers that the daemon gives at once take a round trip. */
export type ReachableService = Subscriptions & {
  [Name in CallName]: (
    input: InputOf<Name>,
  ) => Name extends SynchronousCall ? AnswerOf<Name> | Promise<AnswerOf<Name>> : Promise<AnswerOf<Name>>;
};
