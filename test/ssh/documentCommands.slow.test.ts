// `agtmux doc VERB vm1:/path/plan.md`, by the real command line and a real sshd: only the named document of that machine is read, written
// and told of, and only the agent that it was claimed for; every other verb says that it works where the file is.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openAgent } from "../actions/agentPane.ts";
import { dialogOf, openDialogs } from "../actions/dialogPane.ts";
import { runDoc } from "../actions/documentCommand.ts";
import { serveDaemon, type Finished } from "../harness/commandLine.ts";
import { LIMIT_MS, openTargetHarness, type TargetHarness } from "./targetHarness.ts";

const DOCUMENT = `# Plan

<!-- agent:status -->
0 of 3
<!-- /agent:status -->

<!-- agent:exchange mode=append -->
Which way, Größe?
<!-- /agent:exchange -->
`;
const ASKING = dialogOf("recordings/claude/waiting_approval", {
  options: ["Yes", "Yes, and always", "Yes, and switch to auto mode", "No"],
  digits: "too",
  escapes: "No",
});

let harness: TargetHarness;
let stop: () => Promise<void>;
/** Of the other machine, and the one that commands are typed in. */
let folder: string;
let here: string;
let typed: string;
beforeAll(async () => {
  harness = await openTargetHarness("openssh");
  stop = await serveDaemon(harness.daemon);
}, LIMIT_MS * 3);
afterAll(async () => {
  await stop();
  await harness.close();
});
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(harness.tmux.folder, "far '$(touch x)-")));
  here = realpathSync(mkdtempSync(join(tmpdir(), "agtmux-here-")));
  mkdirSync(join(folder, ".agent-doc"));
  writeFileSync(join(folder, "plan.md"), DOCUMENT);
  typed = `vm1:${folder}/plan.md`;
});

const doc = (args: readonly string[], input?: string): Promise<Finished> =>
  runDoc(harness, here, args, input === undefined ? {} : { input });
const read = (name = "plan.md"): string => readFileSync(join(folder, name), "utf8");
const registry = (): Record<string, Record<string, unknown>> => JSON.parse(read(".agent-doc/sessions.json"));
const LONG = LIMIT_MS * 3;

