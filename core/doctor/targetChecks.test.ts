import { describe, expect, it } from "vitest";
import { makeTarget } from "../../test/factories/view.ts";
import { realClock } from "../../test/setup/realClock.ts";
import { runChecks, type Finding } from "../model/doctor.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { TargetView } from "../model/view.ts";
import type { Clock } from "../ports/clock.ts";
import type { RunResult, TargetExecutor } from "../ports/targetExecutor.ts";
import type { TmuxCalls } from "../tmux/tmuxCalls.ts";
import type { DoctorLink } from "./doctorTarget.ts";
import { serverChecks, targetChecks } from "./targetChecks.ts";

const NOW = 1_800_000_000_000;
const clock: Clock = { ...realClock, now: () => NOW };
const answer = (stdout: string, stderr = "", exitCode: number | null = 0): RunResult => ({
  exitCode,
  stdout,
  stderr,
  timedOut: false,
});

const PANE = { targetId: "t", server: "default", paneId: "%1", panePid: 42, isDead: false };

/** `run`: the answer by the first word after the program, or the program's name. */
const makeLink = (run: Record<string, RunResult>, options: Partial<DoctorLink> = {}): DoctorLink => ({
  executor: {
    targetId: "t",
    kind: "ssh",
    run: async (argv: readonly string[]) =>
      run[argv.find((word) => word in run) ?? ""] ?? answer("", "not expected", 1),
  } as unknown as TargetExecutor,
  tmuxPath: "/bin/tmux",
  findTmux: () => Promise.reject(new AgtmuxError("E_TMUX_MISSING", "none", { details: ["/a/tmux"] })),
  servers: [{ server: "default", socketPath: "/s/default" }],
  tmuxOf: () =>
    ({
      run: async ([word = ""]: readonly string[]) => run[word] ?? answer("", "not expected", 1),
    }) as unknown as TmuxCalls,
  panes: [PANE] as unknown as DoctorLink["panes"],
  processes: {
    ofPanes: async () => new Map([[42, [{ pid: 42, ppid: 1, comm: "sh", args: "sh", startedAt: 0 }]]]),
    lifeOf: async () => "running",
    verify: async () => true,
    isGone: () => false,
  },
  accounts: {} as DoctorLink["accounts"],
  integrations: () => Promise.reject(new AgtmuxError("E_TARGET_UNREACHABLE", "not looked at here")),
  ...options,
});

const examine = async (link: DoctorLink | null, view: Partial<TargetView> = {}): Promise<Finding[]> => {
  const target = { view: makeTarget({ target: "vm", kind: "ssh", ...view }), link, agents: [] };
  return runChecks([...targetChecks(target, "one", clock), ...serverChecks(target)], (delayMs, callback) =>
    clock.setTimer(delayMs, callback),
  );
};
const find = (findings: readonly Finding[], check: string): Finding | undefined =>
  findings.find((one) => one.check === check);

describe("tmux", () => {
  it.each([
    ["tmux 2.5\n", "problem"],
    ["tmux 3.1c\n", "warning"],
    ["tmux 3.2\n", "ok"],
    ["tmux 3.7c\n", "ok"],
    ["tmux 3.8\n", "warning"],
    ["tmux master\n", "warning"],
    ["", "problem"],
  ])("of version %j is %s", async (said, status) => {
    expect(find(await examine(makeLink({ "-V": answer(said) })), "target.tmux")).toMatchObject({ status });
  });

  it.each([
    ["tmux 3.1c\n", "its servers are asked through the tmux program, which costs more."],
    ["tmux master\n", "its servers are asked through the tmux program, which costs more."],
    ["tmux 3.8\n", "See below how each of its servers is asked."],
  ])("of version %j says which way its servers are asked: %s", async (said, way) => {
    expect(find(await examine(makeLink({ "-V": answer(said) })), "target.tmux")?.summary).toContain(way);
  });

  it("that came after the daemon needs a restart, and one that is not there an installation", async () => {
    const version = { raw: "3.3a", major: 3, minor: 3 };
    const came = makeLink({}, { tmuxPath: null, findTmux: async () => ({ path: "/b/tmux", version }) });
    expect(find(await examine(came), "target.tmux")).toMatchObject({
      status: "problem",
      evidence: "/b/tmux, version 3.3a",
      remedy: expect.stringContaining("agtmux daemon stop"),
    });
    expect(find(await examine(makeLink({}, { tmuxPath: null })), "target.tmux")).toMatchObject({
      status: "problem",
      evidence: "tried /a/tmux",
      remedy: expect.stringContaining("Install tmux"),
    });
  });
});

