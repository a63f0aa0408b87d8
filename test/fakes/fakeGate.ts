// What becomes of the actions on a fake daemon's panes: each is recorded, and then refused, held or settled as the test says.
import { SCHEMA_VERSION, type PaneView } from "../../core/model/view.ts";
import type { ActionOutcome, ActionResult, ActionGuards } from "../../core/model/action.ts";
import { AgtmuxError, type ErrorCode } from "../../core/model/errors.ts";

export interface ActionInput {
  ref: string;
  surface: string;
  guards: ActionGuards;
}

/** An action as it was asked for, whole. */
export interface AskedAction {
  action: ActionResult["action"] | "openAttach" | "prepareAttach" | "dismiss" | "integrationChange";
  input: Readonly<Record<string, unknown>>;
}

export class FakeGate {
  /** Oldest first, refused ones too. */
  readonly asked: AskedAction[] = [];
  private readonly find: (ref: string) => PaneView;
  private result: Pick<ActionResult, "outcome" | "detail" | "notes"> = {
    outcome: "delivered",
    detail: "It was seen to arrive",
    notes: [],
  };
  private opened: Promise<void> = Promise.resolve();
  private refusal: AgtmuxError | null = null;

  constructor(find: (ref: string) => PaneView) {
    this.find = find;
  }

  /** Every action from now on fails with this error. */
  refuse(code: ErrorCode, message: string): void {
    this.refusal = new AgtmuxError(code, message);
  }
  /** What actions on panes come to from now on. */
  settleWith(outcome: ActionOutcome, detail: string, notes: readonly string[] = []): void {
    this.result = { outcome, detail, notes: [...notes] };
  }
  /** Actions do not end until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.opened = promise;
    return resolve;
  }

  /** As the daemon's own: what was guarded must hold, or nothing is done. */
  async permit(action: AskedAction["action"], input: ActionInput): Promise<PaneView> {
    this.asked.push({ action, input: { ...input } });
    await this.opened;
    if (this.refusal !== null) throw this.refusal;
    const pane = this.find(input.ref);
    const { ifRuntime, ifPrompt, ifState, ifVersion } = input.guards;
    const changed =
      (ifRuntime !== null && ifRuntime !== pane.identity.runtime_id) ||
      (ifState !== null && ifState !== pane.state) ||
      (ifVersion !== null && ifVersion !== pane.state_version) ||
      (ifPrompt !== null && ifPrompt !== pane.prompt_fingerprint);
    if (changed)
      throw new AgtmuxError("E_STALE_SNAPSHOT", `nothing was sent to ${pane.identity.pane_id}: it changed`);
    return pane;
  }

  async act(action: ActionResult["action"], input: ActionInput): Promise<ActionResult> {
    const { identity } = await this.permit(action, input);
    return {
      schema_version: SCHEMA_VERSION,
      action_id: `act-${this.asked.length}`,
      action,
      pane_ref: identity.pane_ref,
      runtime_id: identity.runtime_id,
      snapshot_id: `snap-${identity.pane_ref}`,
      ...this.result,
      is_repeat: false,
    };
  }
}