describe("a document of another machine", () => {
  it(
    "is shown, written with what was typed meanwhile, and seen in the next diff",
    { timeout: LONG },
    async () => {
      expect((await doc(["outline", typed])).stdout).toContain("Plan");
      writeFileSync(join(here, "seen.md"), read());
      writeFileSync(join(folder, "plan.md"), read().replace("Größe?", "Größe? Typed there."));
      chmodSync(join(folder, "plan.md"), 0o640);
      const response = "<!-- patch:status -->\n1 of 3\n<!-- /patch:status -->\nThis way.\n";
      const args = ["write", typed, "--baseline-file", "seen.md"];
      const written = await doc(args, response);
      expect(written).toMatchObject({ code: 0, stdout: `Written into ${typed}.\n`, stderr: "" });
      const text = read();
      for (const line of ["1 of 3", "Which way, Größe? Typed there.", "This way."])
        expect(text).toContain(line);
      expect(text).not.toContain("0 of 3");
      expect(statSync(join(folder, "plan.md")).mode & 0o777).toBe(0o640);
      expect(readdirSync(join(folder, ".agent-doc", "pending"))).toEqual([]);
      expect(await doc(args, response)).toMatchObject({ code: 0, stdout: `${typed} has it already.\n` });
      expect(read()).toBe(text);
      const diff = (await doc(["diff", typed])).stdout;
      expect(diff.split("\n").filter((line) => /^[+-]/.test(line))).toEqual([
        "-Which way, Größe?",
        "+Which way, Größe? Typed there.",
      ]);
      // As somebody on that machine sees it.
      expect((await runDoc(harness, folder, ["diff", "plan.md"])).stdout).toBe(diff);
    },
  );

  it("gets what was kept for it there when a write was killed, once", { timeout: LONG }, async () => {
    writeFileSync(join(folder, "plan.md"), "broken <!-- agent:a -->\n");
    expect((await doc(["write", typed], "Lost?\n")).code).toBe(65);
    writeFileSync(join(folder, "plan.md"), DOCUMENT);
    await runDoc(harness, folder, ["write", "plan.md"], { input: "First.\n" });
    mkdirSync(join(folder, ".agent-doc", "patches"));
    // An editor that took one a moment ago does not take this one in time: it is kept.
    const seen = join(folder, ".agent-doc", "agtmux-seen.json");
    writeFileSync(seen, JSON.stringify({ takenAt: Date.now() }));
    const late = await runDoc(harness, folder, ["write", "plan.md"], { input: "Kept.\n" });
    expect([late.code, readdirSync(join(folder, ".agent-doc", "pending")).length]).toEqual([75, 1]);
    const refused = await doc(["write", typed], "Second.\n");
    expect([refused.code, refused.stderr]).toEqual([15, expect.stringContaining("--force-disk")]);
    const written = await doc(["write", typed, "--force-disk"], "Second.\n");
    expect(written).toMatchObject({ code: 0, stdout: expect.stringContaining("An earlier response") });
    const answers = read()
      .split("\n")
      .filter((line) => /^(?:First|Kept|Second|Lost)/.test(line));
    expect(answers.toSorted()).toEqual(["First.", "Kept.", "Second."]);
    expect(readdirSync(join(folder, ".agent-doc", "pending"))).toEqual([]);
  });

  it("keeps both answers of two writers at once", { timeout: LONG }, async () => {
    const writers = ["One.\n", "Two.\n", "Three.\n"].map((text) => doc(["write", typed], text));
    const ended = (await Promise.all(writers)).map(({ code, stderr }) => [code, stderr]);
    expect(ended).toEqual([0, 0, 0].map((code) => [code, expect.any(String)]));
    const answers = read()
      .split("\n")
      .filter((line) => /^(?:One|Two|Three)\.$/.test(line));
    expect(answers.toSorted()).toEqual(["One.", "Three.", "Two."]);
  });

  it("is refused with a reason, and nothing changes there or here", { timeout: LONG * 2 }, async () => {
    mkdirSync(join(folder, "sub"));
    symlinkSync("/etc/passwd", join(folder, ".agent-doc", "components.toml"));
    writeFileSync(join(folder, "huge.md"), "x".repeat(1024 * 1024 + 1));
    writeFileSync(join(folder, "head.md"), "---\na: [\n---\n");
    writeFileSync(join(folder, "mode.md"), "---\nagent_doc_format: funny\n---\n");
    writeFileSync(join(folder, "nested.md"), "<!-- agent:a -->\n<!-- agent:b -->\n<!-- /agent:b -->\n");
    const cases: readonly (readonly [string, number, string])[] = [
      [`vm1:${folder}/gone.md`, 2, "no such file"],
      [`vm1:${folder}`, 2, "not a file"],
      [`vm1:${folder}/sub/../../gone.md`, 2, "no such file"],
      [`vm1:${folder}/huge.md`, 65, "larger than 1 MB"],
      [`vm1:${folder}/head.md`, 65, "not valid YAML"],
      [`vm1:${folder}/mode.md`, 65, "is unknown"],
      [`vm1:${folder}/nested.md`, 65, "line 2"],
      [`vm1:${folder}/.agent-doc/components.toml`, 2, ".git and .agent-doc"],
      [`vm1:${folder}/a\nb.md`, 2, "can't be passed on"],
      [`vm1:${folder}/a\u001b[2Jb.md`, 2, "can't be passed on"],
      [`other:${folder}/plan.md`, 18, "other"],
      [`./vm1:${folder}/plan.md`, 2, "there is no file"],
      ["vm1:plan.md", 2, "there is no file"],
    ];
    for (const [file, code, reason] of cases) {
      const refused = await doc(["write", file], "An answer.\n");
      expect([file, refused.code, refused.stderr]).toEqual([file, code, expect.stringContaining(reason)]);
      expect(refused.stderr).not.toContain("\u001b");
    }
    for (const args of [
      ["init"],
      ["reset"],
      ["commit"],
      ["clean"],
      ["history"],
      ["run"],
      ["start"],
      ["layout"],
      ["recover"],
      ["patch", "status", "x"],
    ]) {
      const [verb = "", ...rest] = args;
      const refused = await doc([verb, typed, ...rest]);
      expect([verb, refused.code, refused.stderr]).toEqual([
        verb,
        15,
        expect.stringContaining("another machine"),
      ]);
    }
    for (const args of [
      ["layout", typed, typed],
      ["sync", "--col", typed],
    ]) {
      const refused = await doc(args);
      expect([args, refused.code, refused.stderr]).toEqual([
        args,
        3,
        expect.stringContaining("another machine"),
      ]);
    }
    expect([read(), readdirSync(here)]).toEqual([DOCUMENT, []]);
    expect(readdirSync(join(folder, ".agent-doc"))).toEqual(["components.toml"]);
  });

  it("named as one of this machine is this machine's", async () => {
    writeFileSync(join(here, "mine.md"), "# Mine\n");
    expect((await doc(["outline", `host:${here}/mine.md`])).stdout).toContain("Mine");
  });
});

