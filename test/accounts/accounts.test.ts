// Several accounts of one agent: what the environment of its process says, on real tmux.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { recordedLog } from "../../adapters/testkit/recordedLog.ts";
import { createClaudeAdapter } from "../../adapters/claude/index.ts";
import { createCodexAdapter } from "../../adapters/codex/index.ts";
import { createGeminiAdapter } from "../../adapters/gemini/index.ts";
import { createOpencodeAdapter } from "../../adapters/opencode/index.ts";
import { Accounts } from "../../core/collect/accounts.ts";
import { AccountMemory } from "../../core/config/accountMemory.ts";
import type { AgentAdapter } from "../../core/ports/agentAdapter.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { createRouterCaller } from "../../core/rpc/messageBridge.ts";
import { createLocalExecutor } from "../../core/targets/executors/localExecutor.ts";
import {
  claudeFolders,
  daemon,
  inWork,
  settingsOf,
  startClaude,
  tell,
  tmux,
  useAccounts,
  WAITS,
  work,
} from "./accountsHarness.ts";
import { realClock } from "../setup/realClock.ts";

useAccounts();

describe("two accounts side by side", () => {
  it("have their own states, and their rows name them as long as there are both", async () => {
    const usual = await startClaude();
    tell(join(daemon.home, ".claude"), usual.pid, { status: "busy" });
    expect(await daemon.untilState(usual.paneId, "running")).toMatchObject({
      agent_name: "Claude Code",
      account: null,
    });
    const other = await startClaude(inWork());
    tell(work, other.pid, WAITS);
    expect(await daemon.untilState(other.paneId, "waiting_approval")).toMatchObject({
      agent_name: "Claude Code (claude of work)",
      account: "claude of work",
    });
    expect(await daemon.until(usual.paneId, ({ account }) => account !== null)).toMatchObject({
      agent_name: "Claude Code (.claude)",
      state: "running",
    });
    await tmux.run("kill-pane", "-t", other.paneId);
    await daemon.until(usual.paneId, ({ account }) => account === null);
  });

  it("do not read each other's files", async () => {
    const other = await startClaude(inWork());
    tell(join(daemon.home, ".claude"), other.pid, WAITS);
    const row = await daemon.until(other.paneId, ({ confirmed_at }) => confirmed_at !== null);
    expect(row.state).toBe("unknown");
    tell(work, other.pid, { status: "busy" });
    await daemon.untilState(other.paneId, "running");
  });

  it("are set up and removed folder by folder, also while none runs and after a restart", async () => {
    expect(await claudeFolders()).toEqual([join(daemon.home, ".claude")]);
    const other = await startClaude(inWork());
    await daemon.until(other.paneId, ({ agent }) => agent === "claude");
    expect(await claudeFolders()).toEqual([join(daemon.home, ".claude"), work]);
    const { service } = daemon.daemon;
    const look = await service.setupLook({});
    expect(look.agents.filter(({ agent }) => agent === "claude")).toMatchObject([
      { name: "Claude Code (.claude)", running: 0, state: "absent" },
      { name: "Claude Code (claude of work)", running: 1, state: "absent" },
    ]);
    await service.integrationChange({ agent: "claude", action: "install", folder: work, dryRun: false });
    expect([settingsOf(work).includes("agtmux-event"), settingsOf(join(daemon.home, ".claude"))]).toEqual([
      true,
      "",
    ]);
    await service.integrationChange({ agent: "claude", action: "install", dryRun: false });
    expect(settingsOf(join(daemon.home, ".claude"))).toContain("agtmux-event");
    await tmux.run("kill-pane", "-t", other.paneId);
    await daemon.restart();
    expect(await claudeFolders()).toEqual([join(daemon.home, ".claude"), work]);
    await daemon.daemon.service.integrationRemoveAll({ dryRun: false });
    expect([settingsOf(work), settingsOf(join(daemon.home, ".claude"))].join("")).not.toContain("agtmux");
  });

  it("keep their sessions apart on disk and together in the history", async () => {
    await daemon.configure({ agents: { claude: { folders: [work] } } });
    const log = join(work, "projects", "-home-dev-project", "be13efa4-5500-4a36-bcfb-d9b25ad7fa4a.jsonl");
    mkdirSync(dirname(log), { recursive: true });
    writeFileSync(log, recordedLog("claude.jsonl"));
    const ask = (kind: "query" | "mutation", name: string, input?: object): Promise<unknown> =>
      createRouterCaller(daemon.daemon.router).call({
        type: kind,
        path: `history.${name}`,
        input,
        signal: new AbortController().signal,
      });
    await ask("mutation", "refresh");
    expect(JSON.stringify(await ask("query", "list", {}))).toContain("be13efa4");
  });
});

