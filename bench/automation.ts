// The parts `automation`: what armed watches and rules cost while nothing happens; `automation-local`: how soon a queued text arrives
// once its agent rests; and `automation-ssh`: the same on a machine 50 ms away, over both transports.
// oxlint-disable unicorn/no-thenable -- a rule says what comes "then": always a word, never a function
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import type { DaemonClient } from "../core/rpc/socketClient.ts";
import { type Asked, judgeRequest } from "../features/automation/rules/judgeRequest.ts";
import { hashOf, readRules } from "../features/automation/rules/ruleFile.ts";
import type { PrivateTmux } from "../test/harness/privateTmux.ts";
import { until } from "../test/setup/realClock.ts";
import { createHarness, type Harness } from "./benchHarness.ts";
import { type Daemon, measureCpu } from "./panes.ts";
import { atMost, type BenchOptions, type Measured } from "./report/model.ts";
import { percent, SPREAD_HEAD, spreadCells } from "./report/words.ts";
import { createSshHarness, type Transport, untilHealth } from "./sshHarness.ts";
import { createDropper } from "./sshLatency.ts";
import { type Spread, spreadOf } from "./statistics.ts";

// How long after an agent came to rest the next text of its queue has arrived: a program that draws an input box as agents do, takes
// real keys, and notes when it got each text.

const SCRIPT = fileURLToPath(new URL("../test/actions/boxAgent.mjs", import.meta.url));
const TURN_MS = 1_500;
const LOOK_MS = 5;
const LIMIT_MS = 90_000;

interface TurnAgent {
  readonly paneId: string;
  readonly pid: number;
  readonly sessionId: string;
}

interface DeliveryScene {
  readonly client: DaemonClient;
  readonly tmux: PrivateTmux;
  /** For the program and its notes. */
  readonly folder: string;
  /** A session of tmux in which its window is opened. */
  readonly session: string;
  /** Drops an event as the agent's hook does. Null: nothing but the screen tells of its turns. */
  readonly drop: ((agent: TurnAgent, event: string) => void) | null;
}

const openAgent = async ({ tmux, folder, session }: DeliveryScene, times: string): Promise<TurnAgent> => {
  const script = join(folder, "@anthropic-ai", "claude-code", "cli.mjs");
  mkdirSync(dirname(script), { recursive: true });
  copyFileSync(SCRIPT, script);
  const options = JSON.stringify({ turnMs: TURN_MS, times });
  const command = `exec '${process.execPath}' '${script}' '${join(folder, "received")}' '${options}'`;
  const format = "#{pane_id} #{pane_pid}";
  const opened = await tmux.run("new-window", "-d", "-P", "-F", format, "-t", `${session}:`, command);
  const [paneId = "", pid = ""] = opened.split(" ");
  return { paneId, pid: Number(pid), sessionId: crypto.randomUUID() };
};

const runtimeOf = async (client: DaemonClient, paneId: string): Promise<string> => {
  let found: string | null = null;
  await until(
    async () => {
      const { items } = await client.call((api) => api.panes.query({}));
      const row = items.find(({ identity }) => identity.pane_id === paneId);
      found = row?.state === "idle" ? row.identity.runtime_id : null;
      return found !== null;
    },
    "the agent rests",
    LIMIT_MS,
  );
  return found ?? "";
};

/** When the agent noted this for the so-manieth time, epoch ms. */
const noted = async (times: string, what: "got" | "ended", count: number): Promise<number> => {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const lines = existsSync(times) ? readFileSync(times, "utf8").split("\n") : [];
    const found = lines.filter((line) => line.startsWith(`${what} `))[count - 1];
    if (found !== undefined) return Number(found.slice(what.length));
    if (performance.now() > deadline)
      throw new Error(`bench: the agent ${what} nothing within ${LIMIT_MS} ms`);
    await wait(LOOK_MS);
  }
};