describe("its pane", () => {
  it("is claimed, told and gone to, as long as it is the same", { timeout: LONG }, async () => {
    const agent = await openAgent(harness, {}, "far-routed", folder);
    expect((await doc(["route", typed])).stderr).toContain("no pane is claimed for it");
    expect((await doc(["claim", typed])).stderr).toContain("--pane");
    expect((await doc(["claim", typed, "--pane", "%999"])).code).toBe(3);
    expect(existsSync(join(folder, ".agent-doc", "sessions.json"))).toBe(false);

    const claimed = await doc(["claim", typed, "--pane", agent.paneId]);
    expect(claimed).toMatchObject({ code: 0, stdout: `Claimed ${typed} (pane vm1/${agent.paneId}).\n` });
    const [[id, entry] = ["", {}]] = Object.entries(registry());
    expect(entry).toMatchObject({ pane: agent.paneId, cwd: folder, file: "plan.md" });
    expect(read()).toContain(`agent_doc_session: `);
    expect(read(".agent-doc/claims.log")).toBe(`Claimed plan.md for pane ${agent.paneId}\n`);
    // The same claim as one that was made there.
    expect((await runDoc(harness, folder, ["focus", "plan.md"])).code).toBe(0);
    await harness.tmux.run("select-window", "-t", "base:0");

    const routed = await doc(["route", typed]);
    expect([routed.code, routed.stdout]).toEqual([0, expect.stringContaining("Delivered")]);
    expect(agent.received()).toEqual(["/agent-doc plan.md"]);
    const active = () => harness.tmux.run("display-message", "-p", "-t", "base:", "#{pane_id}");
    expect(await active()).toBe(agent.paneId);
    await harness.tmux.run("select-window", "-t", "base:0");
    expect((await doc(["focus", typed])).code).toBe(0);
    expect(await active()).toBe(agent.paneId);

    // The id of the pane that was claimed, with another life: a restarted server gives ids again.
    const other = await openAgent(harness, {}, "far-other", folder);
    const text = JSON.stringify({ [id]: { ...entry, pane: other.paneId } });
    writeFileSync(join(folder, ".agent-doc", "sessions.json"), text);
    const refused = await doc(["route", typed]);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining("a different one now")]);
    // An editor that looks every few seconds is told that nothing is asked.
    const { stdout } = await doc(["prompt", typed]);
    expect(JSON.parse(stdout)).toEqual({
      session_id: id,
      file: "plan.md",
      active: false,
      question: "",
      options: [],
    });
    expect((await doc(["prompt", typed, "--answer", "1"])).code).toBe(3);
    rmSync(join(folder, ".agent-doc", "agtmux.json"));
    expect((await doc(["focus", typed])).stderr).toContain("another program claimed it");
    writeFileSync(join(folder, ".agent-doc", "sessions.json"), "{ broken");
    const before = read();
    for (const args of [["route"], ["focus"], ["prompt"], ["claim"]]) {
      const broken = await doc([...args, typed, ...(args[0] === "claim" ? ["--pane", other.paneId] : [])]);
      expect([args, broken.code, broken.stderr]).toEqual([
        args,
        65,
        expect.stringContaining("sessions.json cannot be read"),
      ]);
    }
    expect([read(), read(".agent-doc/sessions.json"), other.received()]).toEqual([before, "{ broken", []]);
  });

  it("is typed into only if an agent rests there", { timeout: LONG }, async () => {
    const shell = await harness.open("exec cat");
    await doc(["claim", typed, "--pane", shell.identity.pane_id]);
    const refused = await doc(["route", typed]);
    expect([refused.code, refused.stderr]).toEqual([15, expect.stringContaining("no agent runs in pane")]);
    expect((await harness.screen(shell.identity.pane_id)).trim()).toBe("");
  });

  it("shows what is asked, and that prompt is answered or none", { timeout: LONG }, async () => {
    const asking = await openDialogs(harness, "claude", [ASKING], { name: "far-asks" });
    await doc(["claim", typed, "--pane", asking.paneId]);
    expect((await doc(["route", typed])).code).toBe(17);
    const unseen = await doc(["prompt", typed, "--answer", "1"]);
    expect([unseen.code, asking.chosen()]).toEqual([5, []]);
    const shown: unknown = JSON.parse((await doc(["prompt", typed])).stdout);
    expect(shown).toMatchObject({ file: "plan.md", active: true, question: expect.any(String) });
    const answered = await doc(["prompt", typed, "--answer", "4"]);
    expect([answered.code, answered.stderr]).toEqual([0, ""]);
    expect(asking.chosen().map(([, choice]) => choice)).toEqual(["No"]);
  });
});

it("a machine that is down is named, and nothing waits for it", { timeout: LONG * 2 }, async () => {
  await harness.server.stop();
  await harness.untilHealth("down");
  for (const args of [["outline"], ["diff"], ["route"], ["focus"], ["prompt"], ["claim", "--pane", "%1"]]) {
    const [verb = "", ...rest] = args;
    const refused = await doc([verb, typed, ...rest]);
    expect([verb, refused.code, refused.stderr]).toEqual([verb, 7, expect.stringContaining("vm1")]);
  }
  const refused = await doc(["write", typed], "An answer.\n");
  expect([refused.code, read()]).toEqual([7, DOCUMENT]);
  await harness.server.start();
});
