// What lists show of what there is: order, columns, fields for scripts, what is missing, and the one-line status. Child
// processes against a fake daemon behind a real socket.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { makeFakeHome, type FakeHome } from "./testing/fakeHome.ts";
import { makePane, makeTarget } from "../test/factories/view.ts";
import { AnsweringDaemon } from "../test/fakes/answeringDaemon.ts";

const request = {
  kind: "command" as const,
  title: "Run a command",
  body: "ls\nrm -rf /\t\u001b[31m\\",
  is_whole: true,
  tool_name: "Bash",
  options: [],
  expires_at: null,
};

let home: FakeHome;
let daemon: AnsweringDaemon;
beforeEach(async () => {
  home = makeFakeHome();
  daemon = new AnsweringDaemon([
    makePane({ windowName: "editor", state: "running", since: Date.parse("2026-11-21T08:00:00.000Z") }),
    makePane({
      pane: 2,
      target: "vm1",
      session: "api",
      window: 2,
      windowName: "zeta",
      agent: "codex",
      state: "waiting_approval",
      version: 7,
      request,
      fingerprint: "fp1",
      since: Date.parse("2026-11-21T08:30:00.000Z"),
    }),
    makePane({
      pane: 3,
      session: "api",
      window: 3,
      windowName: "alpha",
      state: "idle",
      version: 1,
      since: Date.parse("2026-11-21T08:59:00.000Z"),
    }),
  ]);
  daemon.setTargets([makeTarget(), makeTarget({ target: "vm1", kind: "ssh" })]);
  await home.serve(daemon);
});
afterEach(() => home.close());

const refs = async (...args: string[]): Promise<string[]> => {
  const { stdout, stderr } = await home.run(["list", "panes", ...args, "--json"]);
  expect(stderr).toBe("");
  const { items } = JSON.parse(stdout) as { items: { identity: { pane_id: string } }[] };
  return items.map(({ identity }) => identity.pane_id);
};

describe("--sort", () => {
  test("puts panes into the named order, also in JSON", async () => {
    const orders = await Promise.all(
      ["needs", "age", "-age", "agent,name", "session,-target", "name"].map((keys) => refs("--sort", keys)),
    );
    expect(orders).toEqual([
      ["%2", "%1", "%3"],
      ["%3", "%2", "%1"],
      ["%1", "%2", "%3"],
      ["%3", "%1", "%2"],
      ["%2", "%3", "%1"],
      ["%3", "%1", "%2"],
    ]);
  });

  test("of a table replaces its own order, which begins with what needs a person", async () => {
    const tasks = async (...args: string[]): Promise<(string | undefined)[]> => {
      const { stdout } = await home.run(["list", ...args]);
      const [titles, ...rows] = stdout.split("\n");
      expect(titles).toMatch(/^STATE +TASK +AGENT +WHERE +NOW +PLACE +AGE +REF$/);
      return rows.slice(0, 3).map((row) => row.split(" ").at(-1));
    };
    expect(await tasks()).toEqual(["vm1/%2", "host/%1", "host/%3"]);
    expect(await tasks("panes", "--sort", "-needs")).toEqual(["host/%3", "host/%1", "vm1/%2"]);
  });

  test("knows windows and sessions", async () => {
    const sorted = await Promise.all([
      home.run(["list", "windows", "--sort", "needs", "--plain", "--columns", "window,waiting"]),
      home.run(["list", "sessions", "--sort=-name", "--plain", "--columns", "session,target,running"]),
    ]);
    expect(sorted.map(({ stdout }) => stdout)).toEqual([
      "zeta\t1\neditor\t0\nalpha\t0\n",
      "work\thost\t1\napi\tvm1\t0\napi\thost\t0\n",
    ]);
  });
});

