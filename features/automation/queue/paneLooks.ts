// Looks at the pane of a text that is due, or will be in a moment: what stands in its way. The gate looks once more on the very screen
// on which it types; this look is the first of the two, so nothing is put on record and no turn is taken for a text that has to wait.
import { AgtmuxError } from "../../../core/model/errors.ts";
import type { SendJob } from "../../../core/model/job.ts";
import type { PaneView } from "../../../core/model/view.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import { RESTED_MS } from "./decideSends.ts";

/** After a look that found something in the way: it is looked at again, and not with every tick. */
const AGAIN_MS = 3_000;
/** What was found for the first time may be a screen that was not drawn yet. */
const SOON_MS = 1_000;
/** A look that began while the agent had only just come to rest counts for so long: later it is repeated. */
const KEPT_MS = 3 * RESTED_MS;

interface EarlyLook {
  readonly jobId: string;
  readonly version: number;
  readonly at: number;
  readonly obstacle: Promise<string | null>;
}

/** In which case a text is sent, as the gate has to know it. */
export const occasionOf = ({ trigger, isFirst }: SendJob) => ({ afterLimit: trigger.kind === "at", isFirst });

export class PaneLooks {
  private readonly context: Pick<FeatureContext, "sends" | "clock">;
  /** What was in the way, until it is looked at again; by runtime. */
  private readonly obstacles = new Map<string, { why: string; until: number }>();
  private readonly early = new Map<string, EarlyLook>();

  constructor(context: Pick<FeatureContext, "sends" | "clock">) {
    this.context = context;
  }

  /** What was in the way a moment ago; null: nothing, or it is time to look again. */
  known(runtimeId: string): string | null {
    const found = this.obstacles.get(runtimeId);
    return found !== undefined && this.context.clock.now() < found.until ? found.why : null;
  }

  note(runtimeId: string, why: string): void {
    const againMs = this.obstacles.has(runtimeId) ? AGAIN_MS : SOON_MS;
    this.obstacles.set(runtimeId, { why, until: this.context.clock.now() + againMs });
  }

  forget(runtimeId: string): void {
    this.obstacles.delete(runtimeId);
    this.early.delete(runtimeId);
  }

  /** Begins the look while the agent has not rested long enough: then nobody waits for it afterwards. */
  begin(job: SendJob, row: PaneView): void {
    const { runtimeId } = job.agent;
    const { jobId } = job;
    const version = row.state_version;
    const before = this.early.get(runtimeId);
    if (this.known(runtimeId) !== null || (before?.jobId === jobId && before.version === version)) return;
    // What went wrong is seen, and told, by the look that follows.
    const obstacle = this.look(job).catch(() => "it could not be looked at");
    this.early.set(runtimeId, { jobId, version, at: this.context.clock.now(), obstacle });
  }

  /** What is in the way now; null: nothing. An early look spares this one only where it found nothing. */
  async find(job: SendJob, row: PaneView): Promise<string | null> {
    const { runtimeId } = job.agent;
    const early = this.early.get(runtimeId);
    this.early.delete(runtimeId);
    const isSame = early?.jobId === job.jobId && early.version === row.state_version;
    if (isSame && this.context.clock.now() - early.at <= KEPT_MS && (await early.obstacle) === null)
      return null;
    return this.look(job);
  }

  private async look(job: SendJob): Promise<string | null> {
    try {
      return await this.context.sends.findObstacle(job.agent.runtimeId, occasionOf(job));
    } catch (error) {
      if (error instanceof AgtmuxError) return error.message;
      throw error;
    }
  }
}
