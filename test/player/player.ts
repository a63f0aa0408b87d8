// Plays an agent in a real tmux pane: a light process that ps and tmux take for the agent, driven frame by frame and event
// by event from recordings. It stands in for what cannot run in a test; identification and hooks are the real ones.
import { execFile } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { loadEventSamples, loadRecording, type Payload } from "../../adapters/testkit/recordings.ts";
import { openChannel } from "./channel.ts";
import { commandsFor } from "./hookCommands.ts";
import { runInBackground } from "./backgroundServer.ts";
import { drawFrame } from "./frames.ts";
import { loadPlugin } from "./inProcessPlugin.ts";
import { prepareLaunch } from "./launch.ts";
import { profileOf } from "./profile.ts";
import { playSteps, type Step } from "./sequence.ts";

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL("player.sh", import.meta.url));
const START_LIMIT_MS = 15_000;
const EXIT_LIMIT_MS = 10_000;

export interface PlayerOptions {
  tmux: {
    /** Arguments that name the private server, for example `["-S", socket, "-f", "/dev/null"]`. */
    socketArgs: readonly string[];
    /** The tmux program, where it is not that of the PATH: a client of another version may not understand the server. */
    program?: string;
    /** Session in which a new pane is opened; made when missing. */
    session?: string;
  };
  /** A pane with a shell at its prompt; without it a new window is opened. */
  paneId?: string;
  /** The played HOME: settings with hooks are read there and the session file is written there. */
  home: string;
  /** Folder with the agent's recordings. */
  recordingsDir: string;
  /** Called for every event instead of the commands in the settings. */
  eventScript?: string;
  /** Name under which the process runs; `claude` unless another agent is played. */
  agent?: string;
  cwd?: string;
  /** Hooks run in a background server with this environment, not in the process of the pane. */
  backgroundEnv?: Readonly<Record<string, string>> | undefined;
  size?: { width: number; height: number };
}

export interface Player {
  readonly pid: number;
  readonly paneId: string;
  readonly sessionId: string;
  /** Draws a recorded frame; resolves when it was written to the terminal. `folder` names another set of frames. */
  frame(name: string, folder?: string): Promise<void>;
  /** Runs the hooks of an event with the recorded payload of that kind and waits for them, as the agent does. */
  event(name: string, overrides?: Payload): Promise<void>;
  /** Plays steps in order, with the recorded gaps unless a step says otherwise. */
  sequence(steps: readonly Step[]): Promise<void>;
  /** Rewrites the agent's session file. */
  sessionFile(status: string, waitingFor?: string): Promise<void>;
  /** Appends a line to the log of its session, stamped with the time. */
  transcriptLine(line: Payload): Promise<void>;
  /** Ends it: by itself with a code (and SessionEnd), or by a signal. Resolves when the process is gone. */
  exit(how?: { code?: number; signal?: NodeJS.Signals }): Promise<void>;
  isAlive(): boolean;
  /** Ends the process if it lives and removes its files; the pane stays. */
  close(): Promise<void>;
}

const bashPath = (): string => {
  const found = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"].find((path) => existsSync(path));
  if (found === undefined) throw new Error("the player needs bash");
  return found;
};

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A zombie has ended, though a signal still finds it until its parent asks. Linux tells one; elsewhere it counts as alive. */
const isZombie = (pid: number): boolean => {
  const stat = `/proc/${pid}/stat`;
  return existsSync(stat) && /\) Z /.test(readFileSync(stat, "utf8"));
};

const isAlivePid = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch {
    return false;
  }
};

const openPane = async (options: PlayerOptions): Promise<string> => {
  const { socketArgs, program = "tmux", session = "player" } = options.tmux;
  const { width, height } = options.size ?? { width: 120, height: 40 };
  const place = ["-P", "-F", "#{pane_id}", "-c", options.cwd ?? options.home];
  const shell = ["env", `HOME=${options.home}`, "PS1=$ ", bashPath(), "--norc", "--noprofile", "-i"];
  const tmux = (...args: string[]) => run(program, [...socketArgs, ...args]);
  const size = ["-x", String(width), "-y", String(height)];
  // Two players may start at once: whoever comes second finds the session there.
  const made = await tmux("new-session", "-d", "-s", session, ...size, ...place, ...shell).catch(() =>
    tmux("new-window", "-d", "-t", `=${session}:`, ...place, ...shell),
  );
  return made.stdout.trim();
};

