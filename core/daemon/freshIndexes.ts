// A reference by index means the pane that has the index now, and tmux does not announce when windows are renumbered. So the
// server is listed once more before such a reference is used. Ids name the same thing as long as the server lives.
import type { DaemonService } from "../api/calls.ts";
import { isByIndex, parseRef } from "../engine/ref.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { ConnectedTargets } from "../connections/connectedTargets.ts";

type ByReference = Pick<
  DaemonService,
  | "explain"
  | "prepareAttach"
  | "openAttach"
  | "dismiss"
  | "markSeen"
  | "viewOutput"
  | "send"
  | "answer"
  | "interrupt"
  | "kill"
  | "adapterTry"
>;

export interface FreshIndexesDeps {
  ingest: Pick<Ingest, "liveState">;
  connectedTargets: Pick<ConnectedTargets, "find">;
}

/** `service`, whose references by index are resolved in a listing that began after the call. */
export const withFreshIndexes = <S extends ByReference>(
  service: S,
  { ingest, connectedTargets }: FreshIndexesDeps,
): S => {
  const look = async (text: string): Promise<void> => {
    const ref = parseRef(text);
    if (ref.kind !== "pane" || !isByIndex(ref)) return;
    const target = [...ingest.liveState.targets.values()].find(({ targetName }) => targetName === ref.target);
    if (target !== undefined) await connectedTargets.find(target.targetId)?.collector.listNow(ref.server);
  };
  const after =
    <I extends { ref: string }, R>(act: (input: I) => Promise<R>) =>
    async (input: I): Promise<R> => {
      await look(input.ref);
      return act(input);
    };
  return {
    ...service,
    explain: after(service.explain),
    prepareAttach: after(service.prepareAttach),
    openAttach: after(service.openAttach),
    dismiss: after(service.dismiss),
    markSeen: after(service.markSeen),
    viewOutput: after(service.viewOutput),
    send: after(service.send),
    answer: after(service.answer),
    interrupt: after(service.interrupt),
    kill: after(service.kill),
    adapterTry: after(service.adapterTry),
  };
};
