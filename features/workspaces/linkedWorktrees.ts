// The linked worktrees of a repository: found in git's own files, made beside the repository, and removed only where nothing could
// be lost with them. The scripts are here; how git is asked safely is in workTrees.ts.
import { ENDABLE, PREPARE, lookWords, type WorkTrees } from "./workTrees.ts";
import { settingsText, NotLookedAt, readRepository, type Repository } from "./readRepository.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { PaneView } from "../../core/model/view.ts";
import type { WorktreeView } from "../../core/model/workspace.ts";
import type { FeatureContext, FeatureTarget } from "../../core/ports/feature.ts";

// Scripts: they make, judge and remove a linked worktree. Only the making of its entry needs the repository's own settings to be
// read by git; there, every program that they could name for it is switched off, and nothing is checked out. Files are checked out,
// and everything else is asked, with settings of ours (workTrees.ts), so that no filter and no hook can run.

/** Exit statuses, beside those of a probe (`LOOK_STATUS`). */
const WORKTREE_STATUS = {
  notMade: 95,
  notFilled: 94,
  changed: 93,
  notMoved: 92,
  hasModules: 91,
} as const;

/** `$1` the main worktree, `$2` the new one's path, `$3` its branch, `$4` where a new branch begins (empty: it exists). */
const REAL = `${ENDABLE}real() { ask env -i PATH="$PATH" HOME="$HOME" LC_ALL=C GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null \\
GIT_TERMINAL_PROMPT=0 GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL=none git --no-pager -C "$r" \\
-c core.fsmonitor=false -c core.hooksPath=/dev/null "$@"; }
`;

/** `$5` git's common folder, `$6` settings. Prints what git says where it refuses. */
export const ADD = `u=$(umask); r=$1 p=$2 b=$3 f=$4 c=$5 k=$6
${REAL}if [ -n "$f" ]; then real worktree add --no-checkout -b "$b" -- "$p" "$f"; else real worktree add --no-checkout -- "$p" "$b"; fi \\
>/dev/null || exit ${WORKTREE_STATUS.notMade}
read -r l <"$p/.git" || exit ${WORKTREE_STATUS.notFilled}
set -- "" "\${l#gitdir: }" "$c" "$p" "ref: refs/heads/$b" "$k" ""
${PREPARE}umask "$u"
ask "$@" read-tree --reset -u HEAD && exit 0
real worktree remove --force -- "$w" >/dev/null 2>&1; [ -z "$f" ] || real branch -D -- "$b" >/dev/null 2>&1
exit ${WORKTREE_STATUS.notFilled}
`;

/** Ignored files and folders, each ended by NUL; then, after an empty record, how many commits \`m\` lacks: 0 or 1. */
const JUDGE = `${PREPARE}o=$s/out.$$
ask "$@" ls-files -s >"$o" && grep -q '^160000' "$o"; r=$?; rm -f "$o"; [ $r != 0 ] || exit ${WORKTREE_STATUS.hasModules}
ask "$@" ls-files --others --ignored --exclude-standard --directory -z
printf '\\000'
[ -z "$m" ] || ask "$@" rev-list --count --max-count=1 HEAD --not "$m" -- 2>/dev/null
exit 0
`;

/**
 * Moves the worktree aside, where nothing that goes by its path finds it, and removes it only if it is still clean and merged;
 * else, and where it is ended before, it is moved back. `$9` is the name aside; `$10` is not empty where ignored files may go too.
 */
const REMOVE = `q=$9 i=\${10-}
read -r l <"$2/HEAD" && [ "$l" = "$5" ] || exit ${WORKTREE_STATUS.changed}
mv -- "$4" "$q" || exit ${WORKTREE_STATUS.notMoved}
p=$4; set -- "$1" "$2" "$3" "$q" "$5" "$6" "$7" "$8"
${PREPARE}n=; trap '[ -z "$j" ] || kill -KILL "$j"; [ -n "$n" ] || mv -- "$q" "$p"; exit ${WORKTREE_STATUS.changed}' HUP INT TERM
if ask "$@" status --porcelain -z --untracked-files=normal --ignore-submodules=none --no-renames >"$s/out" && [ ! -s "$s/out" ] &&
{ [ -n "$i" ] || { ask "$@" ls-files --others --ignored --exclude-standard --directory -z >"$s/out" && [ ! -s "$s/out" ]; }; } &&
ask "$@" rev-list --count --max-count=1 HEAD --not "$m" -- >"$s/out" 2>/dev/null && [ "$(cat "$s/out")" = 0 ]; then n=1; rm -rf -- "$q" "$g"
else mv -- "$q" "$p"; exit ${WORKTREE_STATUS.changed}; fi
`;

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 4_096;
/** Ignored entries that are named. */
const MAX_IGNORED = 30;
const BRANCH = /^[A-Za-z0-9_](?:[A-Za-z0-9_+@-]|[./](?![./]|$)){0,150}$/;
const REVISION = /^[A-Za-z0-9_][A-Za-z0-9_+@~^./-]{0,150}$/;

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));
const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
const branchOf = (head: string): string | null => /^ref: refs\/heads\/(.+)$/.exec(head.trim())?.[1] ?? null;

