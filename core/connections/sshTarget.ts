// One target behind SSH for as long as it is configured: connects, asks the remote environment, builds the parts that watch it on
// one remote shell, and takes them down again when the connection breaks. Its health always says what is true now.
import type { Clock, IdSource } from "../ports/clock.ts";
import { AgtmuxError } from "../model/errors.ts";
import {
  type RemoteShell,
  createShellExecutor,
  awaitHello,
  createRemoteShell,
} from "../targets/remote/remoteShell.ts";
import type { RemoteExecutor } from "../targets/executors/sshExecutor.ts";
import type { SshTransport } from "../targets/sshTransport.ts";
import type { TargetExecutor, ProcessTree } from "../ports/targetExecutor.ts";
import { findTmux, type FoundTmux } from "../tmux/findTmux.ts";
import { createEventTimes } from "../collect/remoteDrain.ts";
import type { SshTargetConfig } from "../model/config.ts";
import type { Envelope } from "../model/envelope.ts";
import type { TargetLink } from "../model/runtime.ts";
import type { Logger } from "../ports/logger.ts";
import { createConnectionKeeper, type ConnectionKeeper, type Link } from "../targets/connectionKeeper.ts";
import { createRemoteExecutor } from "../targets/executors/createRemoteExecutor.ts";
import { createRemoteProcesses } from "../targets/remote/remoteProcesses.ts";
import { sshTerminalCommand } from "../targets/sshConfig.ts";
import { createProcessTree } from "../tmux/processTree.ts";
import { resolveServers } from "../tmux/servers.ts";
import { createRemoteEvents, OWNED, type RemoteEvents } from "./remoteEvents.ts";
import type { ConnectedTargets, ConnectedTarget, ConnectedTargetParts } from "./connectedTarget.ts";
import type { LocalPrograms } from "../tmux/localPrograms.ts";

// Parts of one connection that were built so far, and how they are taken down: without waiting for a remote side that does not
// answer, and completely, even when one part cannot be closed.

/** Parts that wait for answers of a shell have this long to end by themselves; then the shell is closed. */
const ORDERLY_MS = 2_000;

interface Closable {
  close(): Promise<void>;
}

interface LinkParts {
  executor: Closable | null;
  shell: Closable | null;
  connected: Closable | null;
  events: Closable | null;
  /** Run first and at once, the last one added first. */
  onClose(step: () => void): void;
  /** Never rejects. */
  close(): Promise<void>;
}

const createLinkParts = (clock: Clock, onProblem: (error: unknown) => void): LinkParts => {
  const steps: (() => void)[] = [];
  const end = async (part: Closable | null): Promise<void> => {
    try {
      await part?.close();
    } catch (error) {
      onProblem(error);
    }
  };
  const parts: LinkParts = {
    executor: null,
    shell: null,
    connected: null,
    events: null,
    onClose: (step) => {
      steps.push(step);
    },
    close: async () => {
      for (const step of steps.splice(0).toReversed()) step();
      const cancel = clock.setTimer(ORDERLY_MS, () => void end(parts.shell));
      // Both end before the shell: a request that fails because the shell ends must not count as an observation.
      await Promise.all([end(parts.connected), end(parts.events)]);
      cancel();
      await end(parts.shell);
      await end(parts.executor);
    },
  };
  return parts;
};

/** The shell ends first, mostly with a poor reason. The connection's own reason says more and follows at once, if there is one. */
const BETTER_REASON_MS = 250;