test("a table in a pipe has 120 columns at most, and chosen columns are whole", async () => {
  const prompt = "Migrate every customer of the old billing plan without charging anybody twice. ".repeat(3);
  daemon.put(
    makePane({
      state: "running",
      reason: "tool",
      activity: { prompt, folder: `/srv/${"deep/".repeat(30)}` },
    }),
  );
  const [table, chosen, sorted] = await Promise.all([
    home.run(["list"]),
    home.run(["list", "panes", "--columns", "prompt,ref"]),
    home.run(["list", "windows", "--sort", "needs"]),
  ]);
  const widest = (text: string) => Math.max(...text.split("\n").map((line) => line.length));
  expect(widest(table.stdout)).toBeGreaterThan(80);
  expect([widest(table.stdout), widest(sorted.stdout)].filter((width) => width > 120)).toEqual([]);
  expect(table.stdout).toContain("host/%1");
  expect(chosen.stdout).toContain(prompt.trim());
});

describe("--columns", () => {
  test("tell what an agent is doing", async () => {
    const activity = {
      prompt: "fix it",
      session_title: "Fix the login",
      repository: "shop",
      tool: { name: "Bash", subject: "npm test" },
      said: null,
      folder: "/p",
      branch: "main",
      worktree: null,
      work_tree: null,
      turn_began_at: null,
    };
    await home.close();
    home = makeFakeHome();
    await home.serve(new AnsweringDaemon([makePane({ state: "running", activity })]));
    const columns = "prompt,session_title,running_tool,said,folder,repository,branch,worktree,turn_age";
    const { stdout } = await home.run(["list", "panes", "--plain", "--columns", columns]);
    expect(stdout).toBe("fix it\tFix the login\tBash npm test\t-\t/p\tshop\tmain\t-\t-\n");
  });

  test("shows just these, in this order", async () => {
    const { stdout } = await home.run(["list", "panes", "--columns", "ref,state", "--agent", "codex"]);
    expect(stdout.split("\n").slice(0, 2)).toEqual(["REF     STATE", "vm1/%2  ! needs approval"]);
  });

  test("with --plain prints fields that nothing hostile can break, and '-' for none", async () => {
    const columns = "ref,prompt_fingerprint,kind,body,state_version";
    const { code, stdout } = await home.run([
      "list",
      "panes",
      "--sort",
      "needs",
      "--plain",
      "--columns",
      columns,
    ]);
    expect(code).toBe(0);
    expect(stdout.split("\n")).toEqual([
      String.raw`pane:vm1/api/@2/%2	fp1	command	ls\nrm -rf /\t\u001b[31m\\	7`,
      "pane:host/work/@1/%1\t-\t-\t-\t1",
      "pane:host/api/@3/%3\t-\t-\t-\t1",
      "",
    ]);
  });

  test("prints nothing at all for scripts where there is nothing", async () => {
    const { code, stdout } = await home.run(["list", "panes", "--agent", "gemini", "--plain"]);
    expect([code, stdout]).toEqual([0, ""]);
  });
});

test.each([
  {
    args: ["list", "panes", "--sort", "size"],
    says: "Keys are needs, state, age, agent, target, session, name;",
  },
  {
    args: ["list", "windows", "--sort", "age"],
    says: "Keys are needs, state, agents, target, session, name;",
  },
  { args: ["list", "panes", "--columns", "ref,colour"], says: "--columns: unknown value 'colour' here" },
  { args: ["list", "sessions", "--columns", "ref"], says: "Columns are state, session, target, windows," },
  { args: ["list", "panes", "--columns", "__proto__"], says: "unknown value '__proto__'" },
  { args: ["list", "panes", "--columns", "ref", "--json"], says: "--columns and --json exclude each other" },
  { args: ["list", "panes", "--plain", "--json"], says: "--plain and --json exclude each other" },
  { args: ["list", "panes", "--state", "idle,busy"], says: "--state: unknown state 'busy'" },
  {
    args: ["watch", "--format", "jsonl", "--interval", "2s"],
    says: "--interval is for tables, and --format is jsonl",
  },
  { args: ["status", "--format", "xml"], says: "--format: unknown value 'xml'" },
])("bad input is refused with what there is: $args", async ({ args, says }) => {
  const { code, stdout, stderr } = await home.run(args);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(says);
});

