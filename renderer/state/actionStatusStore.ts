// The actions on panes and their results, one status per pane. One action of a pane runs at a time. A refusal is distinguished
// from an unknown outcome.
import {
  withFurther,
  type ActionKind,
  type ActionStatus,
  type Failure,
  settleAction,
  type ActionCall,
} from "../../ui/actions/actionStatus.ts";
import { Store } from "./store.ts";

/** By pane reference. */
type ActionStatuses = ReadonlyMap<string, ActionStatus>;

export class ActionStatusStore extends Store<ActionStatuses> {
  private readonly deps: ConstructorParameters<typeof ActionStatusStore>[0];

  constructor(deps: { toFailure(error: unknown): Failure }) {
    super(new Map());
    this.deps = deps;
  }

  /** Resolves with the status that remains, or null when the action shows nothing or another one is under way. */
  async run(ref: string, action: ActionKind, call: ActionCall): Promise<ActionStatus | null> {
    if (this.isSending(ref)) {
      if (action === "attach") return this.runBeside(ref, call);
      this.noteFurther(ref, action);
      return null;
    }
    this.put(ref, { kind: "sending", action });
    const status = await this.settle(action, call);
    this.put(ref, status === null ? null : withFurther(status, this.getState().get(ref)?.further));
    return status;
  }

  /** Opening a pane does not wait for a running action. Its failure is shown, unless that action is still running. */
  private async runBeside(ref: string, call: ActionCall): Promise<ActionStatus | null> {
    const status = await this.settle("attach", call);
    if (status !== null && !this.isSending(ref)) this.put(ref, status);
    return status;
  }

  private settle(action: ActionKind, call: ActionCall): Promise<ActionStatus | null> {
    return settleAction(action, call, (error) => this.deps.toFailure(error));
  }

  private isSending(ref: string): boolean {
    return this.getState().get(ref)?.kind === "sending";
  }

  /** Says beside what is under way that another action was chosen, and not done. */
  private noteFurther(ref: string, action: ActionKind): void {
    const status = this.getState().get(ref);
    if (status !== undefined) this.put(ref, withFurther(status, action));
  }

  /** Shows a refusal without asking the daemon. */
  refuse(ref: string, action: ActionKind, message: string): void {
    if (this.isSending(ref)) this.noteFurther(ref, action);
    else this.put(ref, { kind: "refused", action, failure: { message, remedy: null, code: null } });
  }

  /** Removes the status, unless its action is still running. */
  clear(ref: string): void {
    if (!this.isSending(ref)) this.put(ref, null);
  }

  /** Forgets what was done to panes that are gone: another pane may get the same reference. */
  prune(isThere: (ref: string) => boolean): void {
    for (const ref of this.getState().keys()) if (!isThere(ref)) this.clear(ref);
  }

  /** Calls back for each status that is another one than before. */
  follow(listener: (ref: string, status: ActionStatus, before: ActionStatus | undefined) => void) {
    let before = this.getState();
    return this.subscribe(() => {
      const now = this.getState();
      for (const [ref, status] of now) if (before.get(ref) !== status) listener(ref, status, before.get(ref));
      before = now;
    });
  }

  private put(ref: string, status: ActionStatus | null): void {
    const statuses = new Map(this.getState());
    if (status === null) statuses.delete(ref);
    else statuses.set(ref, status);
    this.set(statuses);
  }
}
