// Probes worktrees and remembers what was seen (`WorkTrees`): each one by one probe at a time, few at once, and never more often
// than is asked for. The script of a probe and the reading of what it prints are here too. It knows nothing of rows.
import { GIT_BOUNDS } from "../../core/model/commandWords.ts";
import type { Changes } from "../../core/model/workspace.ts";
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  settingsText,
  NotLookedAt,
  readPersonal,
  readRepository,
  type PersonalSettings,
  type Repository,
} from "./readRepository.ts";
import { createSemaphore } from "../../core/engine/semaphore.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { FeatureContext, FeatureTarget } from "../../core/ports/feature.ts";
import type { RunResult } from "../../core/ports/targetExecutor.ts";

// Script: git is asked without any program of the repository being run. It never reads the repository's settings: it is given a
// folder of ours as its own, with settings of ours, in which only the branches, the objects and the list of ignored files are links
// to the real ones. So there is no hook, no filter, no monitor, no text conversion and no address that it could know of, whatever
// is written into the repository meanwhile. What its files contain is data to git.

/** Exit statuses of the script. */
export const LOOK_STATUS = { cannotRead: 96, noFolder: 97, noGit: 127 } as const;

interface LookInput {
  /** A folder of ours that stays; null: one is made for this probe and removed. */
  folder: string | null;
  gitDir: string;
  commonDir: string;
  workTree: string;
  head: string;
  settings: string;
  /** The person's own list of ignored files; null: where git looks for it by itself. */
  excludesFile: string | null;
}

/**
 * Git is run by `ask`: where a repository makes it wait for ever (a pipe in place of one of its files), it ends with the script and
 * does not hold what waits for its output.
 */
export const ENDABLE = `${GIT_BOUNDS}j=; ask() { "$@" & j=$!; wait "$j"; }
trap '[ -z "$j" ] || kill -KILL "$j"; exit 1' HUP INT TERM
`;

/**
 * `$1`…`$7` are the fields of LookInput; `$8` is kept as `m` for the script that follows. The environment is made from nothing,
 * because a daemon that was started in a hook of git has variables that point git elsewhere. It never enters the worktree: a
 * relative entry of PATH would find programs there. A file that git reads whole has to be one: what is none may have no end.
 */
export const PREPARE = `umask 077
s=$1 g=$2 c=$3 w=$4 h=$5 k=$6 x=$7 m=\${8-} t=
${ENDABLE}for f in "$c/objects/info/alternates" "$c/packed-refs" "$c/shallow" "$c/info/exclude" "$g/index"; do
[ -f "$f" ] || [ ! -e "$f" ] || exit ${LOOK_STATUS.cannotRead}
done
if [ -z "$s" ]; then s=$(mktemp -d) || exit ${LOOK_STATUS.noFolder}; t=1; trap 'rm -rf "$s"' EXIT; fi
[ -d "$s/info" ] || { mkdir -p "$s/info" && ln -s "$c/refs" "$c/packed-refs" "$c/objects" "$c/shallow" "$s/" &&
ln -s "$c/info/exclude" "$s/info/exclude"; } || exit ${LOOK_STATUS.noFolder}
printf '%s\\n' "$h" >"$s/HEAD" && printf '%s' "$k" >"$s/config" || exit ${LOOK_STATUS.noFolder}
[ -n "$x" ] || x=\${XDG_CONFIG_HOME:-$HOME/.config}/git/ignore
set -- env -i PATH="$PATH" HOME="$s" LC_ALL=C GIT_DIR="$s" GIT_WORK_TREE="$w" GIT_INDEX_FILE="$g/index" \\
GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_ATTR_NOSYSTEM=1 GIT_OPTIONAL_LOCKS=0 GIT_TERMINAL_PROMPT=0 \\
GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL=none git --no-pager -c core.fsmonitor=false -c core.hooksPath=/dev/null \\
-c core.excludesFile="$x"
`;

