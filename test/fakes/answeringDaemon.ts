// A fake daemon that has an answer to everything a command asks: adapters, integrations, targets to change, why a state is
// what it is, and what was done before.
import type { TargetInput } from "../../core/api/calls.ts";
import type { AuditList } from "../../core/model/action.ts";
import type {
  AdapterCheck,
  AdapterList,
  AdapterSwitched,
  AdapterTry,
  IntegrationReport,
  IntegrationVerification,
} from "../../core/model/adapterView.ts";
import type { PackList, PackOffer, PackView } from "../../core/model/detectionPack.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { Explanation, TargetView } from "../../core/model/view.ts";
import { makeTarget } from "../factories/view.ts";
import { FakeDaemon } from "./fakeDaemon.ts";

const AT = "2026-11-21T09:00:00.000Z";

const EXPLAINED: Pick<Explanation, "rule" | "evidence" | "screen" | "timeline"> = {
  rule: "the newest evidence of the turn",
  evidence: [
    {
      source: "hook",
      event_type: "UserPromptSubmit",
      lane: "turn",
      state: "running",
      reason_code: "thinking",
      confidence: "high",
      at: AT,
      outcome: "won",
      rule: "the newest boundary",
      matched: null,
    },
  ],
  screen: {
    state: "running",
    reason_code: "thinking",
    matched: "esc to interrupt",
    lines: [
      { row: 22, text: "❯", is_match: false },
      { row: 24, text: "  esc to interrupt", is_match: true },
    ],
  },
  timeline: [
    {
      state_version: 1,
      at: AT,
      state: "running",
      reason_code: "thinking",
      duration_ms: 1_000,
      action_id: null,
    },
  ],
};

const AUDIT: AuditList["items"] = [
  {
    action_id: "act1",
    at: AT,
    surface: "cli",
    action: "send",
    ref: "runtime:rt1",
    runtime_id: "rt1",
    snapshot_id: "snap1",
    outcome: "delivered",
    prompt_fingerprint: null,
    text_length: 5,
    followed_by: [
      { kind: "event", at: AT, state_version: null, what: "UserPromptSubmit", why: "hook" },
      { kind: "transition", at: AT, state_version: 7, what: "running", why: "thinking" },
    ],
  },
];

const ADAPTERS: AdapterList["items"] = [
  {
    agent_type: "one",
    display_name: "Agent One",
    version: "1.2.3",
    enabled: true,
    source: "built-in",
    files: [],
    pack: null,
    recorded_versions: ["7.0"],
    unverified_versions: ["8"],
    verified: true,
    has_integration: true,
    capabilities: { event_driven: true, polling_required: true, supports_completed: true },
    health: "ok",
    health_reason: null,
  },
  {
    agent_type: "two",
    display_name: "Agent Two",
    version: "1.0.0",
    enabled: false,
    source: "file",
    files: ["two.json"],
    pack: null,
    recorded_versions: [],
    unverified_versions: [],
    verified: false,
    has_integration: false,
    capabilities: { event_driven: false, polling_required: true, supports_completed: false },
    health: "degraded",
    health_reason: "the rules of two.json were too slow",
  },
];

const TRIALS: AdapterTry["trials"] = [
  {
    agent_type: "one",
    source: "built-in",
    identifies: { pid: 42, sign: 'process name "one"', confidence: "high" },
    matches: [
      {
        rule: "screens.0",
        state: "waiting_approval",
        reason_code: "permission_tool",
        confidence: "medium",
        matched: "Run it?",
        request: null,
      },
    ],
  },
  { agent_type: "three", source: "built-in", identifies: null, matches: [] },
];

const PACK: PackView = {
  agent_type: "one",
  version: "1.2.4",
  program_version: "1.2.3",
  hash: "0".repeat(64),
  made_at: "2026-11-29T10:00:00.000Z",
  driven_with: ["8.0"],
  rules: ['"new": running (tool, medium confidence) where the last 3 lines match ^new$'],
  answers: ["denying presses n"],
  answers_approved: false,
  recordings: 2,
  rolls_back_to: "1.2.3 of the program",
  problem: null,
};

export class AnsweringDaemon extends FakeDaemon {
  /** Versions of agents on this machine. */
  installed: Readonly<Record<string, string>> = { one: "7.0" };
  /** What is wrong with adapter files. */
  adapterProblems: AdapterList["problems"] = [];

  override async explain(input: { ref: string }): Promise<Explanation> {
    return { ...(await super.explain(input)), ...EXPLAINED };
  }
  override audit(): AuditList {
    return { ...super.audit(), items: AUDIT };
  }

