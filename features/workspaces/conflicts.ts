// Conflicts before they happen: agents in worktrees of one repository whose branches cannot be merged by themselves, or which have
// changed the same files. Git merges the branches in a folder of ours, so that nothing is written into the repository; how it is
// asked safely is in workTrees.ts. Each pair of commits is merged once.
import { AgtmuxError } from "../../core/model/errors.ts";
import { stamp } from "../../core/model/schemaVersion.ts";
import type { PaneView } from "../../core/model/view.ts";
import type { ConflictList, ConflictSide, RowConflict } from "../../core/model/workspace.ts";
import type { FeatureContext, FeatureTarget } from "../../core/ports/feature.ts";
import { NotLookedAt } from "./readRepository.ts";
import {
  keyOf,
  LOOK_STATUS,
  lookWords,
  PREPARE,
  reasonOf,
  type WorkTreeKey,
  type WorkTrees,
} from "./workTrees.ts";

/** While rows are shown, and while none is. */
const EVERY_MS = { shown: 15_000, hidden: 120_000 } as const;
/** All of it may take this share of the time; two programs of git run side by side. */
const SHARE = 200;
/** Worktrees of one repository that are compared. */
const MAX_TREES = 20;
const MAX_NAMED = 20;
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 4 * 1024 * 1024;
const USAGE = 129;

// Scripts. Each gets the fields of a probe (`lookWords`).

/** `$8`: names of branches. Prints the commit of each that there is. */
const HEADS = `${PREPARE}ask "$@" for-each-ref --format='%(objectname) %(refname)' -- $m || exit ${LOOK_STATUS.cannotRead}
`;

/**
 * Standard input: pairs of commits, a line each. What git makes of a merge goes into a folder that is removed; the objects of the
 * repository are only read. A driver that an attribute names has no settings here, so that none is run.
 */
const MERGE = `${PREPARE}cat >"$s/pairs" && rm "$s/objects" && mkdir -p "$s/objects/info" "$s/objects/pack" &&
printf '%s\\n' "$c/objects" >"$s/objects/info/alternates" || exit ${LOOK_STATUS.noFolder}
ask sh -c 'f=$1; shift; exec "$@" <"$f"' sh "$s/pairs" "$@" -c merge.renameLimit=400 -c diff.renameLimit=400 \\
merge-tree --write-tree --stdin -z --name-only --no-messages --allow-unrelated-histories 2>/dev/null || {
r=$?; [ $r -eq ${USAGE} ] && exit $r; exit ${LOOK_STATUS.cannotRead}; }
`;

/** At low priority. */
const scriptWords = (script: string, words: readonly string[]): string[] => [
  "nice",
  "-n",
  "10",
  "sh",
  "-c",
  script,
  "agtmux-conflicts",
  ...words,
];

/** The files that conflict, of each merge in the order of the pairs; empty for one that is clean. */
export const parseMerges = (output: string): string[][] => {
  const merges: string[][] = [];
  const records = output.split("\0");
  for (let at = 0; at + 1 < records.length; at += 1) {
    const files: string[] = [];
    // A status and the tree of the merge come first, an empty record last.
    for (at += 2; at < records.length && records[at] !== ""; at += 1) files.push(records[at] ?? "");
    merges.push(files);
  }
  return merges;
};

const OBJECT = /^[0-9a-f]{40,64}$/;
/** `HEAD` is a file, and may hold anything: what git takes for a pattern, or the shell for several words, is no name. */
const BRANCH = /^[^\s\p{Cc}*?[\]\\~^:]{1,200}$/u;

interface Tree {
  key: WorkTreeKey;
  branch: string | null;
  /** The fields of a probe. */
  words: readonly string[];
  head: string;
}

/** Of two worktrees, the one whose key comes first first. */
interface Found {
  keys: readonly [WorkTreeKey, WorkTreeKey];
  branches: readonly [string | null, string | null];
  kind: RowConflict["kind"];
  files: readonly string[];
}