/** Starts a player and resolves when it runs in its pane. Fails, naming what the pane shows, when it does not start. */
export const createPlayer = async (options: PlayerOptions): Promise<Player> => {
  const agent = options.agent ?? "claude";
  const profile = profileOf(agent);
  const { socketArgs, program: tmuxProgram = "tmux" } = options.tmux;
  const cwd = options.cwd ?? options.home;
  const folder = mkdtempSync(join(tmpdir(), "agtmux-player-"));
  const sessionId = crypto.randomUUID();
  const transcriptPath = join(options.home, profile.transcript(sessionId));
  const program = prepareLaunch({
    launch: profile.launch,
    agent,
    bash: bashPath(),
    script: SCRIPT,
    folder,
    environment: `HOME=${quoted(options.home)} LC_ALL=C`,
  });

  const tmux = async (...args: string[]): Promise<string> =>
    (
      await run(tmuxProgram, [...socketArgs, ...args], { env: { ...process.env, LC_ALL: "C.UTF-8" } })
    ).stdout.trim();
  const channel = await openChannel(folder);
  const samples = loadEventSamples(options.recordingsDir);

  const payloadOf = (event: string, overrides: Payload): Payload => ({
    ...profile.payloadOf(samples.find((sample) => sample.name === event)?.payload ?? {}, {
      event,
      sessionId,
      transcriptPath,
      cwd,
    }),
    ...overrides,
  });
  const hooksOf = (event: string) => commandsFor(options.home, agent, event, options.eventScript ?? null);
  const writeHooks = (event: string): void => {
    for (const [index, command] of hooksOf(event).entries())
      writeFileSync(join(folder, `hook.${event}.${index}`), command);
  };
  const writePayload = (file: string, payload: Payload): void =>
    writeFileSync(join(folder, file), JSON.stringify(payload));
  if (profile.exitEvent !== null) {
    const { exitEvent, exitReasons } = profile;
    writeFileSync(join(folder, "exit.event"), `${exitEvent}\n`);
    writePayload("end.exit", payloadOf(exitEvent, { reason: exitReasons.exit }));
    writePayload("end.other", payloadOf(exitEvent, { reason: exitReasons.other }));
    writeHooks(exitEvent);
    for (let repeat = 1; repeat < profile.exitCount; repeat += 1)
      for (const [index, command] of hooksOf(exitEvent).entries())
        writeFileSync(join(folder, `hook.${exitEvent}.${index}r${repeat}`), command);
  }
  if (profile.diesAtOnce) writeFileSync(join(folder, "dies.at.once"), "");

  const paneId = options.paneId ?? (await openPane(options));
  await tmux("send-keys", "-t", paneId, "-l", program);
  await tmux("send-keys", "-t", paneId, "Enter");

  const startLimit = setTimeout(() => channel.fail(new Error("the player did not start")), START_LIMIT_MS);
  const hello = await channel.next().catch(async (error: unknown) => {
    throw new Error(`player in ${paneId}: ${await tmux("capture-pane", "-p", "-t", paneId)}`, {
      cause: error,
    });
  });
  clearTimeout(startLimit);
  const [, pidText = "", , tmuxEnv = ""] = hello.split(" ");
  const pid = Number(pidText);
  const plugin =
    profile.plugin === undefined
      ? null
      : loadPlugin({
          kind: profile.plugin.kind,
          file: join(options.home, profile.plugin.file),
          cwd,
          pid,
          env: { TMUX: tmuxEnv, TMUX_PANE: paneId },
        });
  const startedAt = Date.now();
  const place = await tmux("display-message", "-p", "-t", paneId, "#{session_name}:#{window_id}.#{pane_id}");
  const sessionPath = join(options.home, ".claude", "sessions", `${pid}.json`);
  writeFileSync(join(folder, "session.path"), `${sessionPath}\n`);

  let fileCount = 0;
  // One command at a time: the player answers in order, and a hook holds the agent.
  let turn: Promise<unknown> = Promise.resolve();
  const command = (line: string): Promise<void> => {
    const answered = turn.then(async () => {
      channel.send(line);
      await channel.next();
    });
    turn = answered.catch(() => {});
    return answered;
  };

  const untilGone = async (): Promise<void> => {
    const limit = Date.now() + EXIT_LIMIT_MS;
    while (isAlivePid(pid)) {
      if (Date.now() > limit) throw new Error(`player ${pid} in ${paneId} did not end`);
      await wait(5);
    }
    channel.fail(new Error(`player ${pid} has ended`));
  };

  const player: Player = {
    pid,
    paneId,
    sessionId,
    isAlive: () => isAlivePid(pid),
    async frame(name, from = options.recordingsDir) {
      const file = `frame.${(fileCount += 1)}`;
      writeFileSync(join(folder, file), drawFrame(loadRecording(from, name)));
      await command(`frame ${file}`);
      rmSync(join(folder, file), { force: true });
    },
    async event(name, overrides = {}) {
      if (profile.plugin !== undefined) {
        await plugin?.event(name, payloadOf(name, overrides));
        return;
      }
      if (options.backgroundEnv !== undefined) {
        const payload = JSON.stringify(payloadOf(name, overrides));
        for (const command of hooksOf(name)) await runInBackground(command, payload, options.backgroundEnv);
        return;
      }
      const file = `payload.${(fileCount += 1)}`;
      writeHooks(name);
      writePayload(file, payloadOf(name, overrides));
      await command(`hook ${name} ${file}`);
      rmSync(join(folder, file), { force: true });
    },
    sequence: (steps) => playSteps(player, options.recordingsDir, steps),
    async sessionFile(status, waitingFor) {
      mkdirSync(dirname(sessionPath), { recursive: true });
      const now = Date.now();
      const temporary = `${sessionPath}.${(fileCount += 1)}`;
      const content = {
        pid,
        sessionId,
        cwd,
        startedAt,
        version: "2.1.329",
        kind: "interactive",
        entrypoint: "cli",
      };
      const state = { tmux: place, status, ...(waitingFor === undefined ? {} : { waitingFor }) };
      writeFileSync(
        temporary,
        JSON.stringify({ ...content, ...state, updatedAt: now, statusUpdatedAt: now }),
      );
      renameSync(temporary, sessionPath);
    },
    async transcriptLine(line) {
      mkdirSync(dirname(transcriptPath), { recursive: true });
      appendFileSync(transcriptPath, `${JSON.stringify({ timestamp: new Date().toISOString(), ...line })}\n`);
    },
    async exit({ code = 0, signal } = {}) {
      await turn;
      const exitEvent = profile.plugin?.exitEvent ?? null;
      if (signal !== "SIGKILL" && exitEvent !== null) await player.event(exitEvent);
      await plugin?.close();
      if (signal === undefined) channel.send(`exit ${code}`);
      else process.kill(pid, signal);
      await untilGone();
    },
    async close() {
      await plugin?.close();
      if (isAlivePid(pid)) {
        process.kill(pid, "SIGKILL");
        await untilGone();
      }
      channel.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return player;
};
