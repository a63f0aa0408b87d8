// The feature "releases": once a day at most, whether there is a newer release of agtmux, if the person switched that on
// (`releases.check`). It asks the address of releases for one small file and sends nothing; what it found is kept over restarts, so
// that a daemon that starts ten times a day asks once. Upgrading is the person's: `agtmux upgrade`.
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { Check, Diagnosis } from "../../core/model/doctor.ts";
import { isMissing } from "../../core/model/errors.ts";
import type { Feature, FeatureContext } from "../../core/ports/feature.ts";
import { compareVersions, findNewest, isVersion, parseReleaseAddress } from "./releaseFeed.ts";

const DAY_MS = 24 * 3_600_000;
/** A machine that slept is back within an hour. */
const LOOK_MS = 3_600_000;
/** The first minute of a daemon is for the agents. */
const FIRST_MS = 60_000;
const SWITCHED_ON_MS = 1_000;
const MAX_FILE_CHARS = 10_000;
const DOCTOR_MS = 1_000;

/** The installation that this daemon is of. `releases`: where its releases are, as its manifest says; null: it names nothing. */
export interface Installed {
  readonly version: string;
  readonly releases: string | null;
}

/** `asked_at`: epoch ms. `problem`: why the newest is not known. */
const memorySchema = z.object({
  asked_at: z.number(),
  newest: z.string().refine(isVersion).nullable(),
  problem: z.string().max(1_000).nullable(),
});
type Memory = z.infer<typeof memorySchema>;

class ReleaseCheck {
  private readonly context: FeatureContext;
  private readonly installed: Installed;
  private memory: Memory | null = null;
  private cancel: (() => void) | null = null;
  private looking: Promise<void> | null = null;
  private readonly closing = new AbortController();
  private readonly stop: () => void;

  constructor(context: FeatureContext, installed: Installed) {
    this.context = context;
    this.installed = installed;
    let settings = JSON.stringify(context.config().releases);
    this.stop = context.onConfigChange(() => {
      const changed = JSON.stringify(context.config().releases);
      if (changed === settings) return;
      settings = changed;
      this.plan(SWITCHED_ON_MS);
    });
    if (this.isWanted) this.plan(FIRST_MS);
  }

  get isWanted(): boolean {
    return this.context.config().releases.check;
  }

  get address(): string | null {
    return this.context.config().releases.address ?? this.installed.releases;
  }

  get known(): Memory | null {
    return this.memory;
  }

  get newer(): string | null {
    const newest = this.isWanted ? (this.memory?.newest ?? null) : null;
    return newest !== null && compareVersions(newest, this.installed.version) > 0 ? newest : null;
  }

  async close(): Promise<void> {
    this.stop();
    this.closing.abort();
    this.cancel?.();
    await this.looking;
  }

  private get path(): string {
    return join(this.context.homePath, "releases.json");
  }

  private plan(delayMs: number): void {
    this.cancel?.();
    this.cancel = this.closing.signal.aborted
      ? null
      : this.context.clock.setTimer(delayMs, () => {
          this.looking ??= this.look().finally(() => {
            this.looking = null;
            if (this.isWanted) this.plan(LOOK_MS);
          });
        });
  }

  /** Never rejects. */
  private async look(): Promise<void> {
    try {
      if (this.isWanted) {
        this.memory ??= await this.readMemory();
        if (this.isDue()) await this.ask();
      }
    } catch (error) {
      this.context.logger.warn({ error }, "what is known of releases could not be kept");
    }
    if (!this.closing.signal.aborted) this.context.setNewerRelease(this.newer);
  }

  /** A time that has not come yet was written under another clock. */
  private isDue(): boolean {
    const now = this.context.clock.now();
    return this.memory === null || this.memory.asked_at > now || now - this.memory.asked_at >= DAY_MS;
  }

  private async ask(): Promise<void> {
    const { address } = this;
    const found = { asked_at: this.context.clock.now(), newest: this.memory?.newest ?? null };
    if (address === null) return;
    // Kept first: a daemon that ends meanwhile has asked.
    await this.keep({ ...found, problem: null });
    try {
      const { version } = await findNewest(parseReleaseAddress(address), this.closing.signal);
      await this.keep({ ...found, newest: version, problem: null });
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      this.context.logger.info({ reason: problem }, "the newest release is not known");
      await this.keep({ ...found, problem: problem.slice(0, 1_000) });
    }
  }

  /** Null where there is none, or what is there is not ours. */
  private async readMemory(): Promise<Memory | null> {
    try {
      const text = await readFile(this.path, "utf8");
      const parsed = memorySchema.safeParse(JSON.parse(text.slice(0, MAX_FILE_CHARS)));
      return parsed.success ? parsed.data : null;
    } catch (error) {
      if (isMissing(error) || error instanceof SyntaxError) return null;
      throw error;
    }
  }

  private async keep(memory: Memory): Promise<void> {
    this.memory = memory;
    const made = `${this.path}.tmp`;
    await rm(made, { force: true });
    await writeFile(made, `${JSON.stringify(memory)}\n`, { mode: 0o600, flag: "wx" });
    await rename(made, this.path);
  }
}

const examine = (check: ReleaseCheck, { version }: Installed): Diagnosis => {
  if (!check.isWanted)
    return { status: "skipped", summary: "Nobody looks for newer releases: releases.check is off." };
  const { known, newer } = check;
  if (newer !== null)
    return {
      status: "warning",
      summary: `agtmux ${newer} is there; this is ${version}.`,
      remedy: "Run 'agtmux upgrade', which says how this installation is upgraded.",
    };
  if (check.address === null)
    return {
      status: "warning",
      summary: "This installation does not know where its releases are.",
      remedy: "Set their address: 'agtmux config set releases.address <address>'.",
    };
  if (known === null) return { status: "skipped", summary: "It was not yet asked for newer releases." };
  if (known.problem !== null)
    return {
      status: "warning",
      summary: "It is not known whether there is a newer release.",
      evidence: known.problem,
      remedy: "It is asked again a day later; 'agtmux upgrade' asks now.",
    };
  return { status: "ok", summary: `agtmux ${version} is the newest release.` };
};

export const createReleases = (installed: Installed): Feature => ({
  name: "releases",
  calls: {},
  start: (context) => {
    const check = new ReleaseCheck(context, installed);
    const checks: Check[] = [
      {
        name: "daemon.release",
        place: { group: "daemon" },
        limitMs: DOCTOR_MS,
        run: () => examine(check, installed),
      },
    ];
    return {
      answer: () => null,
      onChanges: () => {},
      keepsAwake: () => false,
      doctorChecks: () => checks,
      close: () => check.close(),
    };
  },
});
