// Pull requests of the branches that agents work on: asked for by the person's own `gh` and `glab`, on the machine of the agent, one
// call for all branches of a repository, at most once a minute, and less often where a host limits it. What is asked and how an
// answer is read is in forges.ts. Nothing is written and no program of a repository is run.
import { AgtmuxError } from "../../core/model/errors.ts";
import type { Check, Diagnosis } from "../../core/model/doctor.ts";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import { stamp } from "../../core/model/schemaVersion.ts";
import type {
  ConflictSide,
  PullRequest,
  PullRequestList,
  WorkspaceView,
} from "../../core/model/workspace.ts";
import type { FeatureContext, FeatureTarget } from "../../core/ports/feature.ts";
import {
  askWords,
  findWords,
  knowsWords,
  NO_PROGRAM,
  queryOf,
  readAnswer,
  readFolder,
  readRemote,
  type Answer,
  type ForgeRepository,
  type FoundRequest,
  type Program,
} from "./forges.ts";
import { NotLookedAt, readCheckout, readCommit, readRemotes, type Remotes } from "./readRepository.ts";
import { keyOf, type WorkTreeKey } from "./workTrees.ts";

/** While rows are shown, and while none is. */
const EVERY_MS = { shown: 60_000, hidden: 300_000 } as const;
/** A host that limits us without saying for how long, and the longest wait. */
const REST_MS = { least: 60_000, most: 3_600_000 } as const;
/** What was seen counts so long while nothing newer comes. */
const STALE_MS = 900_000;
/** While no agent works anywhere, nobody is asked; so often it is seen whether one does. */
const EMPTY_MS = 10_000;
/** How long it counts which program knows a host. */
const PROGRAM_MS = 600_000;
const TIMEOUT_MS = 20_000;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_BRANCHES = 20;
/** Of one machine. */
const MAX_REPOSITORIES = 20;
/** How long it counts where a program was found, or that it wasn't. */
const FOUND_MS = 3_600_000;
/** Hosts beside the two that everybody knows, of one machine. */
const MAX_HOSTS = 4;
const MAX_OTHERS = 2;

const PROGRAMS: ReadonlyMap<string, Program> = new Map([
  ["github.com", "gh"],
  ["gitlab.com", "glab"],
]);

/** A branch as its repository on a host may have it. */
interface Head {
  repository: ForgeRepository;
  branch: string;
}

/** A worktree on a branch that may have a pull request. */
interface Tree {
  key: WorkTreeKey;
  branch: string;
  /** Where it is pushed to, then where it comes from under another name. */
  heads: readonly Head[];
  /** Other repositories of its remotes on that host. */
  others: readonly string[];
  commit: () => Promise<string | null>;
}

/** One call: all branches of one repository on one machine. */
interface Question {
  target: string;
  repository: ForgeRepository;
  trees: Tree[];
}

/** What is known of a worktree. `problem`: why nothing newer is; `isQuiet`: nothing that a person could mend. */
interface Known {
  request: PullRequest | null;
  at: number;
  problem: string | null;
  isQuiet: boolean;
}

/** `reason`: why nothing is known by it; empty where something is. */
interface Said {
  answer: Answer;
  reason: string;
}

/** How the last call of a program to a host went, for the doctor. */
interface HostState {
  target: string;
  program: Program | null;
  host: string;
  answer: Answer["kind"] | "unknown host";
  reason: string;
  /** Nothing is asked before, epoch ms. */
  restUntil: number;
  /** Limits in a row. */
  limits: number;
  /** When something of it was wanted last. */
  wantedAt: number;
}

const REMEDY: Readonly<Record<Program, string>> = {
  gh: "https://cli.github.com",
  glab: "https://gitlab.com/gitlab-org/cli",
};

const onTarget = (target: string): string => (target === HOST_TARGET ? "" : ` on ${target}`);

const clockTime = (at: number): string => new Date(at).toTimeString().slice(0, 5);

const isSame = (a: ForgeRepository, b: ForgeRepository): boolean =>
  a.host === b.host && a.path.toLowerCase() === b.path.toLowerCase();

