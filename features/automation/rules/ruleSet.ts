// The rules in force: reads `rules.json` in the home, follows and makes its changes, and knows which rules a person armed. A file
// that others can write to is not used. Without the file there is no rule.
import { constants, unwatchFile, watchFile } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { AgtmuxError, isMissing } from "../../../core/model/errors.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import { storeFailureOf } from "../../../core/ports/store.ts";
import { hashOf, MAX_FILE, readRules, type RulesRead } from "./ruleFile.ts";
import type { RulesNow } from "./judgeRequest.ts";

/** As config.json: watching a folder would wake the daemon with every write to its database. */
const STAT_MS = 2_000;

const NO_RULES: RulesRead = { rules: [], problems: [], blocksApproval: false };

const unusable = (message: string): RulesRead => ({
  rules: [],
  problems: [{ line: 1, path: "", message, rule: null }],
  blocksApproval: true,
});

/** @throws where it cannot be read. */
const readOwn = async (path: string, uid: number): Promise<RulesRead> => {
  // Opening a pipe would wait for somebody who writes into it.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!found.isFile()) return unusable("this isn't a file");
    if (found.uid !== uid) return unusable("the file belongs to another user: make it yours");
    if ((found.mode & 0o022) !== 0) return unusable("others can write to the file: run 'chmod go-w' on it");
    if (found.size > MAX_FILE) return unusable("the file is too long: rules may take 256 kB");
    return readRules(await file.readFile("utf8"));
  } finally {
    await file.close();
  }
};

export class RuleSet {
  readonly path: string;
  private readonly context: FeatureContext;
  private read: RulesRead = NO_RULES;
  private isThere = false;
  private busy: Promise<void> = Promise.resolve();
  private readonly onStat = (): void => void this.reload();
  private readonly onChange: () => void;

  /** `onChange`: other rules are in force. */
  constructor(context: RuleSet["context"], onChange: () => void) {
    this.context = context;
    this.onChange = onChange;
    this.path = join(context.homePath, "rules.json");
    watchFile(this.path, { interval: STAT_MS, persistent: false }, this.onStat);
    void this.reload();
  }

  get exists(): boolean {
    return this.isThere;
  }

  /** As the file was read last. */
  get current(): RulesRead {
    return this.read;
  }

  /** With what is armed at this moment. */
  now(): RulesNow {
    const { rules, blocksApproval } = this.read;
    return {
      rules,
      blocksApproval,
      armed: new Set(this.context.rules.listArmedRules().map(({ hash }) => hash)),
    };
  }

  /** Whether a rule is in force that presses keys. */
  hasArmed(): boolean {
    try {
      const { rules, armed } = this.now();
      return armed.size > 0 && rules.some((rule) => armed.has(hashOf(rule, rules)));
    } catch (error) {
      if (storeFailureOf(error) === null) throw error;
      // Nobody knows: it may be armed again as soon as the store answers.
      return true;
    }
  }

  /** Reads the file as it is at this moment. Never rejects. */
  reload(): Promise<void> {
    this.busy = this.busy.then(() => this.readNow());
    return this.busy;
  }

  /**
   * Changes the file between two reads. Fails, before anything is changed, for a file that is not used as it is.
   * @throws what `work` throws; AgtmuxError E_CONFIG_INVALID.
   */
  change<Result>(work: (path: string) => Promise<Result>): Promise<Result> {
    const mine = this.busy.then(async () => {
      await this.readNow();
      const [problem] = this.read.problems;
      if (problem !== undefined)
        throw new AgtmuxError(
          "E_CONFIG_INVALID",
          `the rules file has a mistake in line ${problem.line}: ${problem.message}; nothing was added`,
          { remedy: "Correct what 'agtmux rule check' says first." },
        );
      const result = await work(this.path);
      await this.readNow();
      return result;
    });
    // The caller gets a failure; the next in turn only waits for the end.
    this.busy = mine.then(
      () => undefined,
      () => undefined,
    );
    return mine;
  }

  close(): void {
    unwatchFile(this.path, this.onStat);
  }

  private async readNow(): Promise<void> {
    const before = JSON.stringify(this.read);
    try {
      this.read = await readOwn(this.path, this.context.uid);
      this.isThere = true;
    } catch (error) {
      this.isThere = !isMissing(error);
      this.read = this.isThere ? unusable("the file cannot be read") : NO_RULES;
      if (this.isThere) this.context.logger.warn({ error }, "the rules file cannot be read");
    }
    if (JSON.stringify(this.read) !== before) this.onChange();
  }
}
