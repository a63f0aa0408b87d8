// What agents say of the limits of the person's accounts: of each account on a machine the newest reading of its files, and when the
// limit ends at which one of its agents stopped. It reads files that the agents write anyway and asks nobody; what no file says is
// not shown. While the setting `limits` is off, only a person's question has anything read.
import { isLimit } from "../../core/model/needs.ts";
import { HOST_TARGET, type Account } from "../../core/model/runtime.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import { stamp } from "../../core/model/schemaVersion.ts";
import type { AccountLimits, LimitList } from "../../core/model/view.ts";
import type { AgentAdapter } from "../../core/ports/agentAdapter.ts";
import type { AgentLimits, LimitReading } from "../../core/ports/agentFiles.ts";
import type { FeatureContext, FeatureTarget } from "../../core/ports/feature.ts";

/** While rows are shown. Other machines cost round trips. */
const EVERY_MS = { here: 60_000, elsewhere: 300_000 } as const;
/** Logs that are looked at, and those of them that are read: a session that goes on has an older name. */
const MAX_LOGS = 12;
const MAX_READ = 3;
const MAX_FOLDERS = 20;
const TAIL_BYTES = 256 * 1024;
const MAX_FILE_BYTES = 64 * 1024;
/** A file that claims to have been written later than that after now is not believed. */
const AHEAD_MS = 5 * 60_000;
const MAX_KEPT = 200;

type Files = FeatureTarget["files"];

/** Names of a folder, the last in the alphabet first; none where it cannot be listed. */
const namesIn = async (files: Files, folder: string): Promise<string[]> => {
  try {
    return (await files.list(folder)).toSorted().toReversed();
  } catch {
    return [];
  }
};

/** The logs below a folder whose names come last: agents name them by the time. */
const lastLogs = async (
  files: Files,
  root: { base: string; depth: number; file: RegExp },
): Promise<string[]> => {
  const found: string[] = [];
  let folders = 0;
  const walk = async (below: string, depth: number): Promise<void> => {
    folders += 1;
    for (const name of await namesIn(files, `${root.base}/${below}`)) {
      if (found.length >= MAX_LOGS || folders >= MAX_FOLDERS) return;
      const path = below === "" ? name : `${below}/${name}`;
      if (depth > 0) await walk(path, depth - 1);
      else if (root.file.test(path)) found.push(`${root.base}/${path}`);
    }
  };
  await walk("", root.depth);
  return found;
};

/** As long as it counts: without the windows that are over; null: nothing is left. `now`: epoch ms. */
export const limitsNow = (reading: LimitReading | null, now: number): LimitReading | null => {
  if (reading === null || reading.at > now + AHEAD_MS) return null;
  const windows = reading.windows.filter(({ resetsAt }) => resetsAt > now);
  return windows.length === 0 ? null : { at: reading.at, windows };
};

const iso = (at: number): string => new Date(at).toISOString();

export class LimitReader {
  private readonly context: FeatureContext;
  /** By path: what a file said when it had this time and size. */
  private readonly read = new Map<string, { mark: string; reading: LimitReading | null }>();
  private readonly readAt = new Map<string, number>();
  private areShown = false;
  private isReading = false;
  private cancel: (() => void) | null = null;
  private isClosed = false;
  private readonly unsubscribe: (() => void)[];

  constructor(context: FeatureContext) {
    this.context = context;
    this.unsubscribe = [
      context.onConfigChange(() => this.plan(0)),
      context.rows.onShown((areShown) => {
        this.areShown = areShown;
        this.plan(0);
      }),
    ];
  }

  close(): void {
    this.isClosed = true;
    this.cancel?.();
    for (const unsubscribe of this.unsubscribe) unsubscribe();
  }

  /** What is known now, of these machines or of all. A machine that cannot be asked is a problem. */
  async list(wanted: readonly string[] | undefined): Promise<LimitList> {
    const problems: string[] = [];
    const items: LimitList["items"] = [];
    for (const name of wanted ?? this.targetNames()) {
      const found = await this.ofTarget(name).catch((error: unknown) => {
        if (!(error instanceof AgtmuxError) || error.code === "E_TARGET_UNKNOWN") throw error;
        problems.push(error.message);
        return [];
      });
      for (const one of found)
        items.push({ identity: { target: name, agent: one.agent, account: one.account }, ...one });
    }
    return { ...stamp(this.context.clock.now()), problems, items };
  }

  private get isOn(): boolean {
    return this.context.config().limits;
  }

  private targetNames(): string[] {
    const others = this.context.config().targets.filter(({ enabled }) => enabled);
    return [HOST_TARGET, ...others.map(({ name }) => name)];
  }

  private plan(delayMs: number): void {
    this.cancel?.();
    this.cancel = null;
    if (this.isClosed) return;
    if (!this.isOn && this.readAt.size === 0) return;
    if (this.isOn && !this.areShown) return;
    this.cancel = this.context.clock.setTimer(delayMs, () => void this.look());
  }

  /** Never rejects. Switched off, what rows say of it goes. */
  private async look(): Promise<void> {
    if (this.isReading) return;
    this.isReading = true;
    try {
      if (this.isOn) for (const name of this.targetNames()) await this.tell(name);
      else for (const name of this.readAt.keys()) this.forget(name);
    } catch (error) {
      this.context.logger.warn({ error }, "what agents say of their limits could not be read");
    }
    this.isReading = false;
    this.plan(EVERY_MS.here);
  }