/** What a look found. */
interface Compared {
  found: readonly Found[];
  trees: number;
  notLookedAt: readonly { key: WorkTreeKey; reason: string }[];
}

const pairsOf = <T>(list: readonly T[]): [T, T][] =>
  list.flatMap((one, index) => list.slice(index + 1).map((other): [T, T] => [one, other]));

const namedFiles = ({ kind, files }: Found): Pick<RowConflict, "kind" | "files" | "more_files"> => ({
  kind,
  files: files.slice(0, MAX_NAMED),
  more_files: Math.max(0, files.length - MAX_NAMED),
});

export class Conflicts {
  private readonly deps: ConstructorParameters<typeof Conflicts>[0];
  /** Files that conflict, by repository and pair of commits. */
  private merged = new Map<string, readonly string[]>();
  private found: readonly Found[] = [];
  private areShown = false;
  private isLooking = false;
  private cancelLook: (() => void) | null = null;
  private readonly unsubscribe: (() => void)[];
  private isClosed = false;

  constructor(deps: {
    context: FeatureContext;
    trees: WorkTrees;
    /** The worktrees of rows. */
    keys: () => readonly WorkTreeKey[];
    /** What is known has changed. */
    onNews: () => void;
  }) {
    this.deps = deps;
    const { context } = deps;
    this.unsubscribe = [
      context.onConfigChange(() => this.plan(0)),
      context.rows.onShown((areShown) => {
        this.areShown = areShown;
        if (areShown) this.plan(0);
      }),
    ];
    this.plan(EVERY_MS.shown);
  }

  close(): void {
    this.isClosed = true;
    this.cancelLook?.();
    for (const unsubscribe of this.unsubscribe) unsubscribe();
  }

  /** Of the worktree, `sideOf` saying who works in another one; null: nobody does any more. */
  of(
    key: WorkTreeKey,
    sideOf: (key: WorkTreeKey) => Pick<ConflictSide, "short_ref" | "place"> | null,
  ): RowConflict[] {
    const own = keyOf(key);
    return this.found.flatMap((one) => {
      const index = one.keys.findIndex((side) => keyOf(side) === own);
      const other = one.keys[1 - index];
      const side = index < 0 || other === undefined ? null : sideOf(other);
      if (side === null || other === undefined) return [];
      const branch = one.branches[1 - index] ?? null;
      return [{ ...namedFiles(one), with: { ...side, branch, work_tree: other.workTree } }];
    });
  }

  /** Compares these worktrees now, by what is not committed as it was seen at most `maxAgeMs` ago. Never rejects. */
  private async compare(keys: readonly WorkTreeKey[], maxAgeMs: number): Promise<Compared> {
    const notLookedAt: { key: WorkTreeKey; reason: string }[] = [];
    const found: Found[] = [];
    let trees = 0;
    const attempt = async (of: readonly WorkTreeKey[], work: () => Promise<void>): Promise<void> => {
      try {
        await work();
      } catch (error) {
        const isTold = error instanceof NotLookedAt || error instanceof AgtmuxError;
        if (!isTold) this.deps.context.logger.debug({ error }, "worktrees could not be compared");
        const reason = isTold ? error.message : "its files cannot be read";
        notLookedAt.push(...of.map((key) => ({ key, reason })));
      }
    };
    const leaveOut = (trees: readonly { key: WorkTreeKey }[], reason: string): void => {
      notLookedAt.push(...trees.map(({ key }) => ({ key, reason })));
    };
    const byRepository = new Map<string, Omit<Tree, "head">[]>();
    for (const key of keys)
      await attempt([key], async () => {
        const target = this.deps.context.target(key.target);
        const { repository, ...input } = await this.deps.trees.inputOf(key.target, target, key.workTree);
        const name = `${key.target}\0${repository.commonDir}`;
        const tree = { key, branch: repository.branch, words: lookWords(input) };
        byRepository.set(name, [...(byRepository.get(name) ?? []), tree]);
      });
    const merged = new Map<string, readonly string[]>();
    for (const [repository, all] of byRepository) {
      const sorted = all.toSorted((a, b) => (keyOf(a.key) < keyOf(b.key) ? -1 : 1));
      const some = sorted.slice(0, MAX_TREES);
      if (some.length < 2) continue;
      leaveOut(sorted.slice(MAX_TREES), `only ${MAX_TREES} worktrees of a repository are compared`);
      await attempt(
        some.map(({ key }) => key),
        async () => {
          const target = this.deps.context.target(some[0]?.key.target ?? "");
          const heads = await this.withHeads(target, some);
          const known = new Set(heads.map(({ key }) => key));
          leaveOut(
            some.filter(({ key }) => !known.has(key)),
            "its branch has no commit that git names",
          );
          const merges = await this.merge(target, { repository, heads, merged });
          const edits = await this.uncommitted(heads, maxAgeMs);
          trees += heads.length;
          found.push(...merges, ...edits.found);
          for (const { tree, reason } of edits.unread) leaveOut([tree], reason);
        },
      );
    }
    this.merged = merged;
    return { found, trees, notLookedAt };
  }