/** Where git would push the branch, and what it follows. */
export const headsOf = (
  branch: string,
  { addresses, upstreams, pushRemotes, pushDefault }: Remotes,
): Pick<Tree, "heads" | "others"> => {
  const at = (remote: string | null | undefined): ForgeRepository | null => {
    const address = addresses.get(remote ?? "");
    return address === undefined ? null : readRemote(address);
  };
  const upstream = upstreams.get(branch);
  const only = addresses.size === 1 ? [...addresses.keys()][0] : "origin";
  const pushed = at(pushRemotes.get(branch) ?? pushDefault ?? upstream?.remote ?? only);
  const followed = upstream === undefined ? null : at(upstream.remote);
  const name = upstream?.merge.replace("refs/heads/", "") ?? branch;
  const heads: Head[] = [
    ...(pushed === null ? [] : [{ repository: pushed, branch }]),
    ...(followed === null || name === branch ? [] : [{ repository: followed, branch: name }]),
  ];
  const [first] = heads;
  const others = [...addresses.keys()].flatMap((remote): string[] => {
    const other = at(remote);
    return other === null ||
      first === undefined ||
      other.host !== first.repository.host ||
      isSame(other, first.repository)
      ? []
      : [other.path];
  });
  return { heads, others: [...new Set(others)].slice(0, MAX_OTHERS) };
};

const isOpen = ({ view: { state } }: FoundRequest): boolean => state !== "merged" && state !== "closed";

/**
 * Of those that were found, the one of this branch: only where its commits come from the repository that the branch is pushed to,
 * so that a fork's branch of the same name is not taken for it. One that is over counts while the branch stands where it ended.
 */
const chooseRequest = async (
  { heads, branch, commit }: Tree,
  { requests, defaultBranch }: Extract<Answer, { kind: "found" }>,
): Promise<PullRequest | null> => {
  const own = requests.filter(({ head, view }) =>
    heads.some(
      (one) =>
        one.repository.host === view.host &&
        one.repository.path.toLowerCase() === head.path.toLowerCase() &&
        one.branch === head.branch &&
        // What began at the main branch follows it, and is not what its pull requests are about.
        (one.branch === branch || one.branch !== defaultBranch),
    ),
  );
  const open = own.find(isOpen);
  if (open !== undefined || own.length === 0) return open?.view ?? null;
  const at = await commit();
  return own.find(({ view }) => at !== null && view.commit === at)?.view ?? null;
};

export class PullRequests {
  private readonly deps: ConstructorParameters<typeof PullRequests>[0];
  private known = new Map<string, Known>();
  /** By machine and repository: when it was asked last about which branches, and what it says. */
  private readonly asked = new Map<
    string,
    { at: number; branches: ReadonlySet<string>; said: Promise<Said> }
  >();
  private readonly programs = new Map<string, { at: number; program: Program | null }>();
  private readonly folders = new Map<string, { at: number; folder: string | null }>();
  private readonly hosts = new Map<string, HostState>();
  private lookedAt: number | null = null;
  private hadNone = false;
  private areShown = false;
  private isLooking = false;
  private cancelLook: (() => void) | null = null;
  private readonly unsubscribe: (() => void)[];
  private isClosed = false;

  constructor(deps: {
    context: FeatureContext;
    /** The worktrees of rows. */
    keys: () => readonly WorkTreeKey[];
    /** What is known has changed. */
    onNews: () => void;
  }) {
    this.deps = deps;
    const { context } = deps;
    this.unsubscribe = [
      context.onConfigChange(() => this.plan()),
      context.rows.onShown((areShown) => {
        this.areShown = areShown;
        this.plan();
      }),
    ];
    this.plan();
  }

  close(): void {
    this.isClosed = true;
    this.cancelLook?.();
    for (const unsubscribe of this.unsubscribe) unsubscribe();
  }

  of(key: WorkTreeKey): Pick<WorkspaceView, "pull_request" | "pull_request_problem"> {
    const known = this.known.get(keyOf(key));
    return {
      pull_request: known?.request ?? null,
      pull_request_problem: known === undefined || known.isQuiet ? null : known.problem,
    };
  }

  /** The document of a command: what there is now, or was less than a minute ago. `sideOf`: who works in a worktree. */
  async list(
    keys: readonly WorkTreeKey[],
    sideOf: (key: WorkTreeKey) => Pick<ConflictSide, "short_ref" | "place"> | null,
  ): Promise<PullRequestList> {
    const { known, branches } = await this.askAll(keys);
    const items = keys.flatMap((key): PullRequestList["items"] => {
      const [request, side] = [known.get(keyOf(key))?.request ?? null, sideOf(key)];
      const branch = branches.get(keyOf(key));
      if (request === null || side === null || branch === undefined) return [];
      return [{ ...request, target: key.target, work_tree: key.workTree, branch, ...side }];
    });
    return {
      ...stamp(this.deps.context.clock.now()),
      asked: [...known.values()].filter(({ problem }) => problem === null).length,
      not_looked_at: keys.flatMap((key) => {
        const problem = known.get(keyOf(key))?.problem ?? null;
        return problem === null ? [] : [{ target: key.target, work_tree: key.workTree, reason: problem }];
      }),
      items,
    };
  }

