// What another set of adapters in force does to the runtimes that are known: which adapter they have, and whether they go on.
import type { Ledger } from "./ledger.ts";
import type { Lives } from "./lives.ts";
import type { Rows } from "./rows.ts";
import type { RuntimeEntry } from "./world.ts";

export interface AdapterChangeDeps {
  ledger: Ledger;
  rows: Rows;
  lives: Lives;
}

/** Live runtimes take their adapter anew; one whose adapter is gone keeps its last state. */
export const renewAdapters = ({ ledger, rows }: Omit<AdapterChangeDeps, "lives">): void =>
  ledger.commit(() => {
    for (const entry of ledger.world.liveRuntimes()) {
      entry.adapter = ledger.deps.adapterOf(entry.runtime.agentType);
      const pane = ledger.world.paneOf(entry.runtime);
      if (pane !== undefined) rows.refresh(entry, pane);
    }
  });

/** Inside a commit: the agent is not to be recognised any more; its process goes on in a pane without an agent. */
const endOne = ({ ledger, rows, lives }: AdapterChangeDeps, entry: RuntimeEntry): void => {
  if (entry.crashedAt !== null) {
    lives.dropCrashed(entry);
    return;
  }
  const pane = ledger.world.paneOf(entry.runtime);
  if (pane === undefined) return;
  lives.end(entry, "disabled", pane);
  rows.changed(rows.ofPane(pane), null, false);
};

/** Runtimes whose agent is no longer enabled end, which is no crash; their crashed rows go. */
export const endDisabled = (deps: AdapterChangeDeps, isEnabled: (agentType: string) => boolean): void => {
  const { ledger } = deps;
  const due = [...ledger.world.runtimes.values()].filter(({ runtime }) => !isEnabled(runtime.agentType));
  if (due.length === 0) return;
  ledger.commit(() => {
    for (const entry of due) endOne(deps, entry);
  });
};
