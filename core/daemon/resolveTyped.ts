// References that need a fresh listing: those by index in calls of the service (`withFreshIndexes`), and those that a person typed
// (`createResolveTyped`), whose row is found here. What the text means is decided in core/engine; here tmux is listed again,
// because it announces neither a new name nor a new index.
import type { DaemonService } from "../api/calls.ts";
import { isByIndex, parseRef } from "../engine/ref.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { ConnectedTargets } from "../connections/connectedTarget.ts";
import { isSameServer, parseInsideTmux } from "../actions/attach.ts";
import { type TypedSubject, resolveTyped, splitTarget, type TypedFrom } from "../engine/typedRef.ts";
import { AgtmuxError } from "../model/errors.ts";
import { type Pane, paneKeyString } from "../model/runtime.ts";
import { placeIdOf } from "../model/shortRef.ts";
import type { PaneView } from "../model/view.ts";

/**
 * `service`, whose references by index are resolved in a listing that began after the call: such a reference means the pane that
 * has the index now. Ids name the same thing as long as the server runs.
 */
export const withFreshIndexes = (
  service: DaemonService,
  {
    ingest,
    connectedTargets,
  }: {
    ingest: Ingest;
    connectedTargets: ConnectedTargets;
  },
): DaemonService => {
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

type Found = TypedSubject & { row: PaneView };

/** A pane with several rows has a crashed one beside the running one, which wins. */
const rowsByPlace = (rows: readonly PaneView[]): Map<string, PaneView> => {
  const byPlace = new Map<string, PaneView>();
  for (const row of rows) {
    const { target, tmux_server: server } = row.identity;
    const key = paneKeyString({ targetId: target, server, paneId: placeIdOf(row) });
    const isCrashed = row.reason_code === "crashed";
    if (!byPlace.has(key) || !isCrashed) byPlace.set(key, row);
  }
  return byPlace;
};

export const createResolveTyped = ({
  ingest,
  connectedTargets,
}: {
  ingest: Ingest;
  connectedTargets: ConnectedTargets;
}): DaemonService["resolve"] => {
  const { liveState } = ingest;
  const nameOf = (targetId: string): string => liveState.targets.get(targetId)?.targetName ?? targetId;

  const toSubject = (pane: Pane, row: PaneView): Found => ({
    target: nameOf(pane.targetId),
    server: pane.server,
    links: [pane, ...pane.alsoIn],
    windowId: pane.windowId,
    windowName: pane.windowName,
    paneId: pane.paneId,
    paneIndex: pane.paneIndex,
    isAgent: row.agent !== null,
    row,
  });

  /** A crashed agent whose pane is gone: only the pane's id is known. */
  const toGone = (row: PaneView): Found => ({
    target: row.identity.target,
    server: row.identity.tmux_server,
    links: [],
    windowId: "",
    windowName: "",
    paneId: placeIdOf(row),
    paneIndex: row.pane_index,
    isAgent: true,
    row,
  });

  const subjects = (): Found[] => {
    const rows = rowsByPlace(ingest.rows(true));
    const found: Found[] = [];
    for (const pane of liveState.panes()) {
      const key = paneKeyString({ ...pane, targetId: nameOf(pane.targetId) });
      const row = rows.get(key);
      if (row !== undefined) found.push(toSubject(pane, row));
      rows.delete(key);
    }
    return [...found, ...[...rows.values()].map(toGone)];
  };

  const fromOf = (insideTmux: string | null, paneId: string | null): TypedFrom => {
    if (insideTmux === null || insideTmux === "") return { kind: "outside" };
    const inside = parseInsideTmux(insideTmux);
    for (const { targetId, server, instance } of liveState.servers.values())
      if (
        inside !== null &&
        instance !== null &&
        liveState.targets.get(targetId)?.kind === "local" &&
        isSameServer(inside, instance)
      )
        return { kind: "inside", target: nameOf(targetId), server, paneId };
    return { kind: "elsewhere" };
  };

  /** Another machine is listed again only where the text names it: one that does not answer must not hold up the rest. */
  const lookAgain = async (text: string): Promise<void> => {
    const named = splitTarget(
      text,
      ingest.targets().map(({ target }) => target),
    );
    const isMeant = (targetId: string): boolean => {
      const target = liveState.targets.get(targetId);
      return target?.kind === "local" || target?.targetName === named?.target;
    };
    await Promise.all(
      connectedTargets
        .all()
        .filter(({ targetId }) => isMeant(targetId))
        .flatMap(({ servers, collector }) => servers.map(({ server }) => collector.listNow(server))),
    );
  };

  return async ({ ref, insideTmux, tmuxPane }) => {
    await lookAgain(ref);
    const among = () => ({
      targets: ingest.targets().map(({ target }) => target),
      from: fromOf(insideTmux, tmuxPane),
      subjects: subjects(),
    });
    const found = resolveTyped(ref, among());
    const target = [...liveState.targets.values()].find(({ targetName }) => targetName === found.target);
    if (target === undefined || target.kind === "local") return found.row;
    await connectedTargets.find(target.targetId)?.collector.listNow(found.server);
    const again = resolveTyped(ref, among());
    if (again.target === found.target && again.server === found.server && again.paneId === found.paneId)
      return again.row;
    throw new AgtmuxError("E_STALE_SNAPSHOT", `what '${ref.slice(0, 200)}' names was changed just now`);
  };
};