/** When no better reason is known, the target is reported as not answering. */
const asLost = (error: unknown): AgtmuxError => {
  if (error instanceof AgtmuxError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new AgtmuxError("E_TARGET_UNREACHABLE", `it does not answer as it should: ${why}`, { cause: error });
};

/** Calls back once, but never after the returned function was called. */
const whenLost = (
  { executor, shell, clock }: { executor: RemoteExecutor; shell: RemoteShell; clock: Clock },
  listener: (error: Error) => void,
): (() => void) => {
  let isReported = false;
  let cancelTimer = (): void => {};
  const tell = (error: Error): void => {
    if (isReported) return;
    isReported = true;
    cancelTimer();
    listener(error);
  };
  executor.onDown(tell);
  shell.onClose((reason) => {
    if (isReported) return;
    const error = new AgtmuxError("E_TARGET_UNREACHABLE", `its remote shell no longer answers: ${reason}`);
    cancelTimer = clock.setTimer(BETTER_REASON_MS, () => tell(error));
  });
  return () => {
    isReported = true;
    cancelTimer();
  };
};

const ASK_TIMEOUT_MS = 10_000;

/** Facts that only the remote shell knows, asked once for each connection. */
interface RemoteEnvironment {
  uid: number;
  path: string;
  tmuxTmpdir: string;
  hasProc: boolean;
}

/** @throws Error when the shell ends or does not answer. */
const askEnvironment = async (shell: RemoteShell): Promise<RemoteEnvironment> => {
  const { stdout } = await shell.ask(
    'printf "%s\\0%s\\0%s\\0" "$(id -u)" "$PATH" "$TMUX_TMPDIR"; [ -r /proc/self/stat ] && printf proc',
    { timeoutMs: ASK_TIMEOUT_MS },
  );
  const [uid = "", path = "", tmuxTmpdir = "", proc = ""] = stdout.toString("utf8").split("\0");
  return { uid: Number(uid), path, tmuxTmpdir, hasProc: proc === "proc" };
};

/** @throws AgtmuxError E_TMUX_MISSING only when tmux is surely missing, not when the connection was lost meanwhile. */
const findRemoteTmux = async (options: {
  shell: RemoteShell;
  reader: TargetExecutor;
  configuredPath: string | null;
  environment: RemoteEnvironment;
}): Promise<FoundTmux> => {
  const { shell, reader, configuredPath, environment } = options;
  try {
    return await findTmux({ executor: reader, configuredPath, pathVariable: environment.path });
  } catch (cause) {
    if (!shell.isClosed) throw cause;
    throw new AgtmuxError("E_TARGET_UNREACHABLE", "the connection was lost while tmux was looked for", {
      cause,
    });
  }
};

/** Round trips are measured this often while connected. */
const PING_MS = 30_000;
/** Without /proc every listing of the processes starts a program there. */
const SHARED_TABLE_MS = 3_500;

export const createSshTarget = (deps: {
  targetId: string;
  config: SshTargetConfig;
  env: NodeJS.ProcessEnv;
  /** Folder of control sockets. */
  controlDir: string;
  createConnected: (parts: ConnectedTargetParts) => ConnectedTarget;
  /** The target is among these as long as it is connected. */
  connectedTargets: ConnectedTargets;
  onHealth: (health: "ok" | "down", reason: string | null, link: TargetLink) => void;
  /** Events of the target, to be committed durably. */
  onEvents: (connected: ConnectedTarget, envelopes: Envelope[]) => Promise<void>;
  programs: LocalPrograms;
  clock: Clock;
  ids: IdSource;
  logger: Logger;
  random: () => number;
}) => {
  const { targetId, config, env, connectedTargets, clock, ids, logger } = deps;
  const configFile = env["AGTMUX_SSH_CONFIG"] ?? null;
  /** A nonce is sent again and again and serves one connection only: 48 bits are enough. */
  const makeNonce = (): string => ids.nonce().slice(0, 12);
  const times = createEventTimes();
  let transport: SshTransport["name"] | null = null;
  let rttMs: number | null = null;
  let remedy: string | null = null;
  /** Ends the running attempt. */
  let giveUp = (): void => {};
  let isOwned = false;
  let isUp = false;
  /** Checks that the present connection still answers; null without a connection. */
  let probe: (() => Promise<void>) | null = null;

  const processesOf = (
    environment: RemoteEnvironment,
    reader: TargetExecutor,
    shell: RemoteShell,
  ): ProcessTree =>
    environment.hasProc
      ? createRemoteProcesses({ shell, clock, makeNonce, ofPath: deps.programs.ofPath })
      : createProcessTree({ executor: reader, platform: "darwin", clock, sharedMs: SHARED_TABLE_MS });

  const buildConnected = async (
    executor: RemoteExecutor,
    shell: RemoteShell,
    takeEvents: () => Promise<void>,
  ): Promise<ConnectedTarget> => {
    const reader = createShellExecutor({ base: executor, shell });
    const environment = await askEnvironment(shell);
    const tmux = await findRemoteTmux({ shell, reader, configuredPath: config.tmux_path, environment });
    return deps.createConnected({
      executor,
      reader,
      tmux,
      servers: resolveServers({
        configured: config.tmux_servers,
        env: { TMUX_TMPDIR: environment.tmuxTmpdir },
        uid: environment.uid,
      }),
      processes: processesOf(environment, reader, shell),
      takeEvents,
      toTerminal: (argv) => sshTerminalCommand({ alias: config.ssh_target, configFile }, argv),
    });
  };

  const ping = async (shell: RemoteShell): Promise<void> => {
    const startedAt = clock.now();
    await shell.ask("true", { timeoutMs: ASK_TIMEOUT_MS });
    rttMs = Math.round((clock.now() - startedAt) * 10) / 10;
  };

  const eventsOf = (connected: ConnectedTarget, shell: RemoteShell, homeDir: string): RemoteEvents => {
    isOwned = false;
    return createRemoteEvents({
      shell,
      homeDir,
      onBatch: (envelopes) => deps.onEvents(connected, envelopes),
      onOwned: (owned) => {
        isOwned = owned;
        if (isUp) deps.onHealth("ok", null, linkNow());
      },
      times,
      makeNonce,
      clock,
      logger,
    });
  };
  /** Returns the function that ends it. */
  const checkAgain = (shell: RemoteShell, events: RemoteEvents): (() => void) => {
    let isOver = false;
    let cancel = (): void => {};
    const later = (): void => {
      if (isOver) return;
      cancel = clock.setTimer(PING_MS, () => {
        // A shell that does not answer ends by itself, which its owner gets as `onClose`.
        ping(shell)
          .then(() => events.checkOwner())
          .then(later, () => {});
      });
    };
    later();
    return () => {
      isOver = true;
      cancel();
    };
  };

  const attempt = async (): Promise<Link> => {
    const parts = createLinkParts(clock, (error) =>
      logger.error({ target: targetId, error }, "a part of a connection could not be closed"),
    );
    giveUp = () => void parts.close();
    try {
      const executor = createRemoteExecutor({
        targetId,
        alias: config.ssh_target,
        env,
        controlDir: deps.controlDir,
        transport: config.transport === "auto" ? null : config.transport,
        configFile,
        logger,
      });
      parts.executor = executor;
      const facts = await executor.connect();
      transport = facts.transport;
      const shell = createRemoteShell({ channel: executor.openChannel(["sh"]), clock, makeNonce });
      parts.shell = shell;
      await awaitHello(shell);
      await ping(shell);
      let events: RemoteEvents | null = null;
      const connected = await buildConnected(executor, shell, async () => {
        if (events === null) throw new Error("the events of the target are not looked at yet");
        await events.take();
      });
      parts.connected = connected;
      // The collector's first listing also reports the health, so the target must be in place by then.
      connectedTargets.add(connected);
      parts.onClose(() => connectedTargets.remove(connected));
      const taken = eventsOf(connected, shell, facts.homeDir);
      events = taken;
      parts.events = taken;
      await connected.collector.start(() => taken.checkOwner());
      parts.onClose(checkAgain(shell, taken));
      probe = () => ping(shell);
      parts.onClose(() => {
        probe = null;
      });
      return {
        onDown: (listener) => parts.onClose(whenLost({ executor, shell, clock }, listener)),
        close: () => parts.close(),
      };
    } catch (error) {
      await parts.close();
      throw asLost(error);
    } finally {
      giveUp = () => {};
    }
  };

  const linkNow = (): TargetLink => ({
    isEnabled: true,
    transport,
    rttMs,
    remedy: isOwned ? OWNED.remedy : remedy,
    nextAttemptAt: keeper.nextAttemptAt,
    note: isOwned ? OWNED.note : null,
  });
  const keeper: ConnectionKeeper = createConnectionKeeper({
    attempt,
    onUp: () => {
      isUp = true;
      remedy = null;
      deps.onHealth("ok", null, linkNow());
    },
    onDown: (error) => {
      isUp = false;
      isOwned = false;
      rttMs = null;
      remedy = error instanceof AgtmuxError ? error.remedy : null;
      logger.info({ target: targetId, error }, "target is not connected");
      deps.onHealth("down", error.message, linkNow());
    },
    clock,
    random: deps.random,
  });

  return {
    config,
    start: (): void => keeper.start(),
    /**
     * Makes one attempt now; if a connection exists, it has to answer. @throws AgtmuxError the reason why the target is not
     * connected.
     */
    connectNow: async (): Promise<void> => {
      const before = probe;
      await keeper.connectNow();
      if (before === null || before !== probe) return;
      try {
        await before();
      } catch (cause) {
        const lost = new AgtmuxError(
          "E_TARGET_UNREACHABLE",
          "it was connected, but does not answer any more",
          {
            remedy: `Try again: 'agtmux target connect ${config.name}'.`,
            cause,
          },
        );
        // The link goes down a moment later; until then nobody may see the target as connected.
        if (before === probe) deps.onHealth("down", lost.message, linkNow());
        throw lost;
      }
      if (isUp) deps.onHealth("ok", null, linkNow());
    },
    get link(): TargetLink {
      return linkNow();
    },
    close: (): Promise<void> => {
      const closed = keeper.close();
      giveUp();
      return closed;
    },
  };
};

export type SshTarget = ReturnType<typeof createSshTarget>;
