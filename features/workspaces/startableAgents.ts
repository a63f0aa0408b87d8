// Which agents a person can start on a machine, likely ones first: the one that was started last, those that run there, those that
// are installed, and then the others, because a person's own settings may find them, whatever was started before; and the command
// of the new pane (`shellCommand`).
import { inLoginShell } from "../../core/model/commandWords.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { AgentAdapter, AgentLaunch } from "../../core/ports/agentAdapter.ts";
import { endsWithin } from "../../core/model/endsWithin.ts";
import type { StartableAgent } from "../../core/model/workspace.ts";
import type { FeatureContext } from "../../core/ports/feature.ts";

// Command: the person's own shell, with the settings by which it finds their programs, starts the agent and stays when that ends. A
// shell reads it, so that nothing may be in it that a shell could take for anything but a word. Pure.

/** Ids as agents make them; a leading dash would be an option. */
export const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const WORD = /^[A-Za-z0-9._=/-]{1,200}$/;
const SHELL = /^\/[A-Za-z0-9._/+-]{1,200}$/;
/** They take `-l -i -c`, and read a list of plain words alike. */
const KNOWN_SHELLS: ReadonlySet<string> = new Set([
  "bash",
  "zsh",
  "fish",
  "ksh",
  "mksh",
  "dash",
  "sh",
  "ash",
]);
const PLAIN_SHELL = "/bin/sh";

/** The program and its arguments. @throws AgtmuxError E_USAGE for an id that no agent makes. */
export const launchWords = (launch: AgentLaunch, sessionId: string | null): string[] => {
  if (sessionId !== null && !SESSION_ID.test(sessionId))
    throw new AgtmuxError("E_USAGE", `'${sessionId.slice(0, 60)}' isn't a session id`, {
      remedy: "Ids are letters, digits, '.', '_' and '-'.",
    });
  const words = [launch.program, ...(sessionId === null ? [] : (launch.resume?.(sessionId) ?? []))];
  for (const word of words)
    if (!WORD.test(word)) throw new Error(`start ${launch.program}: '${word}' isn't a plain word`);
  return words;
};

/** As an argument vector for tmux. `shell`: the person's, as tmux or the system has it; any text. */
export const shellCommand = (shell: string, words: readonly string[]): string[] => {
  const own = SHELL.test(shell) ? shell : PLAIN_SHELL;
  const isKnown = KNOWN_SHELLS.has(own.slice(own.lastIndexOf("/") + 1));
  const stay = isKnown ? `${own} -l` : own;
  return [isKnown ? own : PLAIN_SHELL, "-l", "-i", "-c", `${words.join(" ")}; exec ${stay}`];
};

/** What is installed is asked again after this. */
const FRESH_MS = 60_000;
/** A person waits for the list; a shell with slow settings comes in time for the next one. */
const WAIT_MS = 1_500;
const LIMIT_MS = 10_000;
const MAX_BYTES = 64 * 1024;
const MARK = "agtmux-has:";
const END = "agtmux-has-no-more";

export class StartableAgents {
  private readonly deps: ConstructorParameters<typeof StartableAgents>[0];
  private readonly asked = new Map<string, { at: number; installed: Promise<ReadonlySet<string> | null> }>();

  constructor(deps: {
    context: FeatureContext;
    /** Agents that were started on a machine, the last one first. */
    startedOn(target: string): Promise<readonly string[]>;
  }) {
    this.deps = deps;
  }

  async list(target: string): Promise<StartableAgent[]> {
    const { context } = this.deps;
    const known = context.adapters().filter(({ launch }) => launch !== undefined);
    const started = await this.deps.startedOn(target);
    const running = new Set(
      context.rows
        .all()
        .flatMap(({ identity, agent, state }) =>
          identity.target === target && state !== null ? [agent] : [],
        ),
    );
    const installed = await this.installedOn(target, known);
    const isFound = ({ agentType }: AgentAdapter): boolean | null =>
      running.has(agentType) ? true : (installed?.has(agentType) ?? null);
    const rankOf = (adapter: AgentAdapter): number => {
      const { agentType } = adapter;
      const at = started.indexOf(agentType);
      if (isFound(adapter) === false) return started.length + 3;
      if (at !== -1) return at;
      return started.length + (running.has(agentType) ? 0 : isFound(adapter) === true ? 1 : 2);
    };
    return known
      .toSorted((one, other) => rankOf(one) - rankOf(other))
      .map((adapter) => ({
        agent: adapter.agentType,
        agent_name: adapter.displayName,
        is_found: isFound(adapter),
      }));
  }

  /** Null where it is not known in time. */
  private async installedOn(
    name: string,
    known: readonly AgentAdapter[],
  ): Promise<ReadonlySet<string> | null> {
    const { clock } = this.deps.context;
    let asked = this.asked.get(name);
    if (asked === undefined || Math.abs(clock.now() - asked.at) > FRESH_MS) {
      const installed = this.ask(name, known).catch(() => {
        // A machine that is away: starting there says so. It is asked again with the next list.
        this.asked.delete(name);
        return null;
      });
      asked = { at: clock.now(), installed };
      this.asked.set(name, asked);
    }
    return (await endsWithin(asked.installed, WAIT_MS, clock)) ? asked.installed : null;
  }

  private async ask(name: string, known: readonly AgentAdapter[]): Promise<ReadonlySet<string> | null> {
    const commands = known.flatMap(({ agentType, launch }) => {
      const [program = ""] = launch === undefined ? [] : launchWords(launch, null);
      return [`command -v ${program} >/dev/null 2>&1 && echo ${MARK}${agentType}`];
    });
    const { exitCode, stdout } = await this.deps.context
      .target(name)
      .run(inLoginShell([...commands, `echo ${END}`].join("; ")), {
        timeoutMs: LIMIT_MS,
        maxBytes: MAX_BYTES,
      });
    const lines = new Set(stdout.split("\n"));
    // A shell that did not get to the end has found nothing and says nothing.
    if (exitCode !== 0 || !lines.has(END)) return null;
    return new Set(known.flatMap(({ agentType }) => (lines.has(`${MARK}${agentType}`) ? [agentType] : [])));
  }
}
