// list, status, watch and wait on a real daemon and a real tmux with a played agent: what they show, what they refuse, and
// how they end.
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { paneListSchema, sessionListSchema, windowListSchema } from "../../core/model/view.ts";
import { waitResultSchema } from "../../core/model/documents.ts";
import { openHarness, type Harness } from "../actions/actionHarness.ts";
import { openCommandLine, serveDaemon, type CommandLine } from "../harness/commandLine.ts";
import { createPlayer, type Player } from "../player/player.ts";
import { until } from "../setup/realClock.ts";

const RECORDINGS = fileURLToPath(new URL("../fixtures/recordings/claude", import.meta.url));
const LIMIT_MS = 20_000;

let harness: Harness;
let player: Player;
let cli: CommandLine;
let stopServing: () => Promise<void>;
beforeAll(async () => {
  harness = await openHarness();
  stopServing = await serveDaemon(harness.daemon);
  cli = openCommandLine(harness.daemon.paths.home);
  player = await createPlayer({
    tmux: { socketArgs: harness.tmux.socketArgs, session: "agents" },
    home: harness.daemon.home,
    recordingsDir: RECORDINGS,
  });
});
afterAll(async () => {
  await cli.close();
  await stopServing();
  await player.close();
  await harness.close();
});

/** Draws a recorded frame and resolves with the row once the daemon says the same. */
const show = async (frame: string, state: string) => {
  await player.frame(frame);
  return harness.daemon.untilState(player.paneId, state, LIMIT_MS);
};

describe("lists", () => {
  it("of every scope are valid documents and tables", async () => {
    const row = await show("waiting_approval", "waiting_approval");
    const json = async (...args: string[]): Promise<unknown> => {
      const { code, stdout } = await cli.run([...args, "--json"]);
      expect(code).toBe(0);
      return JSON.parse(stdout);
    };
    const panes = paneListSchema.parse(
      await json("list", "panes", "--needs-action", "--state", "error,waiting_approval"),
    );
    expect(panes).toMatchObject({
      filters: { needs_action: true, state: ["error", "waiting_approval"] },
      summary: { total: 1, needs_action: 1, by_agent: { claude: 1 }, by_target: { host: 1 } },
      problems: [],
      items: [{ identity: { pane_ref: row.identity.pane_ref }, state: "waiting_approval" }],
    });
    const windows = windowListSchema.parse(await json("list", "windows", "--needs-action"));
    expect(windows.items).toMatchObject([
      {
        identity: { session_name: "agents" },
        top_state: "waiting_approval",
        waiting_count: 1,
        running_count: 0,
      },
    ]);
    const sessions = sessionListSchema.parse(await json("list", "sessions", "--group-by", "session-name"));
    expect(sessions.items).toMatchObject([
      { identity: { target: null, session_name: "agents" }, targets: [{ target: "host", agent_count: 1 }] },
    ]);
    const { stdout } = await cli.run(["list", "panes", "--sort", "needs,-age", "--columns", "state,ref"]);
    expect(stdout).toContain(`! needs approval  ${row.identity.pane_id}`);
  });

  it("give a script the fields that an answer needs", async () => {
    const row = await show("waiting_approval", "waiting_approval");
    const columns = "ref,prompt_fingerprint,kind,body";
    const { code, stdout } = await cli.run([
      "list",
      "panes",
      "--needs-action",
      "--plain",
      "--columns",
      columns,
    ]);
    expect(code).toBe(0);
    expect(stdout).toBe(`${row.identity.pane_ref}\t${row.prompt_fingerprint}\tcommand\ttouch approved.txt\n`);
  });

  it("refuse a target that is not watched, and name those that are", async () => {
    for (const args of [
      ["list", "panes"],
      ["watch", "--format", "jsonl"],
      ["wait", "--needs-action"],
    ]) {
      const { code, stdout, stderr } = await cli.run([...args, "--target", "host,vm9"]);
      expect([code, stdout, stderr]).toEqual([
        18,
        "",
        "agtmux: no machine is called 'vm9' [E_TARGET_UNKNOWN]. Known machines: host.\n",
      ]);
    }
  });

  it("take up nothing that tmux would read as a format in the status", async () => {
    await show("waiting_approval", "waiting_approval");
    const { code, stdout } = await cli.run(["status", "--format", "tmux"]);
    expect([code, stdout]).toEqual([0, "#[fg=yellow]!1#[default]\n"]);
    const [plain, json] = await Promise.all([
      cli.run(["status", "--format", "plain"]),
      cli.run(["status", "--json"]),
    ]);
    expect(plain.stdout).toBe("1 needs you · ! 1 needs approval\n");
    expect(JSON.parse(json.stdout)).toMatchObject({ summary: { needs_action: 1, by_agent: { claude: 1 } } });
  });
});

describe("wait", () => {
  it("ends with the row once the agent is there", async () => {
    await show("running", "running");
    const waiting = cli.start(["wait", "--needs-action", "--session", "agents", "--json"]);
    await until(() => harness.daemon.daemon.clientCount === 2, "it follows the feed", LIMIT_MS);
    await player.frame("waiting_approval");
    const { code, stdout } = await waiting.finished;
    expect(code).toBe(0);
    const result = waitResultSchema.parse(JSON.parse(stdout));
    expect(result).toMatchObject({
      filters: { session: ["agents"] },
      condition: "needs-action",
      items: [{ state: "waiting_approval", request: { body: "touch approved.txt" } }],
    });
    const after = String(result.items[0]?.state_version);
    const again = await cli.run(["wait", "--needs-action", "--after", after, "--timeout", "300ms"]);
    expect([again.code, again.stderr.includes("[E_TIMEOUT]")]).toEqual([124, true]);
  });

  it("goes on when the session is renamed, and tells an end apart", async () => {
    const row = await show("running", "running");
    const { pane_ref, runtime_id } = row.identity;
    const [idle, gone] = [
      cli.start(["wait", pane_ref, "--until", "completed"]),
      cli.start(["wait", `runtime:${runtime_id}`, "--until", "gone", "--plain", "--columns", "runtime_id"]),
    ];
    await until(() => harness.daemon.daemon.clientCount === 3, "both follow the feed", LIMIT_MS);
    await harness.tmux.run("rename-session", "-t", "agents", "renamed");
    await harness.daemon.until(
      player.paneId,
      ({ identity }) => identity.session_name === "renamed",
      LIMIT_MS,
    );
    await player.exit();
    const ended = await idle.finished;
    expect([ended.code, ended.stderr.includes("the agent ended before it got to completed")]).toEqual([
      19,
      true,
    ]);
    expect(await gone.finished).toMatchObject({ code: 0, stdout: `${runtime_id}\n` });
    const never = await cli.run(["wait", `runtime:${runtime_id}`, "--until", "idle"]);
    expect([never.code, never.stderr.includes("[E_REF_NOT_FOUND]")]).toEqual([3, true]);
  });
});
