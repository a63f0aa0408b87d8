// Documents and their panes, by the real command line on real tmux: only the agent that a document was claimed for is told to
// answer, never a shell, an open prompt, or a pane that got the id of one that is gone.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { PaneDocument } from "../../core/model/view.ts";
import { createRouterCaller } from "../../core/rpc/messageBridge.ts";
import { claimsPath } from "../../features/documents/files/registry.ts";
import { serveDaemon, type Finished } from "../harness/commandLine.ts";
import { createPrivateTmux } from "../harness/privateTmux.ts";
import { until } from "../setup/realClock.ts";
import { openHarness, type Harness } from "./actionHarness.ts";
import { openAgent } from "./agentPane.ts";
import { dialogOf, openDialogs } from "./dialogPane.ts";
import { runDoc } from "./documentCommand.ts";

const ASKING = dialogOf("recordings/claude/waiting_approval", {
  options: ["Yes", "Yes, and always", "Yes, and switch to auto mode", "No"],
  digits: "too",
  escapes: "No",
});

let harness: Harness;
let stop: () => Promise<void>;
let folder: string;
beforeAll(async () => {
  harness = await openHarness();
  stop = await serveDaemon(harness.daemon);
}, 60_000);
afterAll(async () => {
  await stop();
  await harness.close();
});
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "agtmux-panes-")));
  mkdirSync(join(folder, ".agent-doc"));
  writeFileSync(join(folder, "plan.md"), "# Plan\n");
});

const doc = (args: readonly string[], pane?: string): Promise<Finished> =>
  runDoc(harness, folder, args, pane === undefined ? {} : { pane });
const read = (name: string): string => readFileSync(join(folder, name), "utf8");
const registry = (): Record<string, Record<string, unknown>> => JSON.parse(read(".agent-doc/sessions.json"));