  override adapters(): AdapterList {
    const { adapterProblems: problems } = this;
    return { ...super.adapters(), items: ADAPTERS, problems, disabled_unknown: ["gone"] };
  }
  override async packs(): Promise<PackList> {
    const { installed } = this;
    const items = [{ ...PACK, hash: null, installed_version: installed[PACK.agent_type] ?? null }];
    return { ...(await super.packs()), items };
  }
  override async packLook({ hash }: { hash: string }): Promise<PackOffer> {
    const { agent_type, driven_with, rules, answers, recordings } = PACK;
    const made_at = "2026-11-29T10:00:00.000Z";
    const said = { agent_type, driven_with, rules, answers, recordings, version: "1.2.5", made_at };
    return {
      ...said,
      hash,
      in_force: "1.2.4",
      changes: ["driven with: 8.0"],
      signed_by: "the release's key",
    };
  }
  override async packTake({ hash }: { hash: string }): Promise<PackView> {
    return { ...PACK, version: "1.2.5", hash };
  }
  override async packRollBack(_input: { agent: string }): Promise<PackView> {
    return { ...PACK, version: null, hash: null, rolls_back_to: null };
  }
  /** A text with the word "bad" is. */
  override adapterCheck({ name, text }: { name: string; text: string }): AdapterCheck {
    const isBad = text.includes("bad");
    const problem = { file: name, line: 3, path: "screens.0.pattern", message: "it is bad" };
    return {
      schema_version: this.frame().schema_version,
      agent_type: isBad ? null : "two",
      problems: isBad ? [problem] : [],
    };
  }
  override async adapterSwitch(input: { agent: string; enabled: boolean }): Promise<AdapterSwitched> {
    const { agent, enabled } = input;
    if (agent !== "one")
      throw new AgtmuxError("E_USAGE", `there is no agent '${agent}'`, { remedy: "There is one." });
    return { schema_version: this.frame().schema_version, agent_type: agent, enabled, changed: !enabled };
  }
  override async adapterTry({ ref, file }: { ref: string; file: object | null }): Promise<AdapterTry> {
    const ofFile = TRIALS.map((trial) =>
      trial.agent_type === "one" ? { ...trial, agent_type: "two", source: "file" as const } : trial,
    );
    return {
      ...this.frame(),
      pane_ref: this.find(ref).identity.pane_ref,
      title: "a title",
      line_count: 24,
      agent: "one",
      trials: file === null ? TRIALS : ofFile,
    };
  }

  override async integrationChange(input: {
    agent: string;
    target?: string | undefined;
    action: "install" | "repair" | "uninstall";
    dryRun: boolean;
  }): Promise<IntegrationReport> {
    this.gate.asked.push({ action: "integrationChange", input });
    return {
      agent: input.agent,
      changes: [{ path: "/home/me/.agent/settings.json", diff: "+ agtmux" }],
      applied: !input.dryRun,
      backups: input.dryRun ? [] : ["/home/me/.agent/settings.json.agtmux-backup"],
    };
  }
  override async integrationVerify({ agent }: { agent: string }): Promise<IntegrationVerification> {
    return {
      agent,
      entriesPresent: true,
      missing: [],
      problems: [],
      steps: [],
      deliveryWorks: true,
      deliveryDetail: "a test event arrived in 12 ms",
      lastRealEventAt: null,
    };
  }

  override async targetAdd({ name, sshTarget }: TargetInput): Promise<TargetView> {
    const target = makeTarget({ target: name, kind: "ssh", connection_ref: sshTarget });
    this.setTargets([...this.targets(), target]);
    return target;
  }
  override async targetChange(input: { name: string; enabled?: boolean | undefined }): Promise<TargetView> {
    return { ...this.findTarget(input.name), enabled: input.enabled ?? true };
  }
  override async targetConnect({ name }: { name: string }): Promise<TargetView> {
    return this.findTarget(name);
  }
  override async targetRemove(input: { name: string; isConfirmed: boolean }): Promise<void> {
    const gone = this.findTarget(input.name);
    if (!input.isConfirmed)
      throw new AgtmuxError("E_CONFIRMATION_REQUIRED", `target remove forgets '${input.name}'`);
    this.setTargets(this.targets().filter((target) => target !== gone));
  }

  private findTarget(name: string): TargetView {
    const found = this.targets().find(({ target }) => target === name);
    if (found === undefined) throw new AgtmuxError("E_TARGET_UNKNOWN", `there is no machine '${name}'`);
    return found;
  }
}