interface Entry {
  path: string;
  /** Git's folder for it. */
  gitDir: string;
  branch: string | null;
  isLocked: boolean;
}

/** A repository as one of its worktrees leads to it. */
interface Found {
  repository: Repository;
  /** The folder that the new worktrees stand beside, and its name. */
  main: string;
  /** The branch of the main worktree; null where there is none. */
  mainBranch: string | null;
}

interface NewWorktree {
  path: string;
  branch: string;
  isNew: boolean;
}

const refuse = (message: string, remedy: string): AgtmuxError =>
  new AgtmuxError("E_WORKSPACE_REFUSED", message, { remedy });

export class Worktrees {
  private readonly context: FeatureContext;
  private readonly trees: WorkTrees;

  constructor(context: FeatureContext, trees: WorkTrees) {
    this.context = context;
    this.trees = trees;
  }

  /** The top of the worktree that a folder is in. @throws AgtmuxError E_WORKSPACE_REFUSED outside of one. */
  async topOf({ files }: FeatureTarget, folder: string): Promise<string> {
    for (let at = folder.replace(/\/+$/, ""); ; at = parentOf(at)) {
      const git = await files.stat(`${at}/.git`);
      // A folder of that name without a HEAD is no repository.
      if (git?.isFile === true || (git !== null && (await files.stat(`${at}/.git/HEAD`)) !== null)) return at;
      if (at === "") throw refuse(`${folder} isn't in a git repository`, "Name a folder that is in one.");
    }
  }

  private async find({ files }: FeatureTarget, workTree: string): Promise<Found> {
    let repository: Repository;
    try {
      repository = await readRepository(files, workTree);
    } catch (error) {
      if (!(error instanceof NotLookedAt)) throw error;
      throw refuse(
        `The worktrees of ${workTree} are left alone: ${error.message}`,
        "Make or remove it with 'git worktree', and start the agent with --cwd.",
      );
    }
    const { commonDir } = repository;
    const head = (await files.readText(`${commonDir}/HEAD`, MAX_BYTES)) ?? "";
    const isBare = !commonDir.endsWith("/.git");
    const main = isBare ? commonDir.replace(/\.git\/?$/, "") : parentOf(commonDir);
    return { repository, main, mainBranch: isBare ? null : branchOf(head) };
  }

  /** Linked ones whose folder and git's entry name each other. */
  private async entries({ files }: FeatureTarget, { commonDir }: Repository): Promise<Entry[]> {
    const entries: Entry[] = [];
    for (const name of await files.list(`${commonDir}/worktrees`)) {
      const gitDir = `${commonDir}/worktrees/${name}`;
      const link = ((await files.readText(`${gitDir}/gitdir`, MAX_BYTES)) ?? "").split("\n")[0] ?? "";
      const path = parentOf(link.startsWith("/") ? link : `${gitDir}/${link}`);
      // What cannot be read does not name git's entry, and is left alone.
      const back = ((await files.readText(`${path}/.git`, MAX_BYTES).catch(() => null)) ?? "").split("\n")[0];
      if (!link.startsWith("/") || back !== `gitdir: ${gitDir}`) continue;
      const head = (await files.readText(`${gitDir}/HEAD`, MAX_BYTES)) ?? "";
      const isLocked = (await files.stat(`${gitDir}/locked`)) !== null;
      entries.push({ path, gitDir, branch: branchOf(head), isLocked });
    }
    return entries;
  }