  doctorChecks(): Check[] {
    return [
      {
        name: "daemon.pull_requests",
        place: { group: "daemon" },
        limitMs: TIMEOUT_MS,
        run: () => this.diagnose(),
      },
    ];
  }

  private diagnose(): Diagnosis[] {
    if (!this.isOn)
      return [{ status: "skipped", summary: "Pull requests aren't looked for: 'pull_requests' is off." }];
    const now = this.deps.context.clock.now();
    const states = [...this.hosts.values()].filter(({ wantedAt }) => now - wantedAt < STALE_MS);
    if (this.lookedAt === null || this.isLooking)
      return [{ status: "skipped", summary: "Pull requests are being asked for." }];
    if (states.length === 0)
      return [
        { status: "skipped", summary: "No agent works on a branch that is pushed to GitHub or GitLab." },
      ];
    return states.map((state): Diagnosis => {
      const { program, host, target, answer, reason } = state;
      const where = onTarget(target);
      if (answer === "found" && reason === "")
        return { status: "ok", summary: `${program ?? ""} answers for ${host}${where}.` };
      if (answer === "unknown host")
        return {
          status: "skipped",
          summary: `Nothing is asked of ${host}${where}: neither gh nor glab is logged in to it.`,
          remedy: `If it is a GitHub or GitLab, run 'gh auth login --hostname ${host}' or 'glab auth login --hostname ${host}'${where}.`,
        };
      return {
        status: "warning",
        summary: `Nothing new is known of pull requests on ${host}${where}.`,
        evidence: reason,
        remedy:
          answer === "no program" && program !== null
            ? `Install ${program}${where} (${REMEDY[program]}), then run '${program} auth login --hostname ${host}' there.`
            : answer === "logged out" && program !== null
              ? `Run '${program} auth login --hostname ${host}'${where}.`
              : "Nothing: it is asked again by itself.",
      };
    });
  }

  private get isOn(): boolean {
    return this.deps.context.config().pull_requests;
  }

  private plan(): void {
    this.cancelLook?.();
    this.cancelLook = null;
    if (this.isClosed || this.isLooking) return;
    if (!this.isOn) {
      this.hosts.clear();
      if (this.known.size > 0) this.take(new Map());
      return;
    }
    const { clock } = this.deps.context;
    const every = this.hadNone ? EMPTY_MS : this.areShown ? EVERY_MS.shown : EVERY_MS.hidden;
    const dueAt = this.lookedAt === null ? 0 : this.lookedAt + every;
    const delayMs = Math.min(every, Math.max(0, dueAt - clock.now()));
    this.cancelLook = clock.setTimer(delayMs, () => void this.look());
  }

  private async look(): Promise<void> {
    const { clock } = this.deps.context;
    const keys = this.deps.keys();
    this.lookedAt = clock.now();
    this.hadNone = keys.length === 0;
    this.isLooking = true;
    try {
      const { known } = await this.askAll(keys);
      if (!this.isClosed && this.isOn) this.take(known);
    } finally {
      this.isLooking = false;
      this.plan();
    }
  }

  private take(known: Map<string, Known>): void {
    this.known = known;
    this.deps.onNews();
  }

  /** Never rejects. */
  private async askAll(
    keys: readonly WorkTreeKey[],
  ): Promise<{ known: Map<string, Known>; branches: ReadonlyMap<string, string> }> {
    const known = new Map<string, Known>();
    const branches = new Map<string, string>();
    for (const [id, { at }] of this.asked)
      if (this.deps.context.clock.now() - at > STALE_MS) this.asked.delete(id);
    const byTarget = Map.groupBy(keys, ({ target }) => target);
    await Promise.all(
      [...byTarget].map(async ([name, some]) => {
        const questions = new Map<string, Question>();
        for (const key of some) {
          const tree = await this.readTree(key, known);
          const repository = tree?.heads[0]?.repository;
          if (tree === null || repository === undefined) continue;
          branches.set(keyOf(key), tree.branch);
          const id = `${name}\0${repository.host}\0${repository.path.toLowerCase()}`;
          const question = questions.get(id) ?? { target: name, repository, trees: [] };
          question.trees.push(tree);
          questions.set(id, question);
        }
        for (const [index, [id, question]] of [...questions].entries())
          if (index < MAX_REPOSITORIES) await this.ask(id, question, known);
          else
            this.leave(question.trees, known, `only ${MAX_REPOSITORIES} repositories are asked about`, true);
      }),
    );
    return { known, branches };
  }