const LOOK = `${PREPARE}ask "$@" status --porcelain=v2 --branch -z --untracked-files=normal --ignore-submodules=all --no-renames || {
r=$?; [ $r -eq ${LOOK_STATUS.noGit} ] && exit $r; exit ${LOOK_STATUS.cannotRead}; }
set -- "$@" diff --numstat -z --no-renames --no-ext-diff --no-textconv --ignore-submodules=all HEAD --
[ -n "$t" ] || exec "$@" 2>/dev/null
ask "$@" 2>/dev/null
exit 0
`;

/** As words of a script that begins with PREPARE. */
export const lookWords = (input: LookInput): string[] => [
  input.folder ?? "",
  input.gitDir,
  input.commonDir,
  input.workTree,
  input.head,
  input.settings,
  input.excludesFile ?? "",
];

/** Two programs of git, one after the other. */
export const lookCommand = (input: LookInput): string[] => [
  "sh",
  "-c",
  LOOK,
  "agtmux-look",
  ...lookWords(input),
];

// Output: what git printed of a worktree. Records end in NUL, which no file name has, so that no name can pass for a record; the
// records of the two programs begin differently. Pure.

/** `# branch.ab +1 -2`. */
const AHEAD_BEHIND = /^# branch\.ab \+(\d+) -(\d+)$/;
/** No commit, so nothing to compare lines with. */
const NO_COMMIT = "# branch.oid (initial)";
/** A changed, unmerged or unknown file, with what is told of it before its path. */
const FILE = /^(?:1(?: \S+){7}|2(?: \S+){8}|u(?: \S+){9}|\?) /;
/** Lines added and removed, and the file; `-` for a file that has no lines. */
const LINES = /^(\d+|-)\t(\d+|-)\t/;

const numberOf = (text: string | undefined): number => {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : 0;
};

/** Of more changed files than this, the others are only counted. */
const MAX_PATHS = 1_000;

export const parseLook = (output: string): { changes: Changes; paths: string[] } => {
  const paths: string[] = [];
  let files = 0;
  let hasCommit = true;
  let [added, removed] = [0, 0];
  let between: { ahead: number; behind: number } | null = null;
  for (const record of output.split("\0")) {
    const distance = AHEAD_BEHIND.exec(record);
    const lines = LINES.exec(record);
    if (distance !== null) between = { ahead: numberOf(distance[1]), behind: numberOf(distance[2]) };
    else if (lines !== null) {
      added += numberOf(lines[1]);
      removed += numberOf(lines[2]);
    } else if (FILE.test(record)) {
      files += 1;
      if (paths.length < MAX_PATHS) paths.push(record.replace(FILE, ""));
    } else if (record === NO_COMMIT) hasCommit = false;
  }
  const changes = {
    files,
    added: hasCommit ? added : null,
    removed: hasCommit ? removed : null,
    ahead: between?.ahead ?? null,
    behind: between?.behind ?? null,
  };
  return { changes, paths };
};

export interface WorkTreeKey {
  target: string;
  /** The top folder. */
  workTree: string;
}

export const keyOf = ({ target, workTree }: WorkTreeKey): string => `${target}\0${workTree}`;

export interface Look {
  /** When it ended, epoch ms, and how long it took. */
  at: number;
  tookMs: number;
  changes: Changes | null;
  /** Files that differ, by their path in the worktree; of very many, some. */
  paths: readonly string[];
  /** Why nothing is known; null where something is. */
  reason: string | null;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 4 * 1024 * 1024;
/** Worktrees that are probed side by side. */
const AT_ONCE = 2;
/** How long the person's own settings count. */
const PERSONAL_MS = 300_000;
/** A diff without a commit to compare with. */
const GIT_FAILED = 128;

/** Why a script of git said nothing; null: it did. */
export const reasonOf = ({ exitCode, timedOut }: RunResult): string | null => {
  if (timedOut) return `looking took longer than ${TIMEOUT_MS / 1_000} s`;
  switch (exitCode) {
    case 0:
    case GIT_FAILED:
      return null;
    case null:
      return "too much has changed to be counted";
    case LOOK_STATUS.noGit:
      return "there is no git program";
    case LOOK_STATUS.noFolder:
      return "there is no room for a temporary folder";
    default:
      return "git cannot read it";
  }
};

export class WorkTrees {
  private readonly context: FeatureContext;
  private readonly looks = new Map<string, Look>();
  private readonly running = new Map<string, Promise<Look>>();
  private readonly personal = new Map<string, { at: number; settings: PersonalSettings }>();
  private readonly turns = createSemaphore(AT_ONCE);
  /** Where probes of this machine keep what they give to git. Made with the first one. */
  private folder: Promise<string> | null = null;