  /**
   * The worktree of a branch: the one that there is, or a new one beside the repository. `isDryRun`: nothing is made.
   * @throws AgtmuxError E_USAGE for a name, E_WORKSPACE_REFUSED with what git says.
   */
  async forBranch(
    target: FeatureTarget,
    top: string,
    { branch, base, isDryRun }: { branch: string; base: string | null; isDryRun: boolean },
  ): Promise<NewWorktree> {
    if (!BRANCH.test(branch) || branch.endsWith(".lock"))
      throw new AgtmuxError("E_USAGE", `'${branch.slice(0, 60)}' cannot be the name of a branch here`);
    if (base !== null && !REVISION.test(base))
      throw new AgtmuxError("E_USAGE", `'${base.slice(0, 60)}' names no commit`);
    const { repository, main, mainBranch } = await this.find(target, top);
    if (mainBranch === branch) return { path: main, branch, isNew: false };
    const there = (await this.entries(target, repository)).find((entry) => entry.branch === branch);
    if (there !== undefined) return { path: there.path, branch, isNew: false };
    const path = `${parentOf(main)}/${nameOf(main)}-${branch.replaceAll("/", "-")}`;
    if ((await target.files.stat(path)) !== null)
      throw refuse(`${path} is there already`, "Choose another branch, or move that folder away.");
    if (!isDryRun) await this.make(target, { top, path, branch, base }, repository);
    return { path, branch, isNew: true };
  }

  private async make(
    target: FeatureTarget,
    { top, path, branch, base }: { top: string; path: string; branch: string; base: string | null },
    { commonDir, settings }: Repository,
  ): Promise<void> {
    const { files } = target;
    const packed = (await files.readText(`${commonDir}/packed-refs`)) ?? "";
    const exists =
      (await files.stat(`${commonDir}/refs/heads/${branch}`)) !== null ||
      packed.split("\n").some((line) => line.endsWith(` refs/heads/${branch}`));
    if (exists && base !== null)
      throw refuse(`the branch ${branch} exists already`, "Leave --base out, or choose another name.");
    const words = [
      top,
      path,
      branch,
      exists ? "" : (base ?? "HEAD"),
      commonDir,
      settingsText(settings, branch),
    ];
    const { exitCode, stderr, timedOut } = await target.run(["sh", "-c", ADD, "agtmux-worktree", ...words], {
      timeoutMs: TIMEOUT_MS,
    });
    if (exitCode === 0) return;
    const said = stderr
      .split("\n")
      .findLast((line) => line.startsWith("fatal: "))
      ?.slice("fatal: ".length);
    throw refuse(
      `no worktree was made for ${branch}: ${timedOut ? "git took too long" : (said ?? "git refused")}`,
      "Look at it with 'git worktree list'.",
    );
  }

  /** Every worktree of the repository that `top` is one of, and why each is kept. */
  async list(
    name: string,
    target: FeatureTarget,
    top: string,
  ): Promise<{ main: string; items: WorktreeView[] }> {
    const found = await this.find(target, top);
    const items: WorktreeView[] = [];
    const { commonDir } = found.repository;
    if (commonDir.endsWith("/.git"))
      items.push(
        await this.view(name, target, found, {
          path: found.main,
          gitDir: commonDir,
          branch: found.mainBranch,
          isLocked: false,
        }),
      );
    for (const entry of await this.entries(target, found.repository))
      items.push(await this.view(name, target, found, entry));
    return { main: found.main, items };
  }

  private async view(name: string, target: FeatureTarget, found: Found, entry: Entry): Promise<WorktreeView> {
    const { path, branch, isLocked } = entry;
    const isMain = path === found.main;
    const { changes, reason } = await this.trees.look({ target: name, workTree: path }, 0);
    const judged = changes === null ? null : await this.judge(name, target, found, entry);
    const view: WorktreeView = {
      path,
      branch,
      is_main: isMain,
      is_locked: isLocked,
      changes,
      not_looked_at: reason,
      is_merged: judged?.isMerged ?? null,
      ignored: judged?.ignored ?? [],
      agents: this.agentsIn(name, path).map(({ short_ref }) => short_ref),
      keeps: [],
    };
    return { ...view, keeps: keepsOf(view, judged?.hasModules ?? false) };
  }

  private agentsIn(name: string, path: string): PaneView[] {
    return this.context.rows.all().filter(({ identity, state, activity }) => {
      const folder = activity?.folder ?? "";
      return identity.target === name && state !== null && (folder === path || folder.startsWith(`${path}/`));
    });
  }