  private async readTree(key: WorkTreeKey, known: Map<string, Known>): Promise<Tree | null> {
    try {
      const { files } = this.deps.context.target(key.target);
      const { branch, commonDir, settingsText } = await readCheckout(files, key.workTree);
      const found = branch === null ? null : headsOf(branch, readRemotes(settingsText));
      if (branch === null || found === null || found.heads.length === 0) {
        const reason = branch === null ? "no branch is checked out" : "it has no remote on GitHub or GitLab";
        known.set(keyOf(key), { request: null, at: 0, problem: reason, isQuiet: true });
        return null;
      }
      return { key, branch, ...found, commit: () => readCommit(files, commonDir, branch) };
    } catch (error) {
      const isTold = error instanceof NotLookedAt || error instanceof AgtmuxError;
      if (!isTold) this.deps.context.logger.debug({ error }, "the remotes of a worktree could not be read");
      const reason = isTold ? error.message : "its files cannot be read";
      known.set(keyOf(key), this.aged(key, { problem: reason.slice(0, 300), isQuiet: true }));
      return null;
    }
  }

  /** What was known before, for a while. */
  private aged(key: WorkTreeKey, why: Pick<Known, "problem" | "isQuiet">): Known {
    const before = this.known.get(keyOf(key));
    const isFresh = before !== undefined && this.deps.context.clock.now() - before.at < STALE_MS;
    return { request: isFresh ? before.request : null, at: before?.at ?? 0, ...why };
  }

  private leave(trees: readonly Tree[], known: Map<string, Known>, problem: string, isQuiet: boolean): void {
    for (const { key } of trees) known.set(keyOf(key), this.aged(key, { problem, isQuiet }));
  }

  private async ask(id: string, question: Question, known: Map<string, Known>): Promise<void> {
    const { target, repository } = question;
    const { host } = repository;
    const state = await this.hostOf(target, host);
    if (state.program === null) return this.leave(question.trees, known, state.reason, true);
    const some = question.trees.slice(0, MAX_BRANCHES);
    this.leave(
      question.trees.slice(MAX_BRANCHES),
      known,
      `only ${MAX_BRANCHES} branches of a repository are asked about`,
      true,
    );
    const branches = new Set(some.flatMap(({ heads }) => heads.map(({ branch }) => branch)));
    const { clock } = this.deps.context;
    const now = clock.now();
    const before = this.asked.get(id);
    const isRecent = before !== undefined && now - before.at < EVERY_MS.shown - 1_000;
    if (!isRecent && now < state.restUntil) return this.leave(some, known, state.reason, false);
    // Whoever asks meanwhile gets the answer to this one.
    const asked = isRecent
      ? before
      : { at: now, branches, said: this.run(state, question, { branches, trees: some }) };
    this.asked.set(id, asked);
    const { answer, reason } = await asked.said;
    if (answer.kind !== "found") return this.leave(some, known, reason, false);
    const { at } = asked;
    for (const tree of some) {
      if (!tree.heads.every(({ branch }) => asked.branches.has(branch))) {
        this.leave([tree], known, `${repository.path} was asked less than a minute ago`, true);
        continue;
      }
      try {
        const request = await chooseRequest(tree, answer);
        known.set(keyOf(tree.key), { request, at, problem: null, isQuiet: true });
      } catch (error) {
        // That it has none is not known then.
        this.deps.context.logger.debug({ error }, "the commit of a branch could not be read");
        this.leave([tree], known, "the commit of its branch cannot be read", true);
      }
    }
  }

  /** One call, at low priority. Never rejects. */
  private async run(
    state: HostState,
    { target, repository }: Question,
    { branches, trees }: { branches: ReadonlySet<string>; trees: readonly Tree[] },
  ): Promise<Said> {
    const { clock } = this.deps.context;
    const program = state.program ?? "gh";
    const others = [...new Set(trees.flatMap((tree) => tree.others))].slice(0, MAX_OTHERS);
    const stdin = queryOf(program, repository, { branches: [...branches], others });
    const result = await this.runProgram(target, program, (folder) =>
      this.runOn(target, askWords(program, repository.host, folder), stdin),
    );
    const answer: Answer =
      typeof result === "string"
        ? { kind: "failed", reason: result }
        : readAnswer(program, repository, result, clock.now());
    this.note(state, answer);
    return { answer, reason: state.reason };
  }