  constructor(context: FeatureContext) {
    this.context = context;
  }

  known(key: WorkTreeKey): Look | null {
    return this.looks.get(keyOf(key)) ?? null;
  }

  /** Only what was seen of these is kept. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.looks.keys()) if (!keys.has(key)) this.looks.delete(key);
  }

  /** What was seen at most `maxAgeMs` ago, or what is to be seen now. Never rejects. */
  look(key: WorkTreeKey, maxAgeMs: number): Promise<Look> {
    const name = keyOf(key);
    const known = this.looks.get(name);
    if (known !== undefined && this.context.clock.now() - known.at < maxAgeMs) return Promise.resolve(known);
    const begun = this.running.get(name);
    if (begun !== undefined) return begun;
    const work = this.turns
      .run(() => this.lookNow(key))
      .then((look) => {
        this.looks.set(name, look);
        return look;
      })
      .finally(() => this.running.delete(name));
    this.running.set(name, work);
    return work;
  }

  async close(): Promise<void> {
    await Promise.all(this.running.values());
    // Where it could not be made there is nothing to remove.
    const folder = await this.folder?.catch(() => null);
    if (typeof folder === "string") await rm(folder, { recursive: true, force: true });
  }

  private async lookNow(key: WorkTreeKey): Promise<Look> {
    const { clock } = this.context;
    const beganAt = clock.now();
    const ended = (found: Omit<Look, "at" | "tookMs">): Look => {
      const at = clock.now();
      return { at, tookMs: at - beganAt, ...found };
    };
    try {
      return ended({ ...(await this.changesOf(key)), reason: null });
    } catch (error) {
      if (error instanceof NotLookedAt || error instanceof AgtmuxError)
        return ended({ changes: null, paths: [], reason: error.message });
      this.context.logger.debug({ error, target: key.target }, "a worktree could not be looked at");
      return ended({ changes: null, paths: [], reason: "its files cannot be read" });
    }
  }

  private async changesOf({ target: name, workTree }: WorkTreeKey): Promise<ReturnType<typeof parseLook>> {
    const target = this.context.target(name);
    const result = await target.run(lookCommand(await this.inputOf(name, target, workTree)), {
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    });
    const reason = reasonOf(result);
    if (reason !== null) throw new NotLookedAt(reason);
    return parseLook(result.stdout);
  }

  /** All that a script needs to ask git about a worktree, and what it was made of. @throws NotLookedAt */
  async inputOf(
    name: string,
    target: FeatureTarget,
    workTree: string,
  ): Promise<LookInput & { repository: Repository }> {
    const repository = await readRepository(target.files, workTree);
    const { facts, excludesFile } = await this.personalOf(name, target);
    const settings = { ...repository.settings, facts: new Map([...facts, ...repository.settings.facts]) };
    return {
      repository,
      folder:
        target.kind === "local" ? await this.folderOf(`${repository.gitDir}\0${repository.commonDir}`) : null,
      gitDir: repository.gitDir,
      commonDir: repository.commonDir,
      workTree,
      head: repository.head,
      settings: settingsText(settings, repository.branch),
      excludesFile,
    };
  }

  private async personalOf(name: string, target: FeatureTarget): Promise<PersonalSettings> {
    const now = this.context.clock.now();
    const known = this.personal.get(name);
    if (known !== undefined && now - known.at < PERSONAL_MS) return known.settings;
    const settings = await readPersonal(target.files, await target.homeDir());
    this.personal.set(name, { at: now, settings });
    return settings;
  }

  private async folderOf(repository: string): Promise<string> {
    this.folder ??= mkdtemp(join(tmpdir(), "agtmux-looks-"));
    return join(await this.folder, createHash("sha256").update(repository).digest("hex").slice(0, 24));
  }
}
