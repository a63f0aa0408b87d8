// What counts as a person's look at a row (attaching, viewing its output, opening it, having its pane in front), what a dismissal
// does, and what a person keeps about a row: that it is muted, and its name.
import type { RenameResult } from "../model/action.ts";
import type { UnattendedActions } from "../actions/paneActions.ts";
import type { ActionAudit, ActionInput } from "../actions/audit.ts";
import { createFrontWatch } from "../actions/attention.ts";
import type { ActionSubject } from "../actions/prepare.ts";
import type { DaemonService } from "../api/calls.ts";
import type { ConnectedTargets } from "../connections/connectedTarget.ts";
import { resolveRef } from "../engine/ref.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { RuntimeEntry } from "../ingest/liveState.ts";
import { AgtmuxError } from "../model/errors.ts";
import { UNTIL_IT_ENDS } from "../model/runtime.ts";
import type { PaneView } from "../model/view.ts";
import type { Clock } from "../ports/clock.ts";

export const createSeenRows = ({
  ingest,
  audit,
  subjects,
  connectedTargets,
  unattended,
  clock,
}: {
  ingest: Ingest;
  audit: ActionAudit;
  subjects: () => Iterable<ActionSubject>;
  connectedTargets: ConnectedTargets;
  unattended: Pick<UnattendedActions, "send">;
  clock: Clock;
}) => {
  /**
   * The crashed row that a reference names: by its runtime, or by its pane (which may be gone) where no agent runs now.
   * @throws AgtmuxError E_REF_AMBIGUOUS where several crashed in that pane.
   */
  const findCrashed = (ref: string): RuntimeEntry | null => {
    const crashed = [...ingest.liveState.runtimes.values()].filter((entry) => entry.crashedAt !== null);
    const named = crashed.find(({ runtime }) => ref === `runtime:${runtime.runtimeId}`);
    if (named !== undefined) return named;
    const [only = null, ...others] = crashed.filter(
      ({ view, runtime }) =>
        view?.identity.pane_ref === ref && ingest.liveState.liveOf(runtime) === undefined,
    );
    if (only === null || others.length === 0) return only;
    throw new AgtmuxError("E_REF_AMBIGUOUS", `several agents crashed in '${ref.slice(0, 200)}'`, {
      details: [only, ...others].map(({ runtime }) => `runtime:${runtime.runtimeId}`),
    });
  };

  /** Marks as read whatever ended by `until` (epoch ms) in what the reference names. */
  const read = (ref: string, until: number): void => {
    for (const { view, runtime } of ingest.liveState.runtimes.values())
      if (ref === view?.identity.pane_ref || ref === `runtime:${runtime.runtimeId}`)
        ingest.markSeen(runtime.runtimeId, until);
  };

  const dismiss = async (input: ActionInput): Promise<{ paneRef: string }> => {
    const crashed = findCrashed(input.ref);
    if (crashed !== null && ingest.dismiss(crashed.runtime.runtimeId)) {
      audit.note("dismiss", input, { runtimeId: crashed.runtime.runtimeId });
      return { paneRef: crashed.view?.identity.pane_ref ?? input.ref };
    }
    return audit.throughGate("dismiss", input, async ({ verified: { subject } }) => {
      const { runtimeId, paneRef } = subject;
      const isDone =
        runtimeId !== null && (ingest.dismiss(runtimeId) || ingest.markSeen(runtimeId, clock.now()));
      if (isDone) return { paneRef };
      throw new AgtmuxError("E_UNSUPPORTED", `${paneRef} shows no error, and nothing unread`, {
        remedy: "Only errors and what nobody has looked at yet can be dismissed.",
      });
    });
  };

  /** Through the gate, so that it is this agent or none; on record. */
  const keep = (
    action: "mute" | "rename",
    input: ActionInput,
    change: (runtimeId: string) => boolean,
  ): Promise<PaneView> =>
    audit.throughGate(action, input, async ({ verified: { subject } }) => {
      const { runtimeId, paneRef } = subject;
      if (runtimeId === null || !change(runtimeId))
        throw new AgtmuxError("E_UNSUPPORTED", `no agent runs in ${paneRef}`, {
          remedy: "Name one that 'agtmux list' shows.",
        });
      const row = ingest.rows(false).find(({ identity }) => identity.runtime_id === runtimeId);
      if (row === undefined) throw new AgtmuxError("E_REF_NOT_FOUND", `${paneRef} is gone`);
      return row;
    });

  /** The row has its name whatever becomes of this. */
  const nameSession = async (row: PaneView, surface: string): Promise<RenameResult["session"]> => {
    const { name, state_version: stateVersion } = row;
    const { runtime_id: runtimeId } = row.identity;
    const adapter = ingest.liveState.runtimes.get(runtimeId ?? "")?.adapter ?? null;
    if (name === null) return { outcome: "not_delivered", detail: "A session can't get an empty name." };
    if (runtimeId === null || adapter?.sessionNameCommand === undefined) {
      const agent = adapter?.displayName ?? "This agent";
      return { outcome: "not_delivered", detail: `${agent} has no command for that, as far as is known.` };
    }
    const text = `${adapter.sessionNameCommand} ${name}`;
    try {
      const occasion = { afterLimit: false, isFirst: false, idempotencyKey: null };
      return await unattended.send({ ...occasion, runtimeId, stateVersion, text, surface });
    } catch (error) {
      if (!(error instanceof AgtmuxError)) throw error;
      return { outcome: "not_delivered", detail: error.message };
    }
  };

  const attachThroughGate: ActionAudit["throughGate"] = (action, input, act, options) =>
    audit.throughGate(
      action,
      input,
      async (turn) => {
        const result = await act(turn);
        read(turn.verified.subject.paneRef, clock.now());
        return result;
      },
      options,
    );

  const front = createFrontWatch({
    unread: () =>
      [...ingest.liveState.runtimes.values()].flatMap(({ runtime, marks }) =>
        marks.isUnread && ingest.liveState.paneOf(runtime) !== undefined
          ? [{ key: runtime, runtimeId: runtime.runtimeId }]
          : [],
      ),
    markSeen: (runtimeId) => ingest.markSeen(runtimeId, clock.now()),
    connectedTargets,
    clock,
  });

  return {
    findCrashed,
    dismiss,
    mute: async ({ forMs, ...input }: ActionInput & { forMs: number | "end" | null }) => {
      const until = typeof forMs === "number" ? clock.now() + forMs : forMs === null ? null : UNTIL_IT_ENDS;
      const { identity, muted } = await keep("mute", input, (runtimeId) => ingest.mute(runtimeId, until));
      return { paneRef: identity.pane_ref, muted };
    },
    rename: async ({
      name: given,
      session,
      ...input
    }: ActionInput & { name: string; session: boolean }): Promise<RenameResult> => {
      const row = await keep("rename", input, (runtimeId) => ingest.rename(runtimeId, given));
      const named = session ? await nameSession(row, input.surface) : null;
      return { paneRef: row.identity.pane_ref, name: row.name, session: named };
    },
    markSeen: async ({ ref, until }: { ref: string; until: string }): Promise<void> => {
      const isCrashed = findCrashed(ref) !== null;
      read(isCrashed ? ref : resolveRef(ref, subjects()).paneRef, Date.parse(until));
    },
    /** As `throughGate` of the audit; where it succeeds, the person is at the pane. */
    attachThroughGate,
    /** Runs `view` and marks what it showed as read, unless it was a preview. */
    viewing:
      (view: DaemonService["viewOutput"]): DaemonService["viewOutput"] =>
      async (input) => {
        // What ends while it is read was not on it.
        const until = clock.now();
        const output = await view(input);
        if (input.isPreview !== true) read(output.pane_ref, until);
        return output;
      },
    /** Finds panes that are in front of a person. To be called about once a second. */
    review: (): Promise<void> => front.review(),
  };
};