/** From the end of a turn, as its hook or else its screen tells it, until the text has been submitted. */
const measureDelivery = async (scene: DeliveryScene, rounds: number): Promise<Spread> => {
  const times = join(scene.folder, "times");
  const agent = await openAgent(scene, times);
  const runtimeId = await runtimeOf(scene.client, agent.paneId);
  const arm = (text: string): Promise<unknown> =>
    scene.client.forward("automation.send", "mutation", {
      runtimeId,
      trigger: { kind: "ready" },
      text,
      expiresMs: HOUR_MS,
      surface: "bench",
    });
  const sample: number[] = [];
  await arm("the first text");
  for (let round = 1; round <= rounds; round += 1) {
    await noted(times, "got", round);
    scene.drop?.(agent, "UserPromptSubmit");
    await arm(`text ${round}`);
    let ready = await noted(times, "ended", round);
    if (scene.drop !== null) {
      // The end of a turn must not fall in step with the looks.
      await wait((137 * round) % 900);
      ready = Date.now();
      scene.drop(agent, "Stop");
    }
    sample.push((await noted(times, "got", round + 1)) - ready);
  }
  return spreadOf(sample);
};

const WATCHES = 50;
const RULES = 100;
const MAX_MORE_PERCENT = 0.1;
const MAX_LOCAL_MS = 1_500;
const MAX_SSH_MS = 2_500;
const ROUNDS = 40;
const SSH_ROUNDS = 20;
const HOUR_MS = 3_600_000;
const JUDGED = 40_000;
const MAX_JUDGING_US = 50;
const MAX_IDLE_PERCENT = 0.5;
/** How often a stretch without and one with them follow each other. */
const PAIRS = 3;
/** By then the start, Node's first compiling, and the collecting of what arming left behind, are over. */
const SETTLE_MS = 11_000;
const TRANSPORTS: readonly Transport[] = ["openssh", "ssh2"];

/** Minutes pass without a figure. */
const say = (what: string): void => console.error(`bench: automation: ${what}`);

const armedSchema = z.object({ job_id: z.string() });
const rulesSchema = z.object({ items: z.array(z.object({ name: z.string(), hash: z.string() })) });

const CONDITIONS = [
  { kind: "quiet", forMs: 600_000 },
  { kind: "match", pattern: "FAILED|Error: .*" },
  { kind: "state", state: "error" },
  { kind: "needs-action" },
] as const;

/** Half of them approve, half refuse. */
const someRules = () =>
  Array.from({ length: RULES }, (_, index) => ({
    name: `rule-${index}`,
    when: { commands: [["git", "log", `--author=a${index}`]], cwd: [`/home/dev/project-${index}`] },
    then: index % 2 === 0 ? "approve" : "deny",
  }));

