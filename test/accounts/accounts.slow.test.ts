// Accounts as strangers make them, and background sessions of another account, on real tmux.
import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createRouterCaller } from "../../core/rpc/messageBridge.ts";
import { actionGuardsSchema } from "../../core/model/action.ts";
import { agentFile } from "../harness/agentFile.ts";
import {
  claudeFolders,
  daemon,
  inWork,
  startClaude,
  tell,
  tmux,
  useAccounts,
  WAITS,
  work,
} from "./accountsHarness.ts";

useAccounts();

describe("a background session of another account", () => {
  it("is a row, and is opened with that account", async () => {
    const { paneId } = await startClaude(inWork());
    await daemon.until(paneId, ({ agent }) => agent === "claude");
    const worker = Number(
      await tmux.run("new-session", "-d", "-P", "-F", "#{pane_pid}", "-s", "worker", "exec sleep 1000"),
    );
    mkdirSync(join(work, "jobs", "1981d014"), { recursive: true });
    writeFileSync(
      join(work, "jobs", "1981d014", "state.json"),
      JSON.stringify({ state: "working", tempo: "active", intent: "do it" }),
    );
    tell(work, worker, { kind: "bg", jobId: "1981d014", status: "busy" });
    const row = await daemon.untilState("bg-1981d014", "running");
    const { argv } = await daemon.daemon.service.prepareAttach({
      ref: row.identity.pane_ref,
      guards: actionGuardsSchema.parse({}),
      surface: "test",
      insideTmux: null,
      mayFocus: false,
    });
    expect(argv.at(-1)).toBe(`env 'CLAUDE_CONFIG_DIR=${work}' claude attach 1981d014`);
  });
});

describe("an agent that is started", () => {
  const start = (input: object): Promise<unknown> =>
    createRouterCaller(daemon.daemon.router).call({
      type: "mutation",
      path: "workspaces.start",
      input: {
        agent: "claude",
        target: "host",
        folder: daemon.home,
        isDryRun: true,
        surface: "test",
        ...input,
      },
      signal: new AbortController().signal,
    });
  const SESSION = "be13efa4-5500-4a36-bcfb-d9b25ad7fa4a";

  it("uses the account that has its session, or the one that is named", async () => {
    await daemon.configure({ agents: { claude: { folders: [work] } } });
    mkdirSync(join(work, "projects", "-p"), { recursive: true });
    writeFileSync(join(work, "projects", "-p", `${SESSION}.jsonl`), "{}\n");
    const inAccount = `env 'CLAUDE_CONFIG_DIR=${work}' claude`;
    expect(await start({ resume: SESSION })).toMatchObject({ command: `${inAccount} --resume ${SESSION}` });
    expect(await start({ resume: SESSION.replace("b", "c") })).toMatchObject({
      command: `claude --resume ${SESSION.replace("b", "c")}`,
    });
    expect(await start({ account: "claude of work" })).toMatchObject({ command: inAccount });
    expect(await start({ account: work })).toMatchObject({ command: inAccount });
    expect(await start({ account: ".claude" })).toMatchObject({ command: "claude" });
    await expect(start({ account: "nobody" })).rejects.toThrow("no account 'nobody'");
  });
});

describe("a folder that is not believed", () => {
  const refuses = async (): Promise<void> => {
    const { paneId, pid } = await startClaude(inWork());
    tell(work, pid, WAITS);
    const row = await daemon.until(paneId, ({ confirmed_at }) => confirmed_at !== null);
    expect([row.state, await claudeFolders()]).toEqual(["unknown", [join(daemon.home, ".claude")]]);
  };

  it("everybody may write there", async () => {
    chmodSync(work, 0o777);
    await refuses();
  });

  it("a link in it leads out", async () => {
    symlinkSync(join(daemon.home, ".profile"), join(work, "settings.json"));
    await refuses();
    // Who names it in the configuration knows it.
    await daemon.configure({ agents: { claude: { folders: ["~/claude of work"] } } });
    expect(await claudeFolders()).toContain(work);
  });

  it("a link in it goes up", async () => {
    symlinkSync("../.ssh", join(work, "projects"));
    await refuses();
  });

  it("its name would break out of a command", async () => {
    const quoted = join(daemon.home, "it's");
    mkdirSync(quoted);
    const { paneId } = await startQuoted(quoted);
    await daemon.until(paneId, ({ agent }) => agent === "claude");
    expect(await claudeFolders()).toEqual([join(daemon.home, ".claude")]);
  });

  const startQuoted = async (folder: string) => {
    const script = join(daemon.home, "start");
    const program = agentFile(daemon.home);
    copyFileSync("/bin/sleep", program);
    writeFileSync(script, `CLAUDE_CONFIG_DIR="${folder}" exec '${program}' 1000\n`);
    return { paneId: await tmux.newSession("quoted", `exec sh '${script}'`) };
  };
});
