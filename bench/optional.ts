// What a wish costs while it is on, beside the same while it is off: comparing the worktrees of agents for conflicts, asking for the
// pull requests of their branches, answers from the phone, keeping the machine awake, and reading what agents say of their limits.
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { conflictListSchema } from "../core/model/workspace.ts";
import { pullRequestListSchema } from "../core/model/workspace.ts";
import { answered, createForgeStandIn, githubData, githubRequest } from "../test/workspaces/forgeStandIn.ts";
import { git } from "../test/workspaces/hostileRepository.ts";
import { createHarness, type Harness } from "./benchHarness.ts";
import { measureAnswers, type AnswersCost } from "./phoneAnswers.ts";
import { familyCpuOf } from "./processCost.ts";
import { atMost, type BenchOptions, type Measured } from "./report/model.ts";
import { mb, ms, percent } from "./report/words.ts";

const AGENTS = 10;
const QUIET_MS = 6_000;
/** As long as the pause between two looks while no surface is open, so that each stretch has one. */
const STRETCH_MS = 120_000;
/** Two signs of life of a server. */
const ANSWERS_MS = 90_000;
/** Each agent commits once in a minute. */
const COMMIT_EVERY_MS = 60_000 / AGENTS;
const FILES = 300;
const PLACED_MS = 120_000;

/** A repository with a worktree for each agent. */
const makeWorktrees = (root: string): string[] => {
  const main = join(root, "repository");
  mkdirSync(join(main, "src"), { recursive: true });
  git(main, "init", "-q", "-b", "main");
  for (let file = 0; file < FILES; file += 1)
    writeFileSync(join(main, "src", `f${file}.ts`), `export const value = ${file};\n`.repeat(50));
  git(main, "add", ".");
  git(main, "commit", "-q", "-m", "one");
  return Array.from({ length: AGENTS }, (_, index) => {
    const folder = join(root, `tree-${index}`);
    git(main, "worktree", "add", "-q", "-b", `agent-${index}`, folder);
    return folder;
  });
};

/** Percent of a core of the daemon and its children, over so long; `commit` is called meanwhile. */
const cpuPercent = async (pid: number, stretchMs: number, commit: (() => void) | null): Promise<number> => {
  const [before, from] = [familyCpuOf(pid), performance.now()];
  while (performance.now() - from < stretchMs) {
    await wait(Math.min(COMMIT_EVERY_MS, stretchMs));
    commit?.();
  }
  const after = familyCpuOf(pid);
  const seconds = after.own + after.children - before.own - before.children;
  return (seconds / ((performance.now() - from) / 1_000)) * 100;
};

type Daemon = Awaited<ReturnType<Harness["startDaemon"]>>;

/** `gh` is played by a program that only a login shell finds, and answers at once. */
const makeForge = (home: string): void => {
  const forge = createForgeStandIn(join(home, "own-bin"), ["gh"]);
  const requests = Array.from({ length: AGENTS }, (_, index) =>
    githubRequest({ number: index + 1, headRefName: `agent-${index}` }),
  );
  forge.answer("gh", answered(githubData(requests)));
  for (const name of [".profile", ".bash_profile", ".zprofile"])
    writeFileSync(join(home, name), `PATH='${forge.folder}':$PATH\n`);
  git(join(home, "repository"), "remote", "add", "origin", "git@github.com:acme/shop.git");
};