describe("a claim", () => {
  it("writes the registry and the log, gives the document an id and components, and the last one counts", async () => {
    const [one, two] = [await harness.open("exec cat"), await harness.open("exec cat")];
    const claimed = await doc(["claim", "plan.md"], one.identity.pane_id);
    expect(claimed).toMatchObject({ code: 0, stdout: `Claimed plan.md (pane ${one.identity.pane_id}).\n` });
    const [id = ""] = Object.keys(registry());
    expect(registry()).toEqual({
      [id]: {
        pane: one.identity.pane_id,
        pid: expect.any(Number),
        cwd: folder,
        started: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        file: "plan.md",
        window: expect.stringMatching(/^@\d+$/),
      },
    });
    expect(read("plan.md")).toBe(
      `---\nagent_doc_session: ${/^[0-9]/.test(id) ? JSON.stringify(id) : id}\n---\n# Plan\n\n<!-- agent:status mode=replace -->\n<!-- /agent:status -->\n\n<!-- agent:exchange mode=append -->\n<!-- /agent:exchange -->\n`,
    );
    const whole = read("plan.md");
    await doc(["claim", "plan.md", "--pane", two.identity.pane_id], one.identity.pane_id);
    expect([Object.keys(registry()), registry()[id]?.["pane"]]).toEqual([[id], two.identity.pane_id]);
    expect(read("plan.md")).toBe(whole);
    expect(read(".agent-doc/claims.log")).toBe(
      `Claimed plan.md for pane ${one.identity.pane_id}\nClaimed plan.md for pane ${two.identity.pane_id}\n`,
    );
  });

  it("is told for a moment on the screen of whoever looks at the pane", async () => {
    const person = createPrivateTmux();
    try {
      const attach = `env -u TMUX tmux -S '${harness.tmux.socketPath}' attach-session -t base`;
      await person.run("new-session", "-d", "-x", "120", "-y", "40", "-s", "terminal", attach);
      await until(
        async () => (await harness.tmux.run("list-clients")) !== "",
        "somebody is attached",
        10_000,
      );
      const { pane_id: pane } = (await harness.open("exec cat")).identity;
      await harness.tmux.run("select-window", "-t", pane);
      const screen = () => person.run("capture-pane", "-p", "-t", "terminal:");
      const claiming = doc(["claim", "plan.md"], pane);
      await until(
        async () => (await screen()).includes(`Claimed plan.md (pane ${pane})`),
        "it is told",
        10_000,
      );
      await claiming;
      await until(async () => !(await screen()).includes("Claimed plan.md"), "it goes again", 10_000);
    } finally {
      await person.close();
    }
  });

  it("of before a restart of tmux means no pane, until the document is claimed again", async () => {
    const { identity } = await harness.open("exec cat");
    await doc(["claim", "plan.md"], identity.pane_id);
    const path = claimsPath(harness.daemon.paths.home, folder);
    const [[id, known] = ["", undefined]] = Object.entries(
      JSON.parse(readFileSync(path, "utf8")) as Record<string, { life: { serverStart: number } }>,
    );
    const life = { ...known?.life, serverStart: (known?.life.serverStart ?? 0) - 3_600 };
    writeFileSync(path, JSON.stringify({ [id]: { ...known, life } }));
    const stale = await doc(["focus", "plan.md"]);
    expect([stale.code, stale.stderr]).toEqual([3, expect.stringContaining("was started again")]);
    expect((await doc(["claim", "plan.md"], identity.pane_id)).code).toBe(0);
    expect((await doc(["focus", "plan.md"])).code).toBe(0);
    expect(Object.keys(registry())).toEqual([id]);
  });

  it("is refused for a pane of a tmux server that is not watched, with what to do; the document stays", async () => {
    const other = createPrivateTmux();
    try {
      await other.run("new-session", "-d", "-s", "other", "exec cat");
      const env = { TMUX: `${other.socketPath},1,0` };
      const refused = await runDoc(harness, folder, ["claim", "plan.md"], { pane: "%0", env });
      expect([refused.code, refused.stderr]).toEqual([15, expect.stringContaining("tmux_servers")]);
      expect([read("plan.md"), existsSync(join(folder, ".agent-doc", "sessions.json"))]).toEqual([
        "# Plan\n",
        false,
      ]);
    } finally {
      await other.close();
    }
  });

  it("of another document whose pane is gone leaves the registry when one is routed", async () => {
    const [one, two] = [await harness.open("exec cat"), await harness.open("exec cat")];
    writeFileSync(join(folder, "gone.md"), "# Gone\n");
    await doc(["claim", "gone.md"], one.identity.pane_id);
    await doc(["claim", "plan.md"], two.identity.pane_id);
    await harness.tmux.run("kill-pane", "-t", one.identity.pane_id);
    await doc(["route", "plan.md"]);
    expect(Object.values(registry()).map(({ file }) => file)).toEqual(["plan.md"]);
  });

  it("is refused for a pane that is not there, and where the registry does not parse: all files stay", async () => {
    expect((await doc(["claim", "plan.md", "--pane", "%999"])).code).toBe(3);
    const { identity } = await harness.open("exec cat");
    writeFileSync(join(folder, ".agent-doc", "sessions.json"), "{ broken");
    for (const args of [["claim", "plan.md"], ["resync"], ["prompt", "--all"]]) {
      const refused = await doc(args, identity.pane_id);
      expect([refused.code, refused.stderr]).toEqual([
        65,
        expect.stringContaining("sessions.json cannot be read"),
      ]);
    }
    expect([read(".agent-doc/sessions.json"), read("plan.md")]).toEqual(["{ broken", "# Plan\n"]);
  });
});

