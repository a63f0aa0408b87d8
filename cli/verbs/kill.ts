// `agtmux kill <ref>`: signals an agent's process after the person has seen which one and agreed.
import { KILL_SIGNALS, type KillSignal } from "../../core/model/actionView.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { ActionGuards } from "../../core/model/snapshot.ts";
import { uncommittedText } from "../../core/model/workspace.ts";
import type { DaemonClient } from "../../core/rpc/socketClient.ts";
import { ask, leaveUndone } from "../ask.ts";
import { lookAtWorkTrees } from "../askWorkspaces.ts";
import type { CliContext } from "../context.ts";
import { parseGuards, type GuardOptions } from "../parse/guards.ts";
import { cleanLine } from "../render/clean.ts";
import { printResult } from "../render/outcome.ts";
import { placeOf, withRef } from "../settleRef.ts";

export interface KillOptions extends GuardOptions {
  signal?: string;
  yes?: boolean;
  json?: boolean;
}

const parseSignal = (text: string): KillSignal => {
  const name = text.toUpperCase().replace(/^SIG/, "");
  const signal = KILL_SIGNALS.find((known) => known === name);
  if (signal !== undefined) return signal;
  throw new AgtmuxError("E_USAGE", `--signal does not know '${text}'`, {
    remedy: `Signals are ${KILL_SIGNALS.join(", ")}.`,
  });
};

interface Agreement {
  answer: boolean | null;
  /** Guards by what the question showed: an agent that went on meanwhile, or another one, must not be hit. */
  guards: Partial<ActionGuards>;
}

const agree = async (
  context: CliContext,
  client: DaemonClient,
  about: { ref: string; signal: KillSignal; guards: Partial<ActionGuards> },
): Promise<Agreement> => {
  await lookAtWorkTrees(client, { ref: about.ref });
  const { pane } = await client.call((api) => api.explain.query({ ref: about.ref }));
  const { runtime_id } = pane.identity;
  const name = cleanLine(pane.agent_name ?? "the process");
  const lost = cleanLine(uncommittedText(pane.workspace, pane.activity?.folder ?? "its folder"));
  if (lost !== "") context.print(`! ${lost}\n`);
  const question = `Send ${about.signal} to ${name} (${pane.state ?? "no agent"}) in ${cleanLine(placeOf(pane))}? [y/N] `;
  const answer = await ask(question, context);
  const shown = { ifRuntime: runtime_id, ifState: pane.state, ifVersion: pane.state_version };
  return { answer, guards: runtime_id === null ? about.guards : { ...shown, ...about.guards } };
};

/** Resolves with the exit status of the outcome; if the person said no, with that of a missing yes. */
export const runKill = async (context: CliContext, typed: string, options: KillOptions): Promise<number> => {
  const signal = parseSignal(options.signal ?? "INT");
  const asJson = options.json === true;
  const canAsk = options.yes !== true && context.stdin.isTTY && context.stdout.isTTY && !asJson;
  return withRef(context, { ref: typed, says: !asJson }, async (client, ref) => {
    let guards = parseGuards(options);
    if (canAsk) {
      const agreement = await agree(context, client, { ref, signal, guards });
      if (agreement.answer !== true) return leaveUndone(context, agreement.answer !== null);
      guards = agreement.guards;
    }
    // Without a terminal and without --yes the daemon refuses, and says what would have happened.
    const isConfirmed = options.yes === true || canAsk;
    const result = await client.call((api) =>
      api.kill.mutate({ ref, guards, surface: "cli", signal, isConfirmed }),
    );
    return printResult(context, result, asJson);
  });
};