/** Rows are shown all the while, so that hosts are asked as often as ever. */
const measurePulls = async ({ client, pid }: Daemon, stretchMs: number) => {
  const closing = new AbortController();
  const shown = (async () => {
    const feed = client.feed({ since: null, sinceTime: null, all: false, shown: true }, closing.signal);
    for await (const _entry of feed) if (closing.signal.aborted) return;
  })();
  const set = (value: boolean) =>
    client.forward("configSet", "mutation", { key: "pull_requests", value }).then(() => wait(QUIET_MS));
  try {
    await set(false);
    const off = await cpuPercent(pid, stretchMs, null);
    await set(true);
    const on = await cpuPercent(pid, stretchMs, null);
    const list = pullRequestListSchema.parse(await client.forward("workspaces.pulls", "mutation", undefined));
    if (list.items.length !== AGENTS) throw new Error("bench wishes: not every branch has its pull request");
    await set(false);
    return { off, on };
  } finally {
    closing.abort();
    // It ends by that.
    await shown.catch(() => {});
  }
};

const measure = async (harness: Harness, stretchMs: number) => {
  const trees = makeWorktrees(harness.home);
  let commits = 0;
  const commit = (): void => {
    const folder = trees[commits % AGENTS] ?? "";
    commits += 1;
    writeFileSync(join(folder, "src", `f${commits % 7}.ts`), `export const value = "${commits}";\n`);
    git(folder, "commit", "-q", "-a", "-m", "more");
  };
  const daemon = await harness.startDaemon();
  try {
    await wait(QUIET_MS);
    for (const [index, agent] of harness.agents.entries())
      harness.drop(agent, "UserPromptSubmit", { cwd: trees[index], prompt: "go on" });
    const list = async () =>
      conflictListSchema.parse(await daemon.client.forward("workspaces.conflicts", "mutation", undefined));
    // Where an agent works is read once in a while.
    const limit = performance.now() + PLACED_MS;
    while ((await list()).compared !== AGENTS) {
      if (performance.now() > limit) throw new Error("bench wishes: not every worktree is compared");
      await wait(1_000);
    }
    const set = async (value: boolean): Promise<void> => {
      await daemon.client.forward("configSet", "mutation", { key: "conflicts", value });
      await wait(stretchMs < STRETCH_MS ? 0 : QUIET_MS);
    };
    await set(false);
    const off = await cpuPercent(daemon.pid, stretchMs, commit);
    await set(true);
    const resting = await cpuPercent(daemon.pid, stretchMs, null);
    const committing = await cpuPercent(daemon.pid, stretchMs, commit);
    const { items } = await list();
    await set(false);
    makeForge(harness.home);
    const pulls = await measurePulls(daemon, stretchMs);
    return { off, resting, committing, conflicts: items.length, pulls };
  } finally {
    await daemon.stop();
  }
};

const answersTable = ({
  none,
  telling,
  answering,
  roundTripMs,
}: AnswersCost): Measured["tables"][number] => ({
  caption: "A daemon without a channel, with one that tells, and with one that takes answers, all at rest",
  head: ["", "CPU", "memory", "from a button to what came of it"],
  rows: [
    ["no channel", percent(none.cpu), mb(none.residentMb), ""],
    ["ntfy, tells", percent(telling.cpu), mb(telling.residentMb), ""],
    ["ntfy, takes answers", percent(answering.cpu), mb(answering.residentMb), ms(roundTripMs)],
  ],
});

/** Logs of sessions, as an account has them; each grows with every answer. */
const LOGS = 12;
const ANSWER_EVERY_MS = 2_000;

const limitLine = (used: number): string =>
  `${JSON.stringify({
    timestamp: new Date().toISOString(),
    type: "event_msg",
    payload: {
      type: "token_count",
      rate_limits: {
        primary: {
          used_percent: used,
          window_minutes: 300,
          resets_at: Math.floor(Date.now() / 1_000) + 7_200,
        },
      },
    },
  })}\n`;