describe("route", () => {
  it("tells the agent of the document's pane, of several documents as well, and goes there", async () => {
    const agent = await openAgent(harness, {}, "routed");
    writeFileSync(join(folder, "b.md"), "# B\n");
    for (const file of ["plan.md", "b.md"]) await doc(["claim", file], agent.paneId);
    const routed = await doc(["route", "plan.md"]);
    expect([routed.code, routed.stdout]).toEqual([0, expect.stringContaining("Delivered")]);
    await doc(["route", "b.md"]);
    expect(agent.received()).toEqual(["/agent-doc plan.md", "/agent-doc b.md"]);
    const active = await harness.tmux.run("display-message", "-p", "-t", "base:", "#{pane_id}");
    expect(active).toBe(agent.paneId);
    const other = await harness.open("exec cat");
    expect((await doc(["focus", "plan.md", "--pane", other.identity.pane_id])).code).toBe(0);
    expect(await harness.tmux.run("display-message", "-p", "-t", "base:", "#{pane_id}")).toBe(
      other.identity.pane_id,
    );
  });

  it("types nothing into a shell, an open prompt, or where nothing is claimed", async () => {
    expect((await doc(["focus", "plan.md"])).stderr).toContain("no pane is claimed for it");
    const shell = await harness.open("exec cat");
    await doc(["claim", "plan.md"], shell.identity.pane_id);
    const refused = await doc(["route", "plan.md"]);
    expect([refused.code, refused.stderr]).toEqual([15, expect.stringContaining("no agent runs in pane")]);
    expect((await harness.screen(shell.identity.pane_id)).trim()).toBe("");

    const asking = await openDialogs(harness, "claude", [ASKING], { name: "asks" });
    await doc(["claim", "plan.md"], asking.paneId);
    const open = await doc(["route", "plan.md"]);
    expect([open.code, open.stderr]).toEqual([17, expect.stringContaining("E_PROMPT_OPEN")]);
    expect(asking.chosen()).toEqual([]);
  });

  it("types no name that has keys in it, and claims nothing for it", async () => {
    const agent = await openAgent(harness, {}, "named");
    for (const name of ["a\u0003b.md", "a\n!rm x.md", "a\u202eb.md"]) {
      writeFileSync(join(folder, name), "# Named\n");
      const refused = await doc(["route", name, "--pane", agent.paneId]);
      expect([refused.code, refused.stderr]).toEqual([15, expect.stringContaining("can't be typed")]);
    }
    expect(agent.received()).toEqual([]);
    expect(existsSync(join(folder, ".agent-doc", "sessions.json"))).toBe(false);
    const joined = "\u0646\u06cc\u0645\u200c\u0641\u0627\u0635\u0644\u0647.md";
    writeFileSync(join(folder, joined), "# Named\n");
    expect((await doc(["route", joined, "--pane", agent.paneId])).code).toBe(0);
    expect(agent.received()).toEqual([`/agent-doc ${joined}`]);
  });

  it("never takes another program in the same pane for the one that was claimed; resync says so and forgets it", async () => {
    const first = await harness.open("exec cat");
    const { pane_id: paneId } = first.identity;
    // One that cannot be started: route has nobody but the pane that was claimed.
    writeFileSync(join(folder, "plan.md"), "---\nagent: nobody\n---\n# Plan\n");
    await doc(["claim", "plan.md"], paneId);
    const agent = await openAgent(harness, {}, "other");
    // The id of the pane that was claimed, with a life of its own: what a restarted server would give out.
    const entries = registry();
    const [id = ""] = Object.keys(entries);
    const text = JSON.stringify({ [id]: { ...entries[id], pane: agent.paneId } });
    writeFileSync(join(folder, ".agent-doc", "sessions.json"), text);
    const refused = await doc(["focus", "plan.md"]);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining("has another program now")]);
    expect((await doc(["route", "plan.md"])).stderr).toContain("there is no agent 'nobody'");
    expect(agent.received()).toEqual([]);
    expect((await doc(["resync"])).stdout).toBe(
      `plan.md: removed, pane ${agent.paneId} has another program now\n`,
    );
    expect(registry()).toEqual({});
    expect((await doc(["resync"])).stdout).toBe("No document is claimed.\n");
  });

  it("knows a pane that is gone", async () => {
    const { identity } = await harness.open("exec cat");
    await doc(["claim", "plan.md"], identity.pane_id);
    expect((await doc(["focus", "plan.md"])).code).toBe(0);
    await harness.tmux.run("kill-pane", "-t", identity.pane_id);
    const refused = await doc(["focus", "plan.md"]);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining("is gone")]);
  });
});

describe("the documents of a row", () => {
  const ofPane = async (ref: string): Promise<PaneDocument[]> =>
    (await createRouterCaller(harness.daemon.daemon.router).call({
      type: "mutation",
      path: "documents.ofPane",
      input: { ref },
      signal: new AbortController().signal,
    })) as PaneDocument[];

  it("are those that were claimed for this life of its pane, within its project", async () => {
    const agent = await openAgent(harness, {}, "rows", folder);
    const { pane_ref: ref } = agent.row.identity;
    await harness.daemon.until(agent.paneId, ({ activity }) => activity?.folder === folder);
    expect(await ofPane(ref)).toEqual([]);
    await doc(["claim", "plan.md"], agent.paneId);
    const [id = ""] = Object.keys(registry());
    const claimed = { id, file: "plan.md", path: join(folder, "plan.md"), trigger: "/agent-doc plan.md" };
    expect(await ofPane(ref)).toEqual([{ ...claimed, has_unsent: true, tail: "# Plan" }]);
    // A registry is a file of the project: it cannot make the daemon read what is not.
    const change = (more: object) => {
      const text = JSON.stringify({ [id]: { ...registry()[id], ...more } });
      writeFileSync(join(folder, ".agent-doc", "sessions.json"), text);
    };
    for (const file of ["../outside.md", "/etc/passwd", "gone.md"]) {
      writeFileSync(join(folder, "..", "outside.md"), "secret\n");
      change({ file });
      expect([file, await ofPane(ref)]).toEqual([file, []]);
    }
    rmSync(join(folder, "..", "outside.md"));
    change({ file: "plan.md" });
    const other = await openAgent(harness, {}, "rows-other", folder);
    change({ pane: other.paneId });
    expect([await ofPane(ref), await ofPane(other.row.identity.pane_ref)]).toEqual([[], []]);
    writeFileSync(join(folder, ".agent-doc", "sessions.json"), "{ broken");
    expect(await ofPane(ref)).toEqual([]);
  });
});