test("filters combine, repeated and with commas, and the document repeats them", async () => {
  expect(await refs("--state", "idle,running", "--state", "error", "--agent", "claude")).toEqual([
    "%1",
    "%3",
  ]);
  const args = ["--target", "host,vm1", "--target-session", "vm1/api", "--needs-action", "--json"];
  const { stdout } = await home.run(["list", "panes", ...args]);
  expect(JSON.parse(stdout)).toMatchObject({ items: [{ identity: { pane_id: "%2" } }] });
});

describe("what is missing", () => {
  beforeEach(() => {
    daemon.setTargets([
      makeTarget(),
      makeTarget({ target: "vm1", kind: "ssh", health: "down", health_reason: "no route" }),
    ]);
  });

  test("is said on the foot of every list, and the rest is shown", async () => {
    for (const scope of ["panes", "windows", "sessions"]) {
      const { code, stdout } = await home.run(["list", scope]);
      expect([code, stdout.trimEnd().split("\n").at(-1)]).toEqual([
        0,
        "Missing: machine vm1 is down: no route",
      ]);
      expect(stdout).toContain(scope === "panes" ? "host/%1" : "host/work");
    }
  });

  test("is said by a watch as a table and as lines", async () => {
    const once = await home.run(["watch", "--once"]);
    expect(once.stdout).toContain("Missing: machine vm1 is down: no route");
    const watching = home.start(["watch", "--format", "jsonl", "--scope", "sessions"]);
    await vi.waitFor(() => expect(watching.stdout().split("\n")).toHaveLength(5), { timeout: 10_000 });
    const kinds = watching
      .stdout()
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { kind: string }).kind);
    expect(kinds).toEqual(["target", "session", "session", "session"]);
  });

  test("is in the status, as short as a bar needs it", async () => {
    const [text, tmux] = await Promise.all([home.run(["status"]), home.run(["status", "--format", "tmux"])]);
    expect(text.stdout).toBe("1 needs you · ! 1 needs approval · ▸ 1 running · · 1 idle (vm1 down)\n");
    expect(tmux.stdout).toBe(
      "#[fg=yellow]!1#[default] #[fg=cyan]▸1#[default] #[dim]·1#[default] #[fg=yellow](vm1 down)#[default]\n",
    );
  });
});

describe("status", () => {
  test("as JSON is the global roll-up", async () => {
    const { stdout } = await home.run(["status", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      schema_version: "1.0",
      filters: {},
      problems: [],
      summary: {
        total: 3,
        needs_action: 1,
        by_state: { waiting_approval: 1, running: 1, idle: 1, error: 0 },
        by_agent: { claude: 2, codex: 1 },
        by_target: { host: 2, vm1: 1 },
      },
    });
  });

  test("in tmux's form gives a hostile name no way to be a format", async () => {
    daemon.setTargets([makeTarget({ target: "#(touch x)#[fg=red]\u001b[1m", health: "down" })]);
    const { stdout } = await home.run(["status", "--format", "tmux"]);
    expect(stdout).toContain("(##(touch x)##[fg=red] down)");
    expect(stdout).not.toContain("\u001b");
  });

  test("starts no daemon when told not to", async () => {
    const other = makeFakeHome();
    const { code, stdout, stderr } = await other.run(["status", "--no-start"], { AGTMUX_NO_START: "" });
    expect([code, stdout]).toEqual([8, ""]);
    expect(stderr).toContain("[E_DAEMON_UNAVAILABLE]");
    await other.close();
  });
});

test("watch --since marks what changed since, in a table of now", async () => {
  const [byTime, byVersion] = await Promise.all([
    home.run(["watch", "--once", "--since", "2026-11-21T08:30:00Z"]),
    home.run(["watch", "--once", "--since", "1", "--columns", "age,ref"]),
  ]);
  const marked = byTime.stdout.split("\n").filter((line) => line.includes("● ") && line.includes("/%"));
  expect(marked.map((line) => line.match(/%\d/)?.[0])).toEqual(["%2", "%3"]);
  expect(byTime.stdout).toContain("● 2 changed since 2026-11-21T08:30:00.000Z");
  expect(byVersion.stdout).toMatch(/● \S+ {2}vm1\/%2/);
  expect(byVersion.stdout).toContain("● 1 changed since version 1");
});
