// What surfaces ask of rules: what is in force, what is wrong, what they would make of a request, what they did; and to arm them.
// oxlint-disable unicorn/no-thenable -- a rule says what comes "then": always a word, never a function
import { AgtmuxError } from "../../../core/model/errors.ts";
import type { RuleRun } from "../../../core/model/ruleRun.ts";
import type { RulePast, RuleVerdict, RuleView } from "../../../core/model/ruleView.ts";
import { HOST_TARGET } from "../../../core/model/runtime.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import type { ArmedRule } from "../../../core/ports/ruleStore.ts";
import { oneLine } from "../channels/channelMessage.ts";
import type { AutomationService } from "../calls.ts";
import { findAgentOf } from "./agentOfCaller.ts";
import { wordsOf } from "./commandWords.ts";
import { judgeRequest, type Asked, type Judged } from "./judgeRequest.ts";
import { hashOf, notesOf, readRules, type Rule } from "./ruleFile.ts";
import { createRuleDrafts } from "./ruleDrafts.ts";
import { pathsIn, realFolders, realPaths } from "./rulePaths.ts";
import type { RuleSet } from "./ruleSet.ts";

type RuleCalls = Pick<
  AutomationService,
  | "rules"
  | "ruleCheck"
  | "ruleTest"
  | "ruleDraft"
  | "ruleAdd"
  | "ruleHistory"
  | "ruleLog"
  | "ruleArm"
  | "ruleDisarm"
>;

export interface RuleServiceDeps {
  readonly context: FeatureContext;
  readonly ruleSet: RuleSet;
  /** Something was armed or disarmed. */
  readonly onChange: () => void;
}

type Mode = RuleView["mode"];

const iso = (at: number): string => new Date(at).toISOString();

const refuse = (message: string, remedy: string): AgtmuxError =>
  new AgtmuxError("E_USAGE", message, { remedy });

const noRule = (name: string): AgtmuxError =>
  new AgtmuxError("E_REF_NOT_FOUND", `no rule in force is called '${name.slice(0, 40)}'`, {
    remedy: "See 'agtmux rule list', and 'agtmux rule check' for what is wrong with others.",
  });

const modeOf = (rule: Rule, isArmed: boolean, blocksApproval: boolean): Mode => {
  if (rule.then === "leave" || rule.then === "notify") return "in force";
  if (!isArmed) return "shadow";
  return rule.then === "approve" && blocksApproval ? "blocked" : "armed";
};

const lastOf = (run: RuleRun | undefined): RuleView["last"] =>
  run === undefined
    ? null
    : {
        at: iso(run.at),
        runtime_id: run.runtimeId,
        ref: run.ref,
        verdict: run.verdict,
        command: run.command,
        outcome: run.outcome,
      };

