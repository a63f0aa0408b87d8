// Who notifies of an agent that does so by itself: how `agtmux setup` and `agtmux integrate` say it, ask for it and carry it out.
// What is changed for it is the daemon's business.
import type { IntegrationReport } from "../../core/model/adapterView.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import { NOTIFIERS, type Notifier } from "../../core/model/words.ts";
import {
  type InstallOutcome,
  sentenceOf,
  type NotifyingAgent,
  type SetupScreen,
} from "../../ui/setup/setupScreen.ts";
import { askLine } from "../command/ask.ts";
import type { CliContext } from "../command/context.ts";
import { cleanLine } from "../render/clean.ts";
import { changeLines } from "../render/changes.ts";

export const readNotifier = (who: string | undefined): Notifier | undefined => {
  const known = NOTIFIERS.find((one) => one === who);
  if (known !== undefined || who === undefined) return known;
  throw new AgtmuxError("E_USAGE", `'${cleanLine(who)}' is not one who can notify you`, {
    remedy: `--notify takes ${NOTIFIERS.join(", ")}.`,
  });
};

export const notifierText = (who: Notifier, name: string): string => {
  switch (who) {
    case "both":
      return `${name} and agtmux notify you, each of its own accord.`;
    case "agtmux":
      return `Only agtmux notifies you about ${name}. Sessions that run keep notifying until they are started again.`;
    case "agent":
      return `Only ${name} notifies you itself: agtmux mutes it on every machine (notifications.muted_agents in config.json).`;
  }
};

export type ChooseNotifier = (
  one: { agent: string; folder: string },
  who: Notifier,
  dryRun: boolean,
) => Promise<IntegrationReport>;

/** Who is to notify; null where the person ended it. Enter leaves it as it is. */
const askNotifier = async (
  notifying: NotifyingAgent,
  choose: ChooseNotifier,
  context: CliContext,
): Promise<Notifier | null> => {
  const { text, choices } = notifying;
  const options = choices.map(({ label, means }, index) => `  ${index + 1} ${label}: ${means}`);
  context.print(`\n${[text, ...options].join("\n")}\n`);
  for (;;) {
    const answer = await askLine(
      `Who should notify you? [1-${choices.length}, Enter for 1, d shows the changes] `,
      context,
    );
    if (answer === null) return null;
    const chosen = choices[Number(answer === "" ? 1 : answer) - 1];
    if (chosen !== undefined) return chosen.who;
    if (/^d(iff)?$/i.test(answer))
      context.print(
        `${changeLines((await choose(notifying, "agtmux", true)).changes, context).join("\n")}\n`,
      );
  }
};

interface ChosenNotifier {
  notifying: NotifyingAgent;
  who: Notifier;
}

/** Never rejects: every agent has its outcome. */
export const chooseAll = async (
  wanted: readonly ChosenNotifier[],
  choose: ChooseNotifier,
): Promise<InstallOutcome[]> => {
  const outcomes: InstallOutcome[] = [];
  for (const { notifying, who } of wanted) {
    const { agent, name } = notifying;
    try {
      outcomes.push({ agent, name, backups: (await choose(notifying, who, false)).backups, problem: null });
    } catch (error) {
      outcomes.push({ agent, name, backups: [], problem: sentenceOf(error) });
    }
  }
  return outcomes;
};

/** What was chosen, as far as it differs from now; one question for each agent. */
export const askNotifiers = async (
  asked: readonly NotifyingAgent[],
  choose: ChooseNotifier,
  context: CliContext,
): Promise<ChosenNotifier[]> => {
  const chosen: ChosenNotifier[] = [];
  for (const notifying of asked) {
    const who = await askNotifier(notifying, choose, context);
    if (who === null) break;
    if (who !== notifying.now) chosen.push({ notifying, who });
  }
  return chosen;
};

/** Whoever has just got hooks and notifies by itself. */
export const toAskAbout = (
  notifications: SetupScreen["notifications"],
  installed: readonly InstallOutcome[],
): SetupScreen["notifications"] =>
  notifications.filter(
    (notifying) =>
      notifying.now === "both" &&
      installed.some(({ name, problem }) => name === notifying.name && problem === null),
  );

export const notifiedLines = (
  wanted: readonly ChosenNotifier[],
  outcomes: readonly InstallOutcome[],
  { paint }: CliContext,
): string[] =>
  outcomes.flatMap(({ name, problem, backups }, index) => [
    problem === null
      ? `${paint("green", "✓")} ${notifierText(wanted[index]?.who ?? "both", cleanLine(name))}`
      : `${paint("red", "✗")} ${cleanLine(name)}: ${cleanLine(problem)}`,
    ...backups.map((path) => `  The old file is saved as ${cleanLine(path)}`),
  ]);
