// What another set of adapters in force does to the runtimes that are known: which adapter they have, and whether they go on.
import type { UnitOfWork } from "./unitOfWork.ts";
import type { RuntimeLifecycle } from "./runtimeLifecycle.ts";
import type { RowViews } from "./rowViews.ts";
import type { RuntimeEntry } from "./liveState.ts";

export interface AdapterChangeDeps {
  unitOfWork: UnitOfWork;
  rows: RowViews;
  lifecycle: RuntimeLifecycle;
}

/** Live runtimes get the adapter that is in force now; one whose adapter is gone keeps its last state. */
export const renewAdapters = ({ unitOfWork, rows }: Omit<AdapterChangeDeps, "lifecycle">): void =>
  unitOfWork.commit(() => {
    for (const entry of unitOfWork.liveState.liveRuntimes()) {
      entry.adapter = unitOfWork.deps.adapterOf(entry.runtime.agentType);
      const pane = unitOfWork.liveState.paneOf(entry.runtime);
      if (pane !== undefined) rows.refresh(entry, pane);
    }
  });

/** Inside a commit: the agent is not to be recognised any more; its process goes on in a pane without an agent. */
const endOne = ({ unitOfWork, rows, lifecycle }: AdapterChangeDeps, entry: RuntimeEntry): void => {
  if (entry.crashedAt !== null) {
    lifecycle.dropCrashed(entry);
    return;
  }
  const pane = unitOfWork.liveState.paneOf(entry.runtime);
  if (pane === undefined) return;
  lifecycle.end(entry, "disabled", pane);
  rows.changed(rows.ofPane(pane), null, false);
};

/** Runtimes whose agent is no longer enabled end, which is no crash; their crashed rows go. */
export const endDisabled = (deps: AdapterChangeDeps, isEnabled: (agentType: string) => boolean): void => {
  const { unitOfWork } = deps;
  const due = [...unitOfWork.liveState.runtimes.values()].filter(
    ({ runtime }) => !isEnabled(runtime.agentType),
  );
  if (due.length === 0) return;
  unitOfWork.commit(() => {
    for (const entry of due) endOne(deps, entry);
  });
};
