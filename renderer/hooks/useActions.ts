// The actions of a row: attaching and dismissing, guarded by the agent that the row shows, and what came of them.
import { useCallback, useState } from "react";
import type { PaneView } from "../../core/model/view.ts";
import { toFailure, type Failure, type Host } from "../connection/connectHost.ts";
import { shellCommand } from "../text/shellCommand.ts";

const SURFACE = "popover";

export type Outcome =
  | { kind: "failed"; failure: Failure }
  /** The host has no terminal to open: the person runs the command. */
  | { kind: "command"; pane: PaneView; command: string };

export interface Actions {
  outcome: Outcome | null;
  attach: (pane: PaneView) => void;
  dismiss: (pane: PaneView) => void;
  clearOutcome: () => void;
}

const inputOf = (pane: PaneView) => ({
  ref: pane.identity.pane_ref,
  // Never another agent that took the pane over since it was drawn.
  guards: { ifRuntime: pane.identity.runtime_id },
  surface: SURFACE,
});

const attachPane = async ({ api }: Host, pane: PaneView): Promise<Outcome | null> => {
  try {
    await api.openAttach.mutate(inputOf(pane));
    return null;
  } catch (error) {
    const failure = toFailure(error);
    if (failure.code !== "E_UNSUPPORTED") return { kind: "failed", failure };
    const plan = await api.prepareAttach.mutate(inputOf(pane));
    return { kind: "command", pane, command: shellCommand(plan.argv) };
  }
};

export const useActions = (host: Host): Actions => {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const run = useCallback((action: () => Promise<Outcome | null>) => {
    action()
      .then(setOutcome)
      .catch((error: unknown) => setOutcome({ kind: "failed", failure: toFailure(error) }));
  }, []);
  const attach = useCallback((pane: PaneView) => run(() => attachPane(host, pane)), [host, run]);
  const dismiss = useCallback(
    (pane: PaneView) =>
      run(async () => {
        await host.api.dismiss.mutate(inputOf(pane));
        return null;
      }),
    [host, run],
  );
  const clearOutcome = useCallback(() => setOutcome(null), []);
  return { outcome, attach, dismiss, clearOutcome };
};
