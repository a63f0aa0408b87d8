// What the doctor looks at: one target, how it is reached and what was seen on it. The interfaces are small, so that the same
// checks examine a target behind SSH.
import type { ProcessReader } from "../collect/sink.ts";
import type { Place } from "../model/doctorCheck.ts";
import type { Pane } from "../model/runtime.ts";
import type { TargetView } from "../model/view.ts";
import type { IntegrationReport, IntegrationSummary } from "../model/integrationView.ts";
import type { InspectedIntegration } from "../ports/agentAdapter.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import type { FoundTmux } from "../tmux/findTmux.ts";
import type { TmuxSocket } from "../tmux/servers.ts";
import type { TmuxCalls } from "../tmux/tmuxCalls.ts";

/** The agent's hooks on one target. Nothing here changes a file. */
export interface DoctorIntegrations {
  inspect(agent: string): Promise<InspectedIntegration>;
  /** Whether anything of ours lies in the agent's settings. Fails with E_INTEGRATION_REFUSED where that cannot be told. */
  hasAnything(agent: string): Promise<boolean>;
  /** What writing our entries again would change. Fails with E_INTEGRATION_REFUSED, which says what prevents it. */
  planRepair(agent: string): Promise<IntegrationReport["changes"]>;
  /** Every agent that has an integration. */
  list(): Promise<IntegrationSummary[]>;
  /** Whether there is a hook script that a test event could go through. */
  hasScript(): Promise<boolean>;
  /** Sends a test event through the installed hook; it is recognised on arrival and never applied. */
  deliver(agent: string): Promise<{ works: boolean; detail: string }>;
  /** Epoch ms of the newest event of a real agent; null: none yet. */
  lastRealEventAt(agent: string): number | null;
}

/** What reaches a target while there is a connection. */
export interface DoctorLink {
  executor: TargetExecutor;
  /** The tmux in use; null where none was found when the connection was made. */
  tmuxPath: string | null;
  /** Looks for tmux now. Fails with E_TMUX_MISSING and the places that were tried. */
  findTmux: () => Promise<FoundTmux>;
  servers: readonly TmuxSocket[];
  /** Null for a server that is not watched. */
  tmuxOf: (server: string) => Pick<TmuxCalls, "run"> | null;
  panes: readonly Pane[];
  processes: ProcessReader;
  /** Null where no agent of the target can be integrated. */
  integrations: DoctorIntegrations | null;
}

/** An agent that runs in a pane now. */
export interface SeenAgent {
  agentType: string;
  paneRef: string;
  panePid: number;
  pid: number | null;
  /** An event of this runtime has arrived. */
  hasEvents: boolean;
  /** Another program may answer its permission requests. */
  confirmRequests: boolean;
}

export interface DoctorTarget {
  view: TargetView;
  /** Null: not connected. */
  link: DoctorLink | null;
  agents: readonly SeenAgent[];
}

/** No check of one target may delay the report for longer, in ms. */
export const TARGET_LIMIT_MS = 8_000;
/** Time limit of one command on the target, in ms. */
export const COMMAND_TIMEOUT_MS = 5_000;

export const placeOf = ({ view }: DoctorTarget, extra: { server?: string } = {}): Place => ({
  group: "target",
  target: view.target,
  ...extra,
});