describe("folders by the agent's variables", () => {
  /** No process has this id, so that /proc says nothing. */
  const GONE = { pid: 2 ** 31 - 2, ppid: 1, comm: "", args: "", startedAt: 0 };

  const partsOf = (home: string, env: NodeJS.ProcessEnv = {}) => ({
    targetId: "host",
    executor: createLocalExecutor({ targetId: "host", env: { ...process.env, ...env, HOME: home } }),
    memory: { list: () => Promise.resolve([]), add: () => Promise.resolve() },
    clock: { ...realClock, now: () => 0 },
    logger: SILENT_LOGGER,
  });

  /** A PATH with a `ps` that shows a process as on a Mac: its arguments, and with -E its environment behind them. */
  const fakePs = (environment: string): string => {
    const bin = join(daemon.home, "bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(
      join(bin, "ps"),
      `#!/bin/sh\ncase $1 in -Eww) echo 'agent CODEX_HOME=/no ${environment}' ;; *) echo 'agent CODEX_HOME=/no' ;; esac\n`,
      { mode: 0o755 },
    );
    return `${bin}:${process.env["PATH"]}`;
  };

  const foundOnMac = async (adapter: AgentAdapter, environment: string) => {
    const accounts = new Accounts({
      ...partsOf(daemon.home, { PATH: fakePs(environment) }),
      named: () => [],
    });
    await accounts.learn([{ adapter, process: GONE }]);
    return { found: accounts.of(GONE), usual: await accounts.usual(adapter) };
  };

  it("are read from the environment alone, not from the arguments", async () => {
    const codex = createCodexAdapter();
    const own = join(daemon.home, "codex of work");
    mkdirSync(own);
    expect((await foundOnMac(codex, `HOME=/Users/dev CODEX_HOME=${own} TERM=xterm`)).found).toMatchObject({
      configDir: own,
      name: "codex of work",
    });
    const { found, usual } = await foundOnMac(codex, "HOME=/Users/dev TERM=xterm");
    expect(found).toEqual(usual);
  });

  it("are those of nobody until they are there and believed", async () => {
    const claude = createClaudeAdapter();
    const own = join(daemon.home, "new");
    let now = 0;
    const accounts = new Accounts({
      ...partsOf(daemon.home, { PATH: fakePs(`CLAUDE_CONFIG_DIR=${own}`) }),
      named: () => named,
      clock: { ...realClock, now: () => now },
    });
    const named: string[] = [];
    const learned = async () => {
      await accounts.learn([{ adapter: claude, process: GONE }]);
      return accounts.of(GONE);
    };
    expect(await learned()).toBeNull();
    mkdirSync(own);
    symlinkSync("../.profile", join(own, "settings.json"));
    now += 60_000;
    expect(await learned()).toBeNull();
    // Who names it in the configuration knows it.
    named.push(own);
    expect(await learned()).toMatchObject({ configDir: own, name: "new" });
  });

  it("count once where the usual one is a link to what somebody names", async () => {
    const claude = createClaudeAdapter();
    const own = join(daemon.home, "dotfiles");
    mkdirSync(own);
    rmSync(join(daemon.home, ".claude"), { recursive: true, force: true });
    symlinkSync(own, join(daemon.home, ".claude"));
    const named = [own, `${own}/`, "~/.claude"];
    const accounts = new Accounts({
      ...partsOf(daemon.home, { PATH: fakePs(`CLAUDE_CONFIG_DIR=${own}/`) }),
      named: () => named,
    });
    await accounts.learn([{ adapter: claude, process: GONE }]);
    expect(accounts.of(GONE)).toEqual(await accounts.usual(claude));
    expect(await accounts.all(claude)).toEqual([await accounts.usual(claude)]);
  });

  it("hold up no listing, whatever disk they lie on", async () => {
    const never = { ...partsOf(daemon.home), named: () => [] };
    const accounts = new Accounts({
      ...never,
      executor: { ...never.executor, run: () => new Promise(() => {}), openProc: () => environ },
    });
    const environ = { read: () => "CLAUDE_CONFIG_DIR=/net/hangs\0", close: () => {} };
    const found = { adapter: createClaudeAdapter(), process: GONE };
    await accounts.learn([found, { ...found, process: { ...GONE, startedAt: 1 } }]);
    expect(accounts.of(GONE)).toBeNull();
  });

  it("lie where each agent puts them", async () => {
    const at = (...path: string[]): string => {
      mkdirSync(join(daemon.home, ...path), { recursive: true });
      return join(daemon.home, ...path);
    };
    const config = at("xdg", "opencode");
    const data = at("share", "opencode");
    const xdg = `XDG_CONFIG_HOME=${at("xdg")} XDG_DATA_HOME=${at("share")}`;
    expect((await foundOnMac(createOpencodeAdapter(), xdg)).found).toMatchObject({
      configDir: config,
      dataDir: data,
      name: "xdg",
    });
    const gemini = at("g", ".gemini");
    expect((await foundOnMac(createGeminiAdapter(), `GEMINI_CLI_HOME=${at("g")}`)).found).toMatchObject({
      configDir: gemini,
      name: "g",
    });
  });

  it("are kept, and a damaged memory is told and starts anew", async () => {
    const path = join(daemon.home, "kept.json");
    const { files } = createLocalExecutor({ targetId: "host", env: { HOME: daemon.home } });
    const told: string[] = [];
    const logger = { ...SILENT_LOGGER, warn: (_context: object, text: string) => void told.push(text) };
    const memory = () => new AccountMemory({ path, files, logger });
    await memory().add("host", "claude", [`CLAUDE_CONFIG_DIR=${work}`]);
    expect(await memory().list("host", "claude")).toEqual([`CLAUDE_CONFIG_DIR=${work}`]);
    writeFileSync(path, "{ broken");
    expect([await memory().list("host", "claude"), told.length]).toEqual([[], 1]);
    rmSync(path);
    expect(await memory().list("vm", createClaudeAdapter().agentType)).toEqual([]);
  });
});