  /** The document of a command. `sideOf` as in `of`. */
  async list(
    keys: readonly WorkTreeKey[],
    sideOf: (key: WorkTreeKey) => Pick<ConflictSide, "short_ref" | "place"> | null,
  ): Promise<ConflictList> {
    const { found, trees, notLookedAt } = await this.compare(keys, 0);
    const items = found.flatMap((one): ConflictList["items"] => {
      const [a, b] = one.keys;
      const [first, second] = [sideOf(a), sideOf(b)];
      if (first === null || second === null) return [];
      return [
        {
          ...namedFiles(one),
          target: a.target,
          sides: [
            { ...first, branch: one.branches[0], work_tree: a.workTree },
            { ...second, branch: one.branches[1], work_tree: b.workTree },
          ],
        },
      ];
    });
    return {
      ...stamp(this.deps.context.clock.now()),
      compared: trees,
      not_looked_at: notLookedAt.map(({ key, reason }) => ({
        target: key.target,
        work_tree: key.workTree,
        reason,
      })),
      items,
    };
  }

  private get isOn(): boolean {
    return this.deps.context.config().conflicts;
  }

  private plan(delayMs: number): void {
    this.cancelLook?.();
    this.cancelLook = null;
    if (this.isClosed || this.isLooking) return;
    if (!this.isOn) {
      if (this.found.length > 0) this.take([]);
      return;
    }
    this.cancelLook = this.deps.context.clock.setTimer(delayMs, () => void this.look());
  }

  private async look(): Promise<void> {
    const { clock } = this.deps.context;
    const beganAt = clock.now();
    this.isLooking = true;
    const { found } = await this.compare(this.deps.keys(), EVERY_MS.shown);
    this.isLooking = false;
    if (this.isClosed) return;
    if (this.isOn) this.take(found);
    const every = this.areShown ? EVERY_MS.shown : EVERY_MS.hidden;
    this.plan(Math.max(every, SHARE * (clock.now() - beganAt)));
  }

  private take(found: readonly Found[]): void {
    this.found = found;
    this.deps.onNews();
  }

  private async withHeads(target: FeatureTarget, trees: readonly Omit<Tree, "head">[]): Promise<Tree[]> {
    const commits = new Map<string, string>();
    const names = trees.flatMap(({ branch }) => (branch !== null && BRANCH.test(branch) ? [branch] : []));
    const [{ words } = { words: [] }] = trees;
    const refs = names.map((name) => `refs/heads/${name}`).join(" ");
    if (names.length > 0)
      for (const line of (await this.run(target, HEADS, [...words, refs])).split("\n")) {
        const [commit = "", ref = ""] = line.split(" ");
        if (OBJECT.test(commit)) commits.set(ref, commit);
      }
    return trees.flatMap((tree) => {
      // Field 5 of a probe is what `HEAD` says.
      const head = tree.branch === null ? tree.words[4] : commits.get(`refs/heads/${tree.branch}`);
      return head !== undefined && OBJECT.test(head) ? [{ ...tree, head }] : [];
    });
  }