  private forget(name: string): void {
    this.readAt.delete(name);
    this.context.setLimits(name, []);
  }

  private async tell(name: string): Promise<void> {
    const now = this.context.clock.now();
    const every = name === HOST_TARGET ? EVERY_MS.here : EVERY_MS.elsewhere;
    if (now - (this.readAt.get(name) ?? -Infinity) < every - 1_000) return;
    this.readAt.set(name, now);
    try {
      const limits = await this.ofTarget(name);
      if (!this.isClosed) this.context.setLimits(name, limits);
    } catch (error) {
      // It is not connected, and its row says so; what it said before may be over.
      if (!(error instanceof AgtmuxError)) throw error;
      if (!this.isClosed) this.context.setLimits(name, []);
    }
  }

  /** @throws AgtmuxError where the machine is not known or not connected. */
  private async ofTarget(name: string): Promise<AccountLimits[]> {
    const target = this.context.target(name);
    const found: AccountLimits[] = [];
    for (const adapter of this.context.adapters()) {
      const accounts = await target.accounts(adapter);
      for (const account of accounts) {
        const one = await this.ofAccount(name, target, adapter, {
          account,
          isOnly: accounts.length === 1,
        });
        if (one !== null) found.push(one);
      }
    }
    return found;
  }

  private async ofAccount(
    name: string,
    target: FeatureTarget,
    { agentType, displayName, limits, history }: AgentAdapter,
    { account, isOnly }: { account: Account; isOnly: boolean },
  ): Promise<AccountLimits | null> {
    const now = this.context.clock.now();
    const roots = history?.kind === "files" ? history.roots : [];
    const reading =
      limits === undefined
        ? null
        : limitsNow(await this.newest(name, target, { limits, roots, account }), now);
    const reachedUntil = this.reachedUntil(name, agentType, isOnly ? null : account.name, now);
    if (reading === null && reachedUntil === null) return null;
    return {
      agent: agentType,
      agent_name: displayName,
      account: isOnly ? null : account.name,
      source: reading === null ? null : (limits?.source ?? null),
      said_at: reading === null ? null : iso(reading.at),
      windows: (reading?.windows ?? []).map(({ minutes, usedPercent, resetsAt }) => ({
        minutes,
        used_percent: usedPercent,
        resets_at: iso(resetsAt),
      })),
      reached_until: reachedUntil === null ? null : iso(reachedUntil),
    };
  }

  /** Where several accounts are used, rows name theirs; a row that does not could be of any of them. */
  private reachedUntil(target: string, agent: string, account: string | null, now: number): number | null {
    const { rows, sends } = this.context;
    const ends = rows.all().flatMap((row) => {
      const { runtime_id: id } = row.identity;
      const isIts = row.identity.target === target && row.agent === agent && row.account === account;
      if (!isIts || id === null || row.state !== "error" || !isLimit(row.reason_code)) return [];
      const at = sends.findReset(id);
      return at === null || at <= now ? [] : [at];
    });
    return ends.length === 0 ? null : Math.max(...ends);
  }

  private async newest(
    name: string,
    { files }: FeatureTarget,
    {
      limits,
      roots,
      account,
    }: {
      limits: AgentLimits;
      roots: readonly { folder: string; depth: number; file: RegExp }[];
      account: Account;
    },
  ): Promise<LimitReading | null> {
    if (limits.from !== "logs")
      return this.readFile(name, files, limits, `${account.configDir}/${limits.from.file}`);
    const logs: { path: string; changedAt: number }[] = [];
    for (const root of roots)
      for (const path of await lastLogs(files, { ...root, base: `${account.dataDir}/${root.folder}` })) {
        // It may be gone since it was listed.
        const stat = await files.stat(path).catch(() => null);
        if (stat?.isFile === true) logs.push({ path, changedAt: stat.mtimeMs });
      }
    const latest = logs.toSorted((one, other) => other.changedAt - one.changedAt).slice(0, MAX_READ);
    let newest: LimitReading | null = null;
    for (const { path } of latest) {
      const reading = await this.readFile(name, files, limits, path);
      if (reading !== null && reading.at > (newest?.at ?? -Infinity)) newest = reading;
    }
    return newest;
  }

  /** Null for a file that is not there, is none, or says nothing. Each is read once per change. */
  private async readFile(
    name: string,
    files: Files,
    limits: AgentLimits,
    path: string,
  ): Promise<LimitReading | null> {
    try {
      const stat = await files.stat(path);
      if (stat === null || !stat.isFile) return null;
      const key = `${name}\0${path}`;
      const mark = `${stat.mtimeMs} ${stat.size}`;
      const known = this.read.get(key);
      if (known?.mark === mark) return known.reading;
      // A link in place of a log leads to a file that the agent need not have written.
      if ((await files.readLink(path)) !== null) return null;
      const text =
        limits.from === "logs"
          ? await files.readTail(path, TAIL_BYTES)
          : await files.readText(path, MAX_FILE_BYTES);
      const reading = text === null ? null : limits.read(text, stat.mtimeMs);
      if (this.read.size >= MAX_KEPT) this.read.clear();
      this.read.set(key, { mark, reading });
      return reading;
    } catch (error) {
      if (error instanceof AgtmuxError) throw error;
      this.context.logger.debug({ error }, "a file with limits could not be read");
      return null;
    }
  }
}