/** Fifty watches of agents and of filters, and a hundred rules, half of them armed to approve, half to refuse. */
const armAll = async ({ paths }: Harness, { client }: Daemon): Promise<() => Promise<void>> => {
  // A watch is armed only where somebody would hear it.
  const listening = new AbortController();
  const heard = client.notices(listening.signal)[Symbol.asyncIterator]().next();
  const { items } = await client.call((api) => api.panes.query({}));
  const runtimes = items.flatMap(({ identity }) => identity.runtime_id ?? []);
  const jobs: string[] = [];
  for (let index = 0; index < WATCHES; index += 1) {
    const runtimeId = runtimes[index % runtimes.length] ?? "";
    const armed = await client.forward("automation.watch", "mutation", {
      subject: index % 5 === 4 ? { filters: {} } : { runtimeId },
      condition: CONDITIONS[index % CONDITIONS.length],
      isRepeated: true,
      forMs: HOUR_MS,
      surface: "bench",
    });
    jobs.push(armedSchema.parse(armed).job_id);
  }
  listening.abort();
  // It ends with the abort, in whatever way.
  await heard.catch(() => {});
  const file = join(paths.home, "rules.json");
  writeFileSync(file, JSON.stringify({ rules: someRules() }), { mode: 0o600 });
  const view = rulesSchema.parse(await client.forward("automation.rules", "query", {}));
  for (const { name, hash } of view.items)
    await client.forward("automation.ruleArm", "mutation", { name, hash, surface: "bench" });
  return async () => {
    for (const id of jobs) await client.forward("automation.jobCancel", "mutation", { id });
    rmSync(file);
    await client.forward("automation.rules", "query", {});
  };
};

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const measureIdle = async ({ isQuick, seconds }: BenchOptions) => {
  const panes = isQuick ? 20 : 200;
  const harness = await createHarness({ panes, agents: panes / 10 });
  try {
    const daemon = await harness.startDaemon();
    // Node compiles what is armed first, too.
    const warm = await armAll(harness, daemon);
    await wait(isQuick ? 0 : SETTLE_MS);
    await warm();
    await wait(isQuick ? 500 : SETTLE_MS);
    const stretch = async (): Promise<number> => {
      const cpu = await measureCpu(harness, daemon, seconds);
      return cpu.daemon + cpu.children;
    };
    const pairs: [number, number][] = [];
    for (let pair = 0; pair < (isQuick ? 1 : PAIRS); pair += 1) {
      const without = await stretch();
      const disarm = await armAll(harness, daemon);
      await wait(isQuick ? 0 : SETTLE_MS);
      const armed = await stretch();
      pairs.push([without, armed]);
      say(`pair ${pair + 1} of ${PAIRS}: ${percent(without)} without, ${percent(armed)} with`);
      await disarm();
      await wait(isQuick ? 0 : SETTLE_MS);
    }
    await daemon.stop();
    return {
      panes,
      /** Each pair of stretches. */
      pairs,
      without: mean(pairs.map(([one]) => one)),
      with: mean(pairs.map(([, one]) => one)),
    };
  } finally {
    await harness.close();
  }
};

/** One request against a hundred armed rules, in microseconds. */
const measureJudging = (count: number): Spread => {
  const { rules, problems } = readRules(JSON.stringify({ rules: someRules() }));
  if (problems.length > 0) throw new Error(`bench: ${problems[0]?.message}`);
  const now = { rules, blocksApproval: false, armed: new Set(rules.map((rule) => hashOf(rule, rules))) };
  const sample: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const asked: Asked = {
      agent: "claude",
      target: "host",
      session: "work",
      kind: "command",
      tool: "Bash",
      command: `git log --author=a${index % (2 * RULES)}`,
      folder: `/home/dev/project-${index % RULES}`,
      leadsTo: (folder) => folder,
      paths: [],
    };
    const from = performance.now();
    judgeRequest(now, asked);
    sample.push((performance.now() - from) * 1_000);
  }
  // Node's first compiling is over by then.
  return spreadOf(sample.slice(Math.floor(count / 4)));
};

/** `isTold`: its hook tells when a turn ends. */
const deliverHere = async (isTold: boolean, rounds: number): Promise<Spread> => {
  const harness = await createHarness({ panes: 20, agents: 1 });
  try {
    const daemon = await harness.startDaemon();
    const folder = join(harness.paths.home, "..", "turns");
    mkdirSync(folder);
    const silent = { frame: () => 0, busy: () => {}, rest: () => {} };
    return await measureDelivery(
      {
        client: daemon.client,
        tmux: harness.tmux,
        folder,
        session: "s0",
        drop: isTold
          ? (agent, event) => void harness.drop({ ...agent, ...silent }, event, { background_tasks: [] })
          : null,
      },
      rounds,
    );
  } finally {
    await harness.close();
  }
};

const deliverFar = async (transport: Transport, rounds: number): Promise<Spread> => {
  const harness = await createSshHarness(transport);
  const { remote, server } = harness;
  try {
    await remote.run("new-session", "-d", "-s", "s", "-x", "120", "-y", "40", "sleep 100000");
    const drop = await createDropper(harness);
    const client = await harness.startDaemon([harness.settingsOf("vm1", harness.slowAlias)]);
    await untilHealth(client, "vm1", "ok");
    return await measureDelivery(
      {
        client,
        tmux: remote,
        folder: server.remoteHome,
        session: "s",
        drop: (agent, event) => void drop(agent, event, { background_tasks: [] }),
      },
      rounds,
    );
  } finally {
    await harness.close();
  }
};

