// Targets, tmux servers, panes and runtimes: what exists, before any state is claimed about it.
import * as z from "zod";

/** Names in references: targets, tmux servers. */
export const refNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9._-]+$/, "use letters, digits, dot, underscore and dash")
  .max(64);

export const HOST_TARGET = "host";

export const targetHealthSchema = z.enum(["ok", "degraded", "down"]);
export type TargetHealth = z.infer<typeof targetHealthSchema>;

export const targetSchema = z.object({
  targetId: z.string(),
  targetName: refNameSchema,
  kind: z.enum(["local", "ssh"]),
  connectionRef: z.string().nullable(),
  isDefault: z.boolean(),
  health: targetHealthSchema,
  healthReason: z.string().nullable(),
  lastSeenAt: z.number().nullable(),
  updatedAt: z.number(),
  /** How the target is reached right now; null for this machine and where nothing is known. Not stored. */
  link: z
    .object({
      isEnabled: z.boolean(),
      transport: z.enum(["ssh2", "openssh"]).nullable(),
      rttMs: z.number().nullable(),
      remedy: z.string().nullable(),
      nextAttemptAt: z.number().nullable(),
      /** Why the target cannot be watched in full although it is connected. */
      note: z.string().nullable().default(null),
    })
    .nullable()
    .default(null),
});
export type Target = z.infer<typeof targetSchema>;
export type TargetLink = NonNullable<Target["link"]>;

/** One run of one tmux server: pane ids restart with it. */
export const serverInstanceSchema = z.object({
  /** Name in references (`default`, the `-L` name, or a configured name). */
  server: refNameSchema,
  socketPath: z.string(),
  pid: z.number().int().positive(),
  startedAt: z.number(),
});
export type ServerInstance = z.infer<typeof serverInstanceSchema>;

export const paneKeySchema = z.object({
  targetId: z.string(),
  server: refNameSchema,
  /** tmux's id, or `bg-<id>` for a session of an agent that no pane shows (shortRef.ts). */
  paneId: z.string().regex(/^(%\d+|bg-[\w-]{1,60})$/),
});
export type PaneKey = z.infer<typeof paneKeySchema>;
export const paneKeyString = (key: PaneKey): string => `${key.targetId}/${key.server}/${key.paneId}`;

/**
 * One row of the topology: a pane with the session and index by which it is named, and every other place where a session shows
 * its window. The same session can be among them, under another index.
 */
export const paneSchema = paneKeySchema.extend({
  sessionId: z.string().regex(/^\$\d+$/),
  sessionName: z.string(),
  alsoIn: z.array(
    z.object({ sessionId: z.string(), sessionName: z.string(), windowIndex: z.number().int() }),
  ),
  windowId: z.string().regex(/^@\d+$/),
  windowIndex: z.number().int(),
  windowName: z.string(),
  paneIndex: z.number().int(),
  panePid: z.number().int(),
  tty: z.string(),
  title: z.string(),
  isActive: z.boolean(),
  isDead: z.boolean(),
  deadStatus: z.number().int().nullable(),
  isAlternate: z.boolean(),
  inMode: z.boolean(),
  width: z.number().int(),
  height: z.number().int(),
  cursorX: z.number().int(),
  cursorY: z.number().int(),
  historySize: z.number().int(),
  /** Epoch seconds of the pane's last output, or where tmux does not tell that, of the last activity in its window. */
  windowActivity: z.number(),
  updatedAt: z.number(),
});
export type Pane = z.infer<typeof paneSchema>;

/** What a process runs, whatever it is called. */
export interface ProgramFile {
  /** Real path of the executable, or of the script that it runs: from `/node_modules/<package>/` on where its package is known. */
  path: string;
  /** Name of the runtime that runs a script; null: the executable itself. */
  runtime: string | null;
  /** The agent whose executable it is; null: of none that is known by more than its name. Absent: it was not checked. */
  agentType?: string | null;
}

/** A process of a pane. `startedAt` is epoch ms (10 ms resolution on Linux, 1 s elsewhere); args are argv joined by a space. */
export interface ProcessInfo {
  pid: number;
  ppid: number;
  comm: string;
  args: string;
  startedAt: number;
  /** It was suspended (Ctrl-Z, SIGSTOP) and does nothing until it is continued. */
  isStopped?: boolean;
  /** It has the terminal: what is typed there goes to it. */
  isInFront?: boolean;
  /** Absent where it is not to be had, as for most of other machines. */
  file?: ProgramFile;
}

/** The folders that an agent uses, absolute; without any of its own, the home is both. A person may have several such accounts. */
export interface Account {
  readonly configDir: string;
  readonly dataDir: string;
  /** By which a person tells it from others: the folder's name. */
  readonly name: string;
  /** The variables of the environment that choose it, as `NAME=value`; none for the usual one. */
  readonly environment: readonly string[];
  /** Only a process said so, and nobody named it in the configuration: nothing is written through a link in it. */
  readonly isFound?: true;
}

/** A moment that never comes, as the store and JSON can hold it: a mute ends with its runtime. */
export const UNTIL_IT_ENDS = Number.MAX_SAFE_INTEGER;

/** One agent process in one pane. */
export const runtimeSchema = paneKeySchema.extend({
  runtimeId: z.string(),
  paneEpoch: z.number().int().positive(),
  agentType: z.string(),
  pid: z.number().int().nullable(),
  processStartedAt: z.number().nullable(),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  /** The agent's own session id, once an event named it. */
  agentSessionId: z.string().nullable(),
  /** The program behind which it runs unseen, as `ssh`: the pid is that program's. Null: its own process was recognised. */
  inside: z.string().nullable().default(null),
  /** Until when nothing is told of it, epoch ms, or `UNTIL_IT_ENDS`; null: it is not muted. */
  mutedUntil: z.number().nullable().default(null),
  /** What the person calls it; null: nothing. */
  name: z.string().nullable().default(null),
});
export type Runtime = z.infer<typeof runtimeSchema>;