/** Agents work and a surface shows rows, because that is when either costs anything. The machine's own program keeps it awake. */
const measureShown = async (harness: Harness, stretchMs: number) => {
  const day = join(harness.home, ".codex/sessions/2026/11/29");
  mkdirSync(day, { recursive: true });
  const logs = Array.from({ length: LOGS }, (_, index) =>
    join(day, `rollout-2026-11-29T10-00-${10 + index}-01a2059b-7fc5-7cc3-a062-067da0b4b9${10 + index}.jsonl`),
  );
  const answer = (): void => {
    for (const log of logs) appendFileSync(log, limitLine(40));
  };
  answer();
  const daemon = await harness.startDaemon();
  const shown = new AbortController();
  const following = (async () => {
    for await (const _entry of daemon.client.feed(
      { since: null, sinceTime: null, all: false, shown: true },
      shown.signal,
    ));
    // It ends by being aborted.
  })().catch(() => {});
  const answering = setInterval(answer, ANSWER_EVERY_MS);
  try {
    for (const agent of harness.agents) agent.busy(1);
    const set = async (key: string, value: unknown): Promise<void> => {
      await daemon.client.forward("configSet", "mutation", { key, value });
      await wait(stretchMs < STRETCH_MS ? 0 : QUIET_MS);
    };
    await wait(QUIET_MS);
    const off = await cpuPercent(daemon.pid, stretchMs, null);
    await set("keep_awake", "working");
    const awake = await cpuPercent(daemon.pid, stretchMs, null);
    await set("keep_awake", "never");
    await set("limits", true);
    const limits = await cpuPercent(daemon.pid, stretchMs, null);
    return { shownOff: off, awake, limits };
  } finally {
    clearInterval(answering);
    shown.abort();
    for (const agent of harness.agents) agent.rest();
    await daemon.stop();
    await following;
  }
};

export const benchOptional = async ({ isQuick }: BenchOptions): Promise<Measured> => {
  const harness = await createHarness({ panes: 20, agents: AGENTS });
  try {
    const stretchMs = isQuick ? 1_000 : STRETCH_MS;
    const answers = await measureAnswers(isQuick ? 1_000 : ANSWERS_MS);
    const figures = {
      ...(await measure(harness, stretchMs)),
      ...(await measureShown(harness, stretchMs)),
      answers,
    };
    const { off, resting, committing, conflicts, pulls, shownOff, awake, limits } = figures;
    return {
      name: "wishes",
      title: "What is off until you switch it on",
      how: `${AGENTS} agents in worktrees of one repository with ${FILES} files, no surface open; ${conflicts} conflicts at the end. CPU of the daemon and its children, over stretches of ${STRETCH_MS / 1_000} s in one run.`,
      tables: [
        {
          caption: "Percent of a core, conflicts between worktrees",
          head: [
            "off, each agent commits once a minute",
            "on, nothing is committed",
            "on, each agent commits once a minute",
            "more than off",
          ],
          rows: [[percent(off), percent(resting), percent(committing), percent(committing - off)]],
        },
        {
          caption:
            "Percent of a core, pull requests of ten branches, rows shown; gh is a program that answers at once",
          head: ["off", "on, asked once a minute", "more than off"],
          rows: [[percent(pulls.off), percent(pulls.on), percent(pulls.on - pulls.off)]],
        },
        answersTable(answers),
        {
          caption: `Percent of a core, ten agents that redraw each second, rows are shown, ${LOGS} logs that grow each two seconds`,
          head: ["both off", "keep_awake on", "limits on"],
          rows: [[percent(shownOff), percent(awake), percent(limits)]],
        },
      ],
      checks: [
        atMost("CPU for conflicts while ten agents commit", committing - off, 1, "% of a core"),
        atMost("CPU for pull requests while rows are shown", pulls.on - pulls.off, 0.5, "% of a core"),
        atMost(
          "CPU for answers from the phone, at rest",
          answers.answering.cpu - answers.telling.cpu,
          0.5,
          "% of a core",
        ),
        atMost("CPU for staying awake while ten agents work", awake - shownOff, 1, "% of a core"),
        atMost("CPU for limits while rows are shown", limits - shownOff, 1, "% of a core"),
      ],
      notes: [],
      figures,
    };
  } finally {
    await harness.close();
  }
};
