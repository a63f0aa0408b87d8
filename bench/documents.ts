// `npm run bench:documents`: what the verbs of documents cost, each as a command of its own from its start to its end: a response written
// into a document of a megabyte, twelve panes brought into columns, the agent of a document told to answer, and what thirty documents
// ask. Real tmux; the daemon in this process; the agents are played. Fails where a bar is not met. `--rounds N` (40).
import { mkdirSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { outlineOf } from "../features/documents/model/documentText.ts";
import { openHarness } from "../test/actions/actionHarness.ts";
import { openAgent, type AgentPane } from "../test/actions/agentPane.ts";
import { runDoc } from "../test/actions/documentCommand.ts";
import { noteTmux } from "../test/actions/notedTmux.ts";
import { serveDaemon } from "../test/harness/commandLine.ts";
import { randomFrom } from "../test/merges/concurrentEdits.ts";
import { makeLarge } from "../test/merges/largeEdit.ts";
import { describeMachine } from "./machine.ts";
import { spreadOf } from "./statistics.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "40" } } });
const ROUNDS = Number(values.rounds);
const PANES = 12;
const DOCUMENTS = 30;
const AGENTS = 4;

const missed: string[] = [];
const judge = (name: string, isMet: boolean, text: string): void => {
  if (!isMet) missed.push(name);
  console.log(`${name.padEnd(36)} ${text}${isMet ? "" : ": MISSED"}`);
};
const show = (name: string, times: readonly number[], bar: number | null = null): void => {
  const { median, p95, max } = spreadOf(times);
  const text = `median ${median.toFixed(0)}, p95 ${p95.toFixed(0)}, max ${max.toFixed(0)} ms`;
  judge(name, bar === null || p95 <= bar, bar === null ? text : `${text} (bar p95 ${bar} ms)`);
};

const timeOf = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};

const harness = await openHarness();
const stop = await serveDaemon(harness.daemon);
const noted = noteTmux(harness.tmux.folder);