  private async judge(name: string, target: FeatureTarget, found: Found, { path }: Entry) {
    const input = await this.trees.inputOf(name, target, path);
    const base = found.mainBranch === null ? "" : `refs/heads/${found.mainBranch}`;
    const { exitCode, stdout } = await target.run(
      ["sh", "-c", JUDGE, "agtmux-worktree", ...lookWords(input), base],
      { timeoutMs: TIMEOUT_MS },
    );
    const hasModules = exitCode === WORKTREE_STATUS.hasModules;
    const at = stdout.lastIndexOf("\0");
    const count = stdout.slice(at + 1).trim();
    return {
      hasModules,
      isMerged: exitCode !== 0 || !/^[01]$/.test(count) ? null : count === "0",
      ignored:
        exitCode === 0
          ? stdout
              .slice(0, at)
              .split("\0")
              .filter((one) => one !== "")
          : [],
    };
  }

  /**
   * Removes a linked worktree with git's entry of it; its branch stays.
   * @throws AgtmuxError E_WORKSPACE_REFUSED where anything could be lost with it.
   */
  async remove(
    name: string,
    target: FeatureTarget,
    {
      top,
      wanted,
      withIgnored,
      isDryRun,
    }: { top: string; wanted: string; withIgnored: boolean; isDryRun: boolean },
  ) {
    const { items } = await this.list(name, target, top);
    const view = items.find(({ path, branch }) => path === wanted.replace(/\/+$/, "") || branch === wanted);
    if (view === undefined)
      throw refuse(
        `there is no worktree of the name or branch '${wanted.slice(0, 100)}'`,
        "See 'agtmux worktree list'.",
      );
    const { path, branch, ignored } = view;
    if (view.keeps.length > 0)
      throw refuse(`${path} is kept: ${view.keeps.join(", ")}`, "Only what is merged and clean is removed.");
    if (ignored.length > 0 && !withIgnored)
      throw refuse(
        `${path} is kept: there are ignored files in it: ${ignored.slice(0, MAX_IGNORED).join(", ")}`,
        "Look at them, and repeat with --with-ignored if they may go.",
      );
    if (!isDryRun) await this.removeNow(name, target, { top, path, withIgnored });
    return { path, branch, ignored };
  }

  private async removeNow(
    name: string,
    target: FeatureTarget,
    { top, path, withIgnored }: { top: string; path: string; withIgnored: boolean },
  ): Promise<void> {
    const { mainBranch } = await this.find(target, top);
    const input = await this.trees.inputOf(name, target, path);
    const aside = `${path}.agtmux-${this.context.ids.nonce().slice(0, 8)}`;
    const words = [
      ...lookWords({ ...input, folder: null }),
      `refs/heads/${mainBranch ?? ""}`,
      aside,
      withIgnored ? "1" : "",
    ];
    const { exitCode } = await target.run(["sh", "-c", REMOVE, "agtmux-worktree", ...words], {
      timeoutMs: TIMEOUT_MS,
    });
    if (exitCode === 0) return;
    const why =
      exitCode === WORKTREE_STATUS.changed
        ? "something changed in it meanwhile; it is where it was"
        : exitCode === WORKTREE_STATUS.notMoved
          ? "its folder cannot be moved"
          : `it was only partly removed; look at ${aside}`;
    throw refuse(`${path} is kept: ${why}`, "See 'agtmux worktree list'.");
  }
}

/** Why a worktree is not removed. */
const keepsOf = (view: WorktreeView, hasModules: boolean): string[] => {
  const { changes } = view;
  return [
    ...(view.is_main ? ["it is the main one"] : []),
    ...(view.is_locked ? ["it is locked"] : []),
    ...(view.agents.length > 0 ? [`an agent works in it (${view.agents.join(", ")})`] : []),
    ...(changes === null ? [`couldn't check it: ${view.not_looked_at ?? "nothing is known"}`] : []),
    ...((changes?.files ?? 0) > 0 ? [`${changes?.files ?? 0} of its files are not committed`] : []),
    ...(hasModules ? ["there are submodules in it"] : []),
    ...(changes !== null && !hasModules && view.is_merged !== true
      ? [view.is_merged === null ? "can't tell whether it is merged" : "it is not merged"]
      : []),
  ];
};