describe("the clock of a target", () => {
  it.each([
    [0, "ok"],
    [-2, "ok"],
    [7, "warning"],
    [-90, "warning"],
  ])("that is %i s off is %s", async (seconds, status) => {
    const said = answer(`${NOW / 1_000 + seconds}\n`);
    expect(find(await examine(makeLink({ date: said })), "target.clock")).toMatchObject({ status });
  });

  it("that says no time is not judged", async () => {
    expect(find(await examine(makeLink({ date: answer("today") })), "target.clock")).toMatchObject({
      status: "skipped",
    });
  });
});

it("says of a target without connection that nothing else can be said", async () => {
  const findings = await examine(null, { health: "down", health_reason: "no route" });
  expect(findings.map(({ check, status, evidence }) => [check, status, evidence])).toEqual([
    ["target.health", "problem", "no route"],
    ["target.connection", "skipped", null],
  ]);
  expect(findings[0]?.remedy).toBe("Run 'agtmux target connect vm'.");
});

it("tells processes that cannot be read from panes that are not there", async () => {
  const link = makeLink({});
  expect(find(await examine(link), "target.processes")?.evidence).toBe("1 of 1 sampled pane, 1 process");
  const blind = { ...link, processes: { ...link.processes, ofPanes: async () => new Map() } };
  expect(find(await examine(blind), "target.processes")).toMatchObject({
    status: "problem",
    evidence: "0 of 1 sampled pane, 0 processes",
  });
  expect(find(await examine({ ...blind, panes: [] }), "target.processes")).toMatchObject({
    status: "skipped",
  });
});

describe("a tmux server", () => {
  const server = makeTarget().servers[0] ?? { tmux_server: "default" };
  const withServer = (options: object): Partial<TargetView> =>
    ({ servers: [{ ...server, tmux_server: "default", ...options }] }) as Partial<TargetView>;

  it.each([
    [{ status: "ok", mode: "direct", problem: null }, "ok"],
    [{ status: "ok", mode: "polling", problem: "it ended twice" }, "warning"],
    [{ status: "error", mode: "none", problem: "no answer" }, "problem"],
    [{ status: "no_server", mode: "none", problem: null }, "skipped"],
  ])("%j is %s", async (options, status) => {
    const findings = await examine(makeLink({ "send-keys": answer("") }), withServer(options));
    expect(find(findings, "server.watch")).toMatchObject({ status, tmux_server: "default", target: "vm" });
    expect(find(findings, "server.keys")?.status).toBe(options.status === "ok" ? "ok" : undefined);
  });

  it.each([
    [{ mode: "direct", problem: null }, "is asked over its socket.", null],
    [{ mode: "polling", problem: null }, "is asked through the tmux program.", null],
    [
      { mode: "polling", problem: "it speaks protocol 9 of tmux, and only 8 is known" },
      "is asked through the tmux program; a better way failed.",
      "it speaks protocol 9",
    ],
    [{ mode: "direct", problem: "2 rows" }, "is asked over its socket; a better way failed.", "2 rows"],
  ])("that is %j is said to be so, and why", async (options, way, why) => {
    const findings = await examine(
      makeLink({ "send-keys": answer("") }),
      withServer({ status: "ok", ...options }),
    );
    const found = find(findings, "server.watch");
    expect(found?.summary).toBe(`The tmux server default ${way}`);
    if (why !== null) expect(found?.evidence).toContain(why);
  });

  it("that takes no keys because its only client is read-only wants another client", async () => {
    const refused = answer("", "client is read-only\n", 1);
    const findings = await examine(
      makeLink({ "send-keys": refused }),
      withServer({ status: "ok", mode: "direct", problem: null }),
    );
    expect(find(findings, "server.keys")).toMatchObject({
      status: "problem",
      evidence: "client is read-only",
      remedy: "Attach a terminal to it: 'tmux -S /s/default attach'.",
    });
  });
});
