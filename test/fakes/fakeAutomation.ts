// Automation as surfaces meet it, without an engine: jobs and rules in memory that calls change, and nothing that is ever done.
import { AgtmuxError } from "../../core/model/errors.ts";
import type { JobDetail, JobView } from "../../core/model/job.ts";
import type { RuleDraft, RulesView, RuleView } from "../../core/model/rule.ts";
import { SCHEMA_VERSION } from "../../core/model/schemaVersion.ts";
import type { FeatureAnswers } from "../../core/ports/feature.ts";
import { AUTOMATION_CALLS } from "../../features/automation/calls.ts";
import { makeJob } from "../factories/job.ts";
import { makeRule } from "../factories/rule.ts";

const DAY_MS = 86_400_000;
/** When every limit ends. */
const RESET_AT = new Date(2026, 10, 24, 15, 2).toISOString();

/** What the calls that are known here take, all in one. */
interface Input {
  id: string;
  isHeld: boolean;
  isPaused: boolean;
  runtimeId: string;
  text: string;
  surface: string;
  trigger: { kind: string };
  subject: { runtimeId: string };
  condition: { kind: string };
  /** Of a rule. */
  name: string;
  hash: string;
  verdict: "approve" | "deny" | "leave";
  fingerprint: string | null;
}

export class FakeAutomation implements FeatureAnswers {
  readonly name = "automation";
  readonly calls = AUTOMATION_CALLS;
  /** Newest first. */
  items: readonly JobView[];
  readonly told = new Map<string, JobDetail["told"]>();
  pausedAt: string | null = null;
  rules: readonly RuleView[] = [];
  problems: RulesView["problems"] = [];
  /** What rules are made of now; by verdict. */
  draft: (verdict: Input["verdict"]) => RuleDraft = () => {
    throw new AgtmuxError("E_STALE_SNAPSHOT", "that agent asks nothing now");
  };
  /** What was to be added to the file, and what was armed. */
  readonly added: string[] = [];
  readonly armed: { name: string; hash: string; surface: string }[] = [];
  /** The next call of this name fails with this. */
  readonly failures = new Map<string, AgtmuxError>();

  constructor(items: readonly JobView[] = []) {
    this.items = items;
  }

  answer(call: string, given: unknown): unknown {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of the call has checked it
    const input = given as Input;
    const failure = this.failures.get(call);
    this.failures.delete(call);
    if (failure !== undefined) throw failure;
    const frame = { schema_version: SCHEMA_VERSION, generated_at: new Date().toISOString() } as const;
    switch (call) {
      case "jobs":
        return { items: this.items, paused_at: this.pausedAt };
      case "job":
        return { ...frame, job: this.find(input.id), told: this.told.get(input.id) ?? [] };
      case "jobHold":
        return this.change(input.id, { state: input.isHeld ? "held" : "armed" });
      case "jobCancel":
        return this.change(input.id, { state: "cancelled", text: null });
      case "pause":
        this.pausedAt = input.isPaused ? frame.generated_at : null;
        return { ...frame, paused_at: this.pausedAt, armed: this.items.length };
      case "send":
        return this.arm(input);
      case "watch":
        return this.watch(input);
      case "rules":
        return {
          path: "/home/me/.agtmux/rules.json",
          exists: true,
          paused_at: this.pausedAt,
          blocks_approval: this.problems.length > 0,
          problems: this.problems,
          items: this.rules,
        };
      case "ruleDraft":
        return this.draft(input.verdict);
      case "ruleAdd":
        this.added.push(input.text);
        return makeRule();
      case "ruleArm": {
        const { name, hash, surface } = input;
        this.armed.push({ name, hash, surface });
        return this.changeRule(name, { mode: "armed", armed_at: frame.generated_at, armed_by: surface });
      }
      case "ruleDisarm": {
        const rule = this.changeRule(input.name, { mode: "shadow", armed_at: null, armed_by: null });
        return { ...frame, name: input.name, was_armed: true, rule };
      }
      default:
        throw new AgtmuxError("E_UNSUPPORTED", `the fake automation does not know '${call}'`);
    }
  }

  private watch({ subject, condition, surface }: Input): JobView {
    const job = makeJob({
      job_id: `job_${this.items.length + 1}`,
      kind: "watch",
      when: condition.kind,
      runtime_id: subject.runtimeId,
      text: null,
      surface,
    });
    this.items = [job, ...this.items];
    return job;
  }

  private arm({ runtimeId, text, surface, trigger }: Input): JobView {
    const job = makeJob({
      job_id: `job_${this.items.length + 1}`,
      runtime_id: runtimeId,
      text,
      surface,
      created_at: new Date().toISOString(),
      expires_at: new Date(Date.now() + DAY_MS).toISOString(),
      ...(trigger.kind === "reset" ? { when: "at", next_at: RESET_AT } : {}),
    });
    this.items = [job, ...this.items];
    return job;
  }

  private find(id: string): JobView {
    const job = this.items.find(({ job_id }) => job_id === id);
    if (job === undefined) throw new AgtmuxError("E_REF_NOT_FOUND", `there is no such job: '${id}'`);
    return job;
  }

  private changeRule(name: string, change: Partial<RuleView>): RuleView {
    const rule = this.rules.find((one) => one.name === name);
    if (rule === undefined) throw new AgtmuxError("E_REF_NOT_FOUND", `there is no such rule: '${name}'`);
    const changed = { ...rule, ...change };
    this.rules = this.rules.map((one) => (one === rule ? changed : one));
    return changed;
  }

  private change(id: string, change: Partial<JobView>): JobView {
    const changed = { ...this.find(id), ...change };
    this.items = this.items.map((job) => (job.job_id === id ? changed : job));
    return changed;
  }
}
