// `agtmux setup`: the set-up screen in a terminal. It says what was found, installs the hooks of every agent at once after it has
// asked, and says what is left to do.
import type { SetupDocument } from "../../core/model/documents.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { SetupLook } from "../../core/model/integrationView.ts";
import type { DaemonClient } from "../../core/rpc/socketClient.ts";
import { installAll, type InstallOutcome } from "../../ui/setup/installAll.ts";
import { setupScreen, type SetupMark, type SetupScreen } from "../../ui/setup/setupScreen.ts";
import { askLine, leaveUndone } from "../ask.ts";
import { withDaemon, type CliContext } from "../context.ts";
import { printDocument } from "../document.ts";
import { changeLines } from "../render/changes.ts";
import { cleanLine } from "../render/clean.ts";
import type { Colour } from "../render/paint.ts";

export interface SetupOptions {
  target?: string;
  dryRun?: boolean;
  yes?: boolean;
  json?: boolean;
}

const SIGNS: Readonly<Record<SetupMark, { sign: string; colour: Colour }>> = {
  ok: { sign: "✓", colour: "green" },
  open: { sign: "+", colour: "cyan" },
  problem: { sign: "✗", colour: "red" },
  none: { sign: "·", colour: "dim" },
};

const screenLines = (
  { lines, button, headline, steps, notes }: SetupScreen,
  { paint }: CliContext,
): string[] => [
  ...lines.map(({ mark, name, text }) => {
    const { sign, colour } = SIGNS[mark];
    return `${paint(colour, sign)} ${paint("bold", name)}: ${text}`;
  }),
  "",
  headline,
  ...(button === null ? steps.map(({ how }) => `  ${cleanLine(how)}`) : []),
  ...notes,
];

const outcomeLines = (outcomes: readonly InstallOutcome[], { paint }: CliContext): string[] =>
  outcomes.flatMap(({ name, problem, backups }) => [
    problem === null
      ? `${paint("green", "✓")} ${cleanLine(name)} has its hooks.`
      : `${paint("red", "✗")} ${cleanLine(name)}: ${cleanLine(problem)}`,
    ...backups.map((path) => `  The old file is kept as ${cleanLine(path)}`),
  ]);

const toDocument = (
  look: SetupLook,
  outcomes: readonly InstallOutcome[],
): Omit<Extract<SetupDocument, { action: "setup" }>, "schema_version" | "generated_at"> => ({
  action: "setup",
  target: look.target,
  tmux: look.tmux,
  items: look.agents.map(({ agent, name, version, state, running, silent, problems, steps, changes }) => ({
    identity: { agent },
    agent_name: name,
    version,
    state,
    running,
    silent,
    problems,
    steps,
    changes,
  })),
  outcomes: outcomes.map(({ agent, problem, backups }) => ({ agent, problem, backups: [...backups] })),
  steps: [...setupScreen(look).steps],
});

/** True: install; null: the person left. */
const askToInstall = async (screen: SetupScreen, context: CliContext): Promise<boolean | null> => {
  for (;;) {
    const answer = await askLine(`${screen.button}? [y/N, d shows the changes] `, context);
    if (answer === null) return null;
    if (!/^d(iff)?$/i.test(answer)) return /^y(es)?$/i.test(answer);
    context.print(
      `${changeLines(
        screen.installable.flatMap(({ changes }) => changes),
        context,
      ).join("\n")}\n`,
    );
  }
};

const setUp = async (client: DaemonClient, context: CliContext, options: SetupOptions): Promise<number> => {
  const { target } = options;
  const look = (): Promise<SetupLook> => client.call((api) => api.setupLook.query({ target }));
  const before = await look();
  const screen = setupScreen(before);
  const isJson = options.json === true;
  const print = (lines: readonly string[]): void => {
    if (!isJson) context.print(`${lines.join("\n")}\n`);
  };
  const finish = (now: SetupLook, outcomes: readonly InstallOutcome[]): number => {
    if (isJson)
      printDocument<Extract<SetupDocument, { action: "setup" }>>(context, toDocument(now, outcomes));
    return now.tmux.problem !== null || outcomes.some(({ problem }) => problem !== null) ? 1 : 0;
  };
  print(screenLines(screen, context));
  if (screen.button === null) return finish(before, []);
  if (options.dryRun === true) {
    const changes = screen.installable.flatMap((one) => one.changes);
    print(["", ...changeLines(changes, context), "Nothing was changed (--dry-run)."]);
    return finish(before, []);
  }
  if (options.yes !== true) {
    if (!context.stdin.isTTY || !context.stdout.isTTY || isJson)
      throw new AgtmuxError("E_CONFIRMATION_REQUIRED", `${screen.button}: nobody was asked`, {
        remedy: "Look with --dry-run, then repeat with --yes.",
      });
    print([""]);
    const isWanted = await askToInstall(screen, context);
    if (isWanted !== true) return leaveUndone(context, isWanted !== null, "changed");
  }
  const outcomes = await installAll(screen.installable, (input) =>
    client.call((api) => api.integrationChange.mutate({ ...input, target })),
  );
  const after = await look();
  print(["", ...outcomeLines(outcomes, context), "", ...screenLines(setupScreen(after), context)]);
  return finish(after, outcomes);
};

/** Resolves with the exit status: 1 where tmux cannot be used or an installation failed. Fails with E_CONFIRMATION_REQUIRED. */
export const runSetup = (context: CliContext, options: SetupOptions): Promise<number> =>
  withDaemon(context, (client) => setUp(client, context, options));