describe("a project's files in the daemon", () => {
  it("hold no thread and fill no memory: a pipe, a device without end, a link to a key", async () => {
    const agent = await openAgent(harness, {}, "hostile", folder);
    const { pane_ref: ref } = agent.row.identity;
    await harness.daemon.until(agent.paneId, ({ activity }) => activity?.folder === folder);
    const { router } = harness.daemon.daemon;
    const { signal } = new AbortController();
    const ask = (path: string, input: unknown) =>
      createRouterCaller(router).call({ type: "mutation", path, input, signal });
    await doc(["claim", "plan.md"], agent.paneId);
    const snapshot = join(folder, ".agent-doc", "snapshots");
    mkdirSync(snapshot);
    const name = createHash("sha256").update(join(folder, "plan.md")).digest("hex");
    const before = process.memoryUsage().rss;
    for (const path of [join(snapshot, `${name}.md`), join(folder, ".agent-doc", "sessions.json")])
      for (const make of [() => symlinkSync("/dev/zero", path), () => execFileSync("mkfifo", [path])]) {
        rmSync(path, { force: true });
        make();
        // More than the pool has threads.
        const asked = Promise.all(Array.from({ length: 8 }, () => ask("documents.ofPane", { ref })));
        expect(await Promise.race([asked, delay(10_000)])).toEqual(Array.from({ length: 8 }, () => []));
      }
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
  });
});

describe("prompt", () => {
  it("shows what is asked, and answers that prompt or nothing", async () => {
    const asking = await openDialogs(harness, "claude", [ASKING], { name: "shown" });
    await doc(["claim", "plan.md"], asking.paneId);
    const [id = ""] = Object.keys(registry());
    const unseen = await doc(["prompt", "plan.md", "--answer", "1"]);
    expect([unseen.code, unseen.stderr]).toEqual([5, expect.stringContaining("nothing was answered")]);
    const shown: unknown = JSON.parse((await doc(["prompt", "plan.md"])).stdout);
    expect(shown).toEqual({
      session_id: id,
      file: "plan.md",
      active: true,
      question: expect.any(String),
      options: expect.arrayContaining([{ index: 1, label: expect.stringContaining("Yes") }]),
      selected: 0,
    });
    expect(JSON.parse((await doc(["prompt", "--all"])).stdout)).toEqual([shown]);
    const answered = await doc(["prompt", "plan.md", "--answer", "4"]);
    expect([answered.code, answered.stderr]).toEqual([0, ""]);
    expect(asking.chosen().map(([, choice]) => choice)).toEqual(["No"]);
    await harness.daemon.until(
      asking.paneId,
      (row) => row.prompt_fingerprint !== asking.row.prompt_fingerprint,
    );
    const late = await doc(["prompt", "plan.md", "--answer", "1"]);
    expect([late.code, asking.chosen().length]).toEqual([5, 1]);
  });

  it("of an agent that asks nothing is not active", async () => {
    const agent = await openAgent(harness, {}, "quiet");
    await doc(["claim", "plan.md"], agent.paneId);
    const [id = ""] = Object.keys(registry());
    expect(JSON.parse((await doc(["prompt", "--all"])).stdout)).toEqual([
      { session_id: id, file: "plan.md", active: false, question: "", options: [] },
    ]);
    expect((await doc(["prompt"])).code).toBe(2);
    rmSync(folder, { recursive: true });
  });
});