const makeProject = (name: string): string => {
  const folder = join(harness.tmux.folder, name);
  mkdirSync(join(folder, ".agent-doc"), { recursive: true });
  return folder;
};
const run = async (folder: string, args: readonly string[], input = ""): Promise<void> => {
  const { code, stderr } = await runDoc(harness, folder, args, { env: { PATH: noted.path }, input });
  if (code !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
};
const openPanes = async (count: number): Promise<string[]> => {
  const panes: string[] = [];
  const words = ["new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "base:", "exec cat"];
  for (let at = 0; at < count; at += 1) panes.push(await harness.tmux.run(...words));
  return panes;
};

const id = (at: number): string => `6f1f0a5e-3c0e-4b83-9d0a-${String(at).padStart(12, "0")}`;
/** Documents `0.md`… with a pane each. */
const claimAll = (folder: string, panes: readonly string[]): void => {
  const started = new Date().toISOString();
  const entries = panes.map((pane, at) => {
    writeFileSync(join(folder, `${at}.md`), `---\nagent_doc_session: "${id(at)}"\n---\n# ${at}\n`);
    return [id(at), { pane, pid: 1, cwd: folder, started, file: `${at}.md` }];
  });
  writeFileSync(join(folder, ".agent-doc", "sessions.json"), JSON.stringify(Object.fromEntries(entries)));
};

/** Gives its median, which every command has in it. */
const benchEmpty = async (): Promise<number> => {
  const folder = makeProject("empty");
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(await timeOf(() => run(folder, ["commands"])));
  show("a verb that does nothing", times);
  return spreadOf(times).median;
};

const benchWrite = async (): Promise<void> => {
  const folder = makeProject("write");
  const wrap = (text: string) => `<!-- agent:exchange mode=append -->\n${text}<!-- /agent:exchange -->\n`;
  const [times, outlines]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { base, agent, person } = makeLarge(randomFrom(round), 1_000_000);
    // Each a document of its own: another text under the same name would be merged as if a person had typed all of it.
    const name = `large-${round}.md`;
    writeFileSync(join(folder, name), wrap(person));
    writeFileSync(join(folder, "seen.md"), wrap(base));
    outlines.push(await timeOf(async () => outlineOf(person)));
    // Older than a moment, as a file that nobody saves just now.
    await wait(50);
    const words = ["write", name, "--baseline-file", "seen.md"];
    times.push(await timeOf(() => run(folder, words, agent.slice(-12_000))));
  }
  show("write, 12 kB into 1 MB", times, 400);
  show("outline of 1 MB, without its process", outlines, 100);
};

const benchSync = async (): Promise<void> => {
  const folder = makeProject("sync");
  claimAll(folder, await openPanes(PANES));
  const ways = [
    ["0.md,1.md,2.md", "3.md", "4.md,5.md,6.md,7.md,8.md", "9.md,10.md,11.md"],
    ["11.md,10.md", "9.md,8.md,7.md", "6.md,5.md,4.md", "3.md,2.md,1.md,0.md"],
  ].map((columns) => columns.flatMap((column) => ["--col", column]));
  const [moved, rested]: [number[], number[]] = [[], []];
  const [callsOfMoves, callsOfRest]: [number[], string[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    const words = ["sync", ...(ways[round % 2] ?? [])];
    noted.calls();
    moved.push(await timeOf(() => run(folder, words)));
    callsOfMoves.push(noted.calls().length);
    rested.push(await timeOf(() => run(folder, words)));
    callsOfRest.push(noted.calls().join("+"));
  }
  show(`sync of ${PANES} panes`, moved, 150);
  show("sync, nothing to move", rested);
  const most = Math.max(...callsOfMoves);
  judge("sync, calls of tmux", most <= 3, `at most ${most} (bar 3)`);
  const kinds = [...new Set(callsOfRest)].join(", ");
  judge("sync, nothing to move, calls", kinds === "list-panes", `${kinds}, and no change`);
};

const benchRoute = async (): Promise<void> => {
  const folder = makeProject("route");
  const agents: AgentPane[] = [];
  for (let at = 0; at < AGENTS; at += 1) agents.push(await openAgent(harness, {}, `agent-${at}`, folder));
  const panes = agents.map(({ paneId }) => paneId);
  claimAll(folder, panes);
  const [ended, delivered]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    const agent = agents[round % AGENTS];
    if (agent === undefined) throw new Error("there is no such agent");
    await harness.daemon.untilState(agent.paneId, "idle", 20_000);
    const before = agent.received().length;
    const began = performance.now();
    const arrived = (async () => {
      while (agent.received().length === before) await wait(5);
      delivered.push(performance.now() - began);
    })();
    await run(folder, ["route", `${round % AGENTS}.md`]);
    ended.push(performance.now() - began);
    await arrived;
  }
  show("route, until the agent has it", delivered, 600);
  show("route, until the command has ended", ended);
  const isRight = agents.every((agent, at) =>
    agent.received().every((text) => text === `/agent-doc ${at}.md`),
  );
  judge("route, to its own agent alone", isRight, `${ROUNDS} texts, ${AGENTS} panes`);
};

const benchPrompt = async (emptyMs: number): Promise<void> => {
  const folder = makeProject("prompt");
  const panes = await openPanes(DOCUMENTS);
  claimAll(folder, panes);
  for (const pane of panes) await harness.daemon.until(pane, () => true);
  const times: number[] = [];
  noted.calls();
  for (let round = 0; round < ROUNDS; round += 1)
    times.push(await timeOf(() => run(folder, ["prompt", "--all"])));
  const calls = noted.calls();
  show(`prompt --all, ${DOCUMENTS} documents`, times);
  const own = times.map((ms) => ms - emptyMs);
  show("prompt --all, without the start", own, 80);
  const isOneEach = calls.length === ROUNDS && calls.every((call) => call === "list-panes");
  judge("prompt --all, calls of tmux", isOneEach, "list-panes alone, once; no screen is read");
};

console.log(describeMachine());
console.log(
  `load ${loadavg()[0]?.toFixed(1) ?? "?"}, ${ROUNDS} rounds; commands from their start to their end\n`,
);
try {
  const emptyMs = await benchEmpty();
  await benchWrite();
  await benchSync();
  await benchRoute();
  await benchPrompt(emptyMs);
} finally {
  await stop();
  await harness.close();
}
console.log(`\nload afterwards ${loadavg()[0]?.toFixed(1) ?? "?"}`);
if (missed.length > 0) console.log(`missed: ${missed.join(", ")}`);
process.exit(missed.length === 0 ? 0 : 1);