export const benchAutomation = async (options: BenchOptions): Promise<Measured> => {
  const judged = measureJudging(options.isQuick ? 400 : JUDGED);
  const idle = await measureIdle(options);
  const more = idle.with - idle.without;
  return {
    name: "automation",
    title: "Automation",
    how: `What is armed costs: ${idle.panes} panes, one in ten with an agent at rest; stretches of ${options.seconds} s without anything armed and with ${WATCHES} watches and ${RULES} armed rules follow each other in one daemon.`,
    tables: [
      {
        caption: "CPU of the daemon and its children, of a core",
        head: ["nothing armed", `${WATCHES} watches and ${RULES} rules`, "more"],
        rows: [
          ...idle.pairs.map(([without, armed]) => [
            percent(without),
            percent(armed),
            percent(armed - without),
          ]),
          [`mean ${percent(idle.without)}`, percent(idle.with), percent(more)],
        ],
      },
    ],
    checks: [
      atMost(
        `idle CPU with ${WATCHES} watches and ${RULES} rules above that without`,
        more,
        MAX_MORE_PERCENT,
        "% of a core",
      ),
      atMost(`idle CPU with them, ${idle.panes} panes`, idle.with, MAX_IDLE_PERCENT, "% of a core"),
      atMost(`one request against ${RULES} rules, p95`, judged.p95, MAX_JUDGING_US, "µs"),
    ],
    notes: [
      `One request against ${RULES} rules: median ${judged.median.toFixed(1)} µs, p95 ${judged.p95.toFixed(1)} µs, max ${judged.max.toFixed(0)} µs.`,
    ],
    figures: { idle, judged },
  };
};

export const benchAutomationLocal = async ({ isQuick }: BenchOptions): Promise<Measured> => {
  const rounds = isQuick ? 1 : ROUNDS;
  // A smoke run gives no real figures, so everything runs at once.
  const [told, seen] = isQuick
    ? await Promise.all([deliverHere(true, rounds), deliverHere(false, rounds)])
    : [await deliverHere(true, rounds), await deliverHere(false, rounds)];
  return {
    name: "automation-local",
    title: "A text for later, on this machine",
    how: "A program in real tmux that draws an input box as Claude Code does takes the next text of its queue after each turn; the clock runs from the end of the turn until the program got the text with Enter. An agent has to rest for a second before anything is typed.",
    tables: [
      {
        caption: "From the end of a turn until the next text of the queue has arrived",
        head: ["the end of the turn is told by", ...SPREAD_HEAD],
        rows: [
          ["a hook", ...spreadCells(told)],
          ["the screen alone", ...spreadCells(seen)],
        ],
      },
    ],
    checks: [atMost("ready → text delivered, p95", told.p95, MAX_LOCAL_MS, "ms")],
    notes: [],
    figures: { told, seen },
  };
};

export const benchAutomationSsh = async ({ isQuick }: BenchOptions): Promise<Measured> => {
  const all: { transport: Transport; told: Spread }[] = [];
  for (const transport of TRANSPORTS)
    all.push({ transport, told: await deliverFar(transport, isQuick ? 1 : SSH_ROUNDS) });
  return {
    name: "automation-ssh",
    title: "A text for later, over SSH",
    how: "The same delivery to a program on a real sshd behind a proxy that adds 50 ms of round trip; its hook tells the end of each turn.",
    tables: [
      {
        caption: "From the end of a turn until the next text of the queue has arrived",
        head: ["transport", ...SPREAD_HEAD],
        rows: all.map(({ transport, told }) => [transport, ...spreadCells(told)]),
      },
    ],
    checks: all.map(({ transport, told }) =>
      atMost(`ready → text delivered over ${transport}, p95`, told.p95, MAX_SSH_MS, "ms"),
    ),
    notes: [],
    figures: all,
  };
};