  /** Conflicts of each pair of branches. `merged` gets what is known of the pairs that there are now. */
  private async merge(
    target: FeatureTarget,
    {
      repository,
      heads,
      merged,
    }: { repository: string; heads: readonly Tree[]; merged: Map<string, readonly string[]> },
  ): Promise<Found[]> {
    const pairs = pairsOf(heads).filter(([a, b]) => a.head !== b.head);
    const nameOf = ([a, b]: readonly [Tree, Tree]): string => `${repository}\0${a.head} ${b.head}`;
    const due = pairs.filter((pair) => !this.merged.has(nameOf(pair)));
    const [first] = due;
    if (first !== undefined) {
      const stdin = due.map(([a, b]) => `${a.head} ${b.head}\n`).join("");
      const words = ["", ...first[0].words.slice(1)];
      const merges = parseMerges(await this.run(target, MERGE, words, stdin));
      if (merges.length !== due.length) throw new NotLookedAt("git cannot merge its branches");
      for (const [index, pair] of due.entries()) merged.set(nameOf(pair), merges[index] ?? []);
    }
    return pairs.flatMap((pair): Found[] => {
      const name = nameOf(pair);
      const files = merged.get(name) ?? this.merged.get(name) ?? [];
      merged.set(name, files);
      const [a, b] = pair;
      return files.length === 0
        ? []
        : [{ keys: [a.key, b.key], branches: [a.branch, b.branch], kind: "merge", files }];
    });
  }

  /** Files that two of them have changed; `unread`: those of which that cannot be told. */
  private async uncommitted(
    trees: readonly Tree[],
    maxAgeMs: number,
  ): Promise<{ found: Found[]; unread: { tree: Tree; reason: string }[] }> {
    const looks = await Promise.all(
      trees.map(async (tree) => {
        const { paths, reason } = await this.deps.trees.look(tree.key, maxAgeMs);
        // A folder that git does not know is named as one.
        return { tree, reason, paths: new Set(paths.filter((path) => !path.endsWith("/"))) };
      }),
    );
    const found = pairsOf(looks).flatMap(([a, b]): Found[] => {
      const files = [...a.paths].filter((path) => b.paths.has(path));
      const keys = [a.tree.key, b.tree.key] as const;
      const branches = [a.tree.branch, b.tree.branch] as const;
      return files.length === 0 ? [] : [{ keys, branches, kind: "uncommitted", files }];
    });
    const unread = looks.flatMap(({ tree, reason }) => (reason === null ? [] : [{ tree, reason }]));
    return { found, unread };
  }

  private async run(
    target: FeatureTarget,
    script: string,
    words: readonly string[],
    stdin?: string,
  ): Promise<string> {
    const result = await target.run(scriptWords(script, words), {
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      ...(stdin === undefined ? {} : { stdin }),
    });
    if (result.exitCode === USAGE) throw new NotLookedAt("it takes git 2.39 or newer");
    const reason = reasonOf(result);
    if (reason !== null) throw new NotLookedAt(reason);
    return result.stdout;
  }
}

/** Who works in a worktree: the first of its rows. */
export const sidesOf = (
  rows: readonly PaneView[],
  nameOf: (row: PaneView) => Pick<ConflictSide, "short_ref" | "place">,
): ((key: WorkTreeKey) => Pick<ConflictSide, "short_ref" | "place"> | null) => {
  const byKey = new Map<string, PaneView>();
  for (const row of rows) {
    const workTree = row.activity?.work_tree ?? null;
    if (workTree === null || row.state === null) continue;
    const key = keyOf({ target: row.identity.target, workTree });
    if (!byKey.has(key)) byKey.set(key, row);
  }
  return (key) => {
    const row = byKey.get(keyOf(key));
    return row === undefined ? null : nameOf(row);
  };
};