export const createRuleService = ({ context, ruleSet, onChange }: RuleServiceDeps): RuleCalls => {
  const { rules: store, clock, jobs } = context;

  const namedPaths = (command: string | null, file: string | null, folder: string | null): string[] =>
    pathsIn({ command, file, folder, home: context.env["HOME"] ?? "/" });

  const verdictView = ({ verdict, rule, isArmed, why, notify }: Judged): RuleVerdict => ({
    verdict,
    rule: rule?.name ?? null,
    mode: rule === null ? null : modeOf(rule, isArmed, ruleSet.current.blocksApproval),
    why,
    notify: notify.map(({ name }) => name),
  });

  const viewer = () => {
    const [armed, counts, lasts] = [store.listArmedRules(), store.countRuleRuns(), store.lastRuleRuns()];
    return (rule: Rule) => view(rule, armed, counts, lasts);
  };

  const view = (
    rule: Rule,
    armed: readonly ArmedRule[],
    counts: ReturnType<typeof store.countRuleRuns>,
    lasts: readonly RuleRun[],
  ) => {
    const { rules, blocksApproval } = ruleSet.current;
    const hash = hashOf(rule, rules);
    const found = armed.find((one) => one.hash === hash);
    const count = (isWould: boolean): number =>
      counts
        .filter((one) => one.hash === hash && one.verdict.startsWith("would_") === isWould)
        .reduce((sum, one) => sum + one.count, 0);
    return {
      name: rule.name,
      then: rule.then,
      mode: modeOf(rule, found !== undefined, blocksApproval),
      hash,
      armed_at: found === undefined ? null : iso(found.at),
      armed_by: found?.surface ?? null,
      when: rule.when,
      channel: rule.channel ?? null,
      limit: rule.limit,
      notes: notesOf(rule),
      answered: count(false),
      would_have: count(true),
      last: lastOf(lasts.find((one) => one.hash === hash)),
    } satisfies RuleView;
  };

  const find = async (name: string): Promise<Rule> => {
    await ruleSet.reload();
    const rule = ruleSet.current.rules.find((one) => one.name === name);
    if (rule === undefined) throw noRule(name);
    return rule;
  };

  const viewOf = (rule: Rule): RuleView => viewer()(rule);

  const toPast = ({ at, row }: ReturnType<typeof store.listAsked>[number]): RulePast | null => {
    const { request, agent } = row;
    if (request === null || agent === null) return null;
    const command = request.kind === "command" ? request.body : null;
    const asked: Asked = {
      agent,
      target: row.identity.target,
      session: row.identity.session_name,
      kind: request.kind,
      tool: request.tool_name,
      command,
      folder: row.activity?.folder ?? null,
      // Where it led then, nobody knows any more.
      leadsTo: (folder) => folder,
      paths: namedPaths(command, request.kind === "edit" ? request.body : null, row.activity?.folder ?? null),
    };
    return {
      at: iso(at),
      agent,
      ref: row.identity.pane_ref,
      kind: request.kind,
      asked: oneLine(context.redact)(command ?? request.title),
      ...verdictView(judgeRequest(ruleSet.now(), asked)),
    };
  };

  return {
    rules: async () => {
      await ruleSet.reload();
      const { rules, problems, blocksApproval } = ruleSet.current;
      const pausedAt = jobs.pausedAt();
      return {
        path: ruleSet.path,
        exists: ruleSet.exists,
        paused_at: pausedAt === null ? null : iso(pausedAt),
        blocks_approval: blocksApproval,
        problems: [...problems],
        items: rules.map(viewer()),
      };
    },
    ruleCheck: async ({ text }) => {
      if (text === null) await ruleSet.reload();
      const { rules, problems, blocksApproval } = text === null ? ruleSet.current : readRules(text);
      return {
        rules: rules.length,
        blocks_approval: blocksApproval,
        problems: [...problems],
        notes: rules.flatMap((rule) => notesOf(rule).map((note) => ({ rule: rule.name, note }))),
      };
    },
    ruleTest: async ({ command, agent, session, folder }) => {
      await ruleSet.reload();
      const named = namedPaths(command, null, folder);
      const folders = ruleSet.current.rules.flatMap(({ when }) => when.cwd ?? []);
      const real = await realFolders(context, HOST_TARGET, folder === null ? folders : [folder, ...folders]);
      const asked: Asked = {
        agent,
        target: HOST_TARGET,
        session,
        kind: "command",
        tool: "Bash",
        command,
        folder,
        leadsTo: (one) => real.get(one) ?? null,
        paths: [...named, ...(await realPaths(named))],
      };
      return { words: wordsOf(command), ...verdictView(judgeRequest(ruleSet.now(), asked)) };
    },
    ...createRuleDrafts({ context, ruleSet, onChange, viewOf }),
    ruleHistory: async ({ limit }) => {
      await ruleSet.reload();
      return {
        items: store
          .listAsked(limit)
          .map(toPast)
          .filter((one) => one !== null),
      };
    },
    ruleLog: async ({ limit }) => ({
      items: store.listRuleRuns(limit).map((run) => ({
        at: iso(run.at),
        rule: run.rule,
        hash: run.hash,
        verdict: run.verdict,
        runtime_id: run.runtimeId,
        ref: run.ref,
        prompt_fingerprint: run.fingerprint,
        command: run.command,
        outcome: run.outcome,
        action_id: run.actionId,
      })),
    }),
    ruleArm: async ({ name, hash, surface }, caller) => {
      const rule = await find(name);
      if (rule.then === "leave" || rule.then === "notify")
        throw refuse(
          `the rule '${name}' presses no key: it is in force without being armed`,
          "Leave it as it is.",
        );
      if (hashOf(rule, ruleSet.current.rules) !== hash)
        throw refuse(
          `the rule '${name}' has changed since it was shown; nothing was armed`,
          "Look at it again: 'agtmux rule list'.",
        );
      if (rule.then === "approve" && ruleSet.current.blocksApproval)
        throw refuse(
          "the rules file has a mistake in it; nothing was armed",
          "Correct what 'agtmux rule check' says, then arm the rule.",
        );
      const agent = await findAgentOf(caller, context);
      if (agent !== null)
        throw refuse(
          `${agent} asks for this: no agent arms rules; nothing was armed`,
          "Run it yourself, in a terminal that no agent started.",
        );
      store.armRule({ hash, rule: name, at: clock.now(), surface });
      context.record({ action: "rule-arm", surface, ref: `rule:${name}`, outcome: "armed" });
      onChange();
      return viewOf(rule);
    },
    ruleDisarm: async ({ name, surface }) => {
      const wasArmed = store.disarmRule(name);
      if (wasArmed) {
        context.record({ action: "rule-disarm", surface, ref: `rule:${name}`, outcome: "disarmed" });
        onChange();
      }
      await ruleSet.reload();
      const rule = ruleSet.current.rules.find((one) => one.name === name);
      if (rule === undefined && !wasArmed) throw noRule(name);
      return { name, was_armed: wasArmed, rule: rule === undefined ? null : viewOf(rule) };
    },
  };
};
