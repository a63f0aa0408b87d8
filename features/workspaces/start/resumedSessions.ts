// Which session an agent was started to go on with. Many agents name it only with their next event; until then it is put into the
// rows here, so that nobody starts the same session a second time and a tmux server's end does not lose it. Kept in memory alone.
import type { PaneView } from "../../../core/model/view.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";

/** Ended runtimes are forgotten from this number on. */
const MANY = 500;

export class ResumedSessions {
  private readonly rows: Pick<FeatureContext["rows"], "all">;
  private readonly byRuntime = new Map<string, string>();

  constructor(rows: Pick<FeatureContext["rows"], "all">) {
    this.rows = rows;
  }

  note(runtimeId: string, sessionId: string): void {
    if (this.byRuntime.size >= MANY) {
      const present = new Set(this.rows.all().map(({ identity }) => identity.runtime_id));
      for (const known of this.byRuntime.keys()) if (!present.has(known)) this.byRuntime.delete(known);
    }
    this.byRuntime.set(runtimeId, sessionId);
  }

  /** Every row, with the session where the agent itself has not named one yet. */
  all(): readonly PaneView[] {
    if (this.byRuntime.size === 0) return this.rows.all();
    return this.rows.all().map((row) => {
      const known = this.byRuntime.get(row.identity.runtime_id ?? "");
      return row.agent_session_id !== null || known === undefined ? row : { ...row, agent_session_id: known };
    });
  }
}
