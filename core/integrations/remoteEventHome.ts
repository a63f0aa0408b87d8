// The part of a home that hooks need on a target behind SSH: the event script and the spool it writes to. It is installed with
// the first agent's hooks and removed with the last one's. A home that another agtmux uses is left alone.
import { AgtmuxError } from "../model/errors.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";

const TIMEOUT_MS = 15_000;
const MAX_SCRIPT_BYTES = 256 * 1024;

/** `$1` is the home. Prints a line for each thing that is wrong, and how many events are waiting there. */
const LOOK = `h=$1
for d in spool/tmp spool/new spool/bad; do [ -d "$h/$d" ] || echo "missing $d"; done
[ -x "$h/bin/agtmux-event" ] || echo unexecutable
if [ -S "$h/agtmuxd.sock" ] || [ -e "$h/owner.db" ]; then echo owned; fi
if [ -e "$h" ]; then
  [ -O "$h" ] || echo foreign
  case $(LC_ALL=C ls -ld "$h/") in (?????w*|????????w*) echo writable;; esac
fi
n=0; for f in "$h"/spool/new/*; do [ -e "$f" ] && n=$((n+1)); done; echo "events $n"`;

const PREPARE = `umask 077
mkdir -p "$1/bin" "$1/spool/tmp" "$1/spool/new" "$1/spool/bad" &&
chmod 700 "$1/spool" "$1/spool/tmp" "$1/spool/new" "$1/spool/bad" && chmod 755 "$1/bin/agtmux-event"`;

/** Folders that hold something else stay. */
const REMOVE = `rm -f "$1/bin/agtmux-event" && rm -rf "$1/spool/tmp" "$1/spool/new" "$1/spool/bad" || exit 1
rmdir "$1/spool" "$1/bin" "$1" 2>/dev/null; exit 0`;

export interface EventHomePlan {
  /** What a person is shown before the change is made; empty: there is nothing to do. */
  shown: { path: string; before: string | null; after: string | null }[];
  apply(): Promise<void>;
}

interface Found {
  script: string | null;
  missing: string[];
  isExecutable: boolean;
  isOwned: boolean;
  isForeign: boolean;
  isWritable: boolean;
  eventCount: number;
}

const NOTHING: EventHomePlan = { shown: [], apply: async () => {} };

const checkSafe = (home: string, targetId: string, found: Found): void => {
  if (found.isOwned)
    throw new AgtmuxError(
      "E_INTEGRATION_REFUSED",
      `${home} on ${targetId} belongs to an agtmux of its own, which takes the events of the agents there`,
      {
        remedy: `Run 'agtmux integrate' on ${targetId} itself; or, if agtmux is not used there any more, remove that folder.`,
      },
    );
  if (found.isForeign || found.isWritable)
    throw new AgtmuxError(
      "E_INTEGRATION_REFUSED",
      `${home} on ${targetId} ${found.isForeign ? "belongs to another user" : "can be written by others"}`,
      {
        remedy: found.isForeign
          ? "Remove that folder, or let it belong to you."
          : `Run there: chmod go-w ${home}`,
      },
    );
};

/** `homeDir`: the remote user's home folder; `scriptText`: the event script as shipped. */
export const createRemoteEventHome = (options: {
  executor: TargetExecutor;
  homeDir: string;
  scriptText: string;
}) => {
  const { executor, homeDir, scriptText } = options;
  const home = `${homeDir}/.agtmux`;
  const eventScript = `${home}/bin/agtmux-event`;
  const spool = `${home}/spool`;

  const runScript = async (what: string, script: string): Promise<string> => {
    const ran = await executor.run(["sh", "-c", script, "sh", home], { timeoutMs: TIMEOUT_MS });
    if (ran.exitCode === 0) return ran.stdout;
    const why = ran.timedOut ? "no answer" : (ran.stderr.split("\n")[0] ?? "");
    throw new AgtmuxError("E_INTEGRATION_REFUSED", `${what} ${home} on ${executor.targetId}: ${why}`, {
      remedy: `Look at that folder in a terminal on ${executor.targetId}.`,
    });
  };
  const look = async (): Promise<Found> => {
    const [script, answer] = await Promise.all([
      executor.files.readText(eventScript, MAX_SCRIPT_BYTES),
      runScript("look at", LOOK),
    ]);
    const lines = answer.split("\n");
    const countLine = lines.find((line) => line.startsWith("events ")) ?? "";
    return {
      script,
      missing: lines.filter((line) => line.startsWith("missing ")).map((line) => line.slice(8)),
      isExecutable: !lines.includes("unexecutable"),
      isOwned: lines.includes("owned"),
      isForeign: lines.includes("foreign"),
      isWritable: lines.includes("writable"),
      eventCount: Number(countLine.slice(7)) || 0,
    };
  };
  const hasAll = ({ script, missing, isExecutable }: Found): boolean =>
    script === scriptText && missing.length === 0 && isExecutable;

  return {
    /** Absolute, and constant for the target. */
    eventScript,
    /** @throws AgtmuxError E_INTEGRATION_REFUSED for a home that belongs to another agtmux or that others can write to. */
    planInstall: async (): Promise<EventHomePlan> => {
      const found = await look();
      checkSafe(home, executor.targetId, found);
      if (hasAll(found)) return NOTHING;
      const folders = "folders tmp, new and bad for events, for you only\n";
      return {
        shown: [
          ...(found.script === scriptText && found.isExecutable
            ? []
            : [{ path: eventScript, before: found.script, after: scriptText }]),
          ...(found.missing.length === 0 ? [] : [{ path: spool, before: null, after: folders }]),
        ],
        apply: async () => {
          await executor.files.writeText(eventScript, scriptText, 0o755);
          await runScript("prepare", PREPARE);
        },
      };
    },
    planRemoval: async (): Promise<EventHomePlan> => {
      const found = await look();
      const hasSpool = found.missing.length < 3;
      if (found.isOwned || (found.script === null && !hasSpool)) return NOTHING;
      const count = found.eventCount;
      const events = count === 0 ? "" : `${count} event${count === 1 ? "" : "s"} that nobody took\n`;
      return {
        shown: [
          ...(found.script === null ? [] : [{ path: eventScript, before: found.script, after: null }]),
          ...(hasSpool ? [{ path: spool, before: `folders for events\n${events}`, after: null }] : []),
        ],
        apply: async () => {
          await runScript("remove", REMOVE);
        },
      };
    },
    /** Whether any part of it exists. */
    isPresent: async (): Promise<boolean> => (await look()).script !== null,
    /** The reasons why events cannot be written or taken; empty where all is well. */
    problems: async (): Promise<string[]> => {
      const found = await look();
      if (found.isOwned) return [`an agtmux of its own lives in ${home} and takes the events there`];
      return [
        ...(found.script === null
          ? [`${eventScript} is missing`]
          : found.script !== scriptText
            ? [`${eventScript} is not the one of this version`]
            : []),
        ...(found.script !== null && !found.isExecutable ? [`${eventScript} cannot be executed`] : []),
        ...found.missing.map((folder) => `${home}/${folder} is missing`),
        ...(found.isForeign ? [`${home} belongs to another user`] : []),
        ...(found.isWritable ? [`${home} can be written by others`] : []),
      ];
    },
  };
};

export type EventHome = ReturnType<typeof createRemoteEventHome>;