  /** Once more with the folder that the person's own shell knows, where it is found nowhere else. */
  private async runProgram<T extends Awaited<ReturnType<PullRequests["runOn"]>>>(
    target: string,
    program: Program,
    run: (folder: string | null) => Promise<T>,
  ): Promise<T> {
    const id = `${target}\0${program}`;
    const now = this.deps.context.clock.now();
    const known = this.folders.get(id);
    const isKnown = known !== undefined && now - known.at < FOUND_MS;
    const first = await run(known?.folder ?? null);
    if (typeof first === "string" || first.exitCode !== NO_PROGRAM || isKnown) return first;
    const found = await this.runOn(target, findWords(program), "");
    const folder = typeof found === "string" ? null : readFolder(program, found.stdout);
    this.folders.set(id, { at: now, folder });
    return folder === null ? first : run(folder);
  }

  private async runOn(
    target: string,
    words: readonly string[],
    stdin: string,
  ): Promise<Awaited<ReturnType<FeatureTarget["run"]>> | string> {
    try {
      return await this.deps.context
        .target(target)
        .run(words, { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, stdin });
    } catch (error) {
      if (error instanceof AgtmuxError) return error.message.slice(0, 300);
      this.deps.context.logger.debug({ error, target }, "a program for pull requests could not be run");
      return "it cannot be asked there";
    }
  }

  /** What the answer means for the next call to that host. */
  private note(state: HostState, answer: Answer): void {
    const now = this.deps.context.clock.now();
    const { program, host, target } = state;
    const where = onTarget(target);
    state.answer = answer.kind;
    state.reason = "";
    if (answer.kind !== "limited") state.limits = 0;
    switch (answer.kind) {
      case "found":
        state.restUntil = Math.min(answer.restUntil ?? 0, now + REST_MS.most);
        // What is left of the limit is the person's.
        if (state.restUntil > now)
          state.reason = `few calls are left for ${host}; it is asked again at ${clockTime(state.restUntil)}`;
        return;
      case "limited": {
        const own = REST_MS.least * 2 ** Math.min(state.limits, 6);
        state.limits += 1;
        const until = answer.retryAt ?? now + own;
        state.restUntil = Math.min(Math.max(until, now + REST_MS.least), now + REST_MS.most);
        state.reason = `${host} limits how often it is asked; it is asked again at ${clockTime(state.restUntil)}`;
        return;
      }
      case "logged out":
        state.reason = `${program ?? ""} isn't logged in to ${host}${where}`;
        return;
      case "no program":
        state.reason = `${program ?? ""} isn't installed${where}`;
        return;
      case "failed":
        state.reason = answer.reason;
    }
  }

  private async hostOf(target: string, host: string): Promise<HostState> {
    const id = `${target}\0${host}`;
    const program = PROGRAMS.get(host) ?? (await this.programOf(target, host));
    const state = this.hosts.get(id) ?? {
      target,
      program,
      host,
      answer: "unknown host" as const,
      reason: "",
      restUntil: 0,
      limits: 0,
      wantedAt: 0,
    };
    state.program = program;
    state.wantedAt = this.deps.context.clock.now();
    if (program === null) {
      state.answer = "unknown host";
      state.reason = `neither gh nor glab is logged in to ${host}${onTarget(target)}`;
    }
    this.hosts.set(id, state);
    return state;
  }

  /** The one that has a login of its own for this host; a host that neither knows is never connected to. */
  private async programOf(target: string, host: string): Promise<Program | null> {
    const id = `${target}\0${host}`;
    const now = this.deps.context.clock.now();
    const known = this.programs.get(id);
    if (known !== undefined && now - known.at < PROGRAM_MS) return known.program;
    const ofTarget = [...this.programs].filter(
      ([one, { at }]) => one.startsWith(`${target}\0`) && now - at < PROGRAM_MS,
    );
    if (ofTarget.length >= MAX_HOSTS) return null;
    let program: Program | null = null;
    for (const one of ["gh", "glab"] as const) {
      const result = await this.runProgram(target, one, (folder) =>
        this.runOn(target, knowsWords(one, host, folder), ""),
      );
      if (typeof result !== "string" && result.exitCode === 0) {
        program = one;
        break;
      }
    }
    this.programs.set(id, { at: now, program });
    return program;
  }
}
