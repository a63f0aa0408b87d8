// Looks at work trees and remembers what was seen: each one by one look at a time, few at once, and never more often than is asked
// for. It knows nothing of rows.
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { settingsText } from "./git/gitSettings.ts";
import { LOOK_STATUS, lookCommand, type LookInput } from "./git/lookScript.ts";
import { parseLook } from "./git/parseLook.ts";
import { NotLookedAt, readPersonal, readRepository, type PersonalSettings } from "./git/readRepository.ts";
import { createSemaphore } from "../../core/engine/semaphore.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { Changes } from "../../core/model/workspace.ts";
import type { FeatureContext, FeatureTarget } from "../../core/ports/feature.ts";
import type { RunResult } from "../../core/ports/targetExecutor.ts";

export interface WorkTreeKey {
  target: string;
  /** The top folder. */
  workTree: string;
}

export const keyOf = ({ target, workTree }: WorkTreeKey): string => `${target}\0${workTree}`;

export interface Look {
  /** When it ended, epoch ms, and how long it took. */
  at: number;
  tookMs: number;
  changes: Changes | null;
  /** Why nothing is known; null where something is. */
  reason: string | null;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 4 * 1024 * 1024;
/** Work trees that are looked at beside each other. */
const AT_ONCE = 2;
/** How long the person's own settings count. */
const PERSONAL_MS = 300_000;
/** A diff without a commit to compare with. */
const GIT_FAILED = 128;

const reasonOf = ({ exitCode, timedOut }: RunResult): string | null => {
  if (timedOut) return `looking took longer than ${TIMEOUT_MS / 1_000} s`;
  switch (exitCode) {
    case 0:
    case GIT_FAILED:
      return null;
    case null:
      return "too much has changed to be counted";
    case LOOK_STATUS.noGit:
      return "there is no git program";
    case LOOK_STATUS.noFolder:
      return "there is no room for a temporary folder";
    default:
      return "git cannot read it";
  }
};

export class WorkTrees {
  private readonly context: Pick<FeatureContext, "target" | "clock" | "logger">;
  private readonly looks = new Map<string, Look>();
  private readonly running = new Map<string, Promise<Look>>();
  private readonly personal = new Map<string, { at: number; settings: PersonalSettings }>();
  private readonly turns = createSemaphore(AT_ONCE);
  /** Where looks at this machine keep what they give to git. Made with the first one. */
  private folder: Promise<string> | null = null;

  constructor(context: Pick<FeatureContext, "target" | "clock" | "logger">) {
    this.context = context;
  }

  known(key: WorkTreeKey): Look | null {
    return this.looks.get(keyOf(key)) ?? null;
  }

  /** Only what was seen of these is kept. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.looks.keys()) if (!keys.has(key)) this.looks.delete(key);
  }

  /** What was seen at most `maxAgeMs` ago, or what is to be seen now. Never rejects. */
  look(key: WorkTreeKey, maxAgeMs: number): Promise<Look> {
    const name = keyOf(key);
    const known = this.looks.get(name);
    if (known !== undefined && this.context.clock.now() - known.at < maxAgeMs) return Promise.resolve(known);
    const begun = this.running.get(name);
    if (begun !== undefined) return begun;
    const work = this.turns
      .run(() => this.lookNow(key))
      .then((look) => {
        this.looks.set(name, look);
        return look;
      })
      .finally(() => this.running.delete(name));
    this.running.set(name, work);
    return work;
  }

  async close(): Promise<void> {
    await Promise.all(this.running.values());
    // Where it could not be made there is nothing to remove.
    const folder = await this.folder?.catch(() => null);
    if (typeof folder === "string") await rm(folder, { recursive: true, force: true });
  }

  private async lookNow(key: WorkTreeKey): Promise<Look> {
    const { clock } = this.context;
    const beganAt = clock.now();
    const ended = (found: Pick<Look, "changes" | "reason">): Look => {
      const at = clock.now();
      return { at, tookMs: at - beganAt, ...found };
    };
    try {
      return ended({ changes: await this.changesOf(key), reason: null });
    } catch (error) {
      if (error instanceof NotLookedAt || error instanceof AgtmuxError)
        return ended({ changes: null, reason: error.message });
      this.context.logger.debug({ error, target: key.target }, "a work tree could not be looked at");
      return ended({ changes: null, reason: "its files cannot be read" });
    }
  }

  private async changesOf({ target: name, workTree }: WorkTreeKey): Promise<Changes> {
    const target = this.context.target(name);
    const result = await target.run(lookCommand(await this.inputOf(name, target, workTree)), {
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    });
    const reason = reasonOf(result);
    if (reason !== null) throw new NotLookedAt(reason);
    return parseLook(result.stdout);
  }

  /** All that a script needs to let git look at a work tree. @throws NotLookedAt */
  async inputOf(name: string, target: FeatureTarget, workTree: string): Promise<LookInput> {
    const repository = await readRepository(target.files, workTree);
    const { facts, excludesFile } = await this.personalOf(name, target);
    const settings = { ...repository.settings, facts: new Map([...facts, ...repository.settings.facts]) };
    return {
      folder:
        target.kind === "local" ? await this.folderOf(`${repository.gitDir}\0${repository.commonDir}`) : null,
      gitDir: repository.gitDir,
      commonDir: repository.commonDir,
      workTree,
      head: repository.head,
      settings: settingsText(settings, repository.branch),
      excludesFile,
    };
  }

  private async personalOf(name: string, target: FeatureTarget): Promise<PersonalSettings> {
    const now = this.context.clock.now();
    const known = this.personal.get(name);
    if (known !== undefined && now - known.at < PERSONAL_MS) return known.settings;
    const settings = await readPersonal(target.files, await target.homeDir());
    this.personal.set(name, { at: now, settings });
    return settings;
  }

  private async folderOf(repository: string): Promise<string> {
    this.folder ??= mkdtemp(join(tmpdir(), "agtmux-looks-"));
    return join(await this.folder, createHash("sha256").update(repository).digest("hex").slice(0, 24));
  }
}
