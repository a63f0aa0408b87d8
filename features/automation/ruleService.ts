// Answers the calls on rules: what is in force, what is wrong, what they would make of a request, what they did; to draft and add
// one, and to arm them, which no agent may (`findCallerAgent`). Requests of agents are answered in rules/ruleRunner.ts.
// oxlint-disable unicorn/no-thenable -- a rule says what comes "then": always a word, never a function
import { AgtmuxError, isMissing } from "../../core/model/errors.ts";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import { findAgentOf } from "../../core/ports/callerAgent.ts";
import type { Caller, FeatureContext } from "../../core/ports/feature.ts";
import { readFile } from "node:fs/promises";
import type { RuleView, RuleRun, RulePast, RuleVerdict } from "../../core/model/rule.ts";
import type { ToldRequest } from "../../core/model/request.ts";
import type { AutomationService } from "./calls.ts";
import {
  addRule,
  draftRule,
  draftText,
  hashOf,
  notesOf,
  stops,
  textOfRule,
  type Rule,
  readRules,
} from "./rules/ruleFile.ts";
import { wordsOf } from "./rules/ruleCommands.ts";
import type { RuleSet } from "./rules/ruleSet.ts";
import type { ArmedRule } from "../../core/ports/store.ts";
import { oneLine } from "./channels/channelMessage.ts";
import { judgeRequest, type Asked, type Judged } from "./rules/judgeRequest.ts";
import { pathsIn, realFolders, realPaths } from "./rules/rulePaths.ts";

// Callers: no agent arms its own rules, nor does what it runs, nor what runs it (core/ports/callerAgent.ts).

/** The name of an agent that makes the call; null: none does. @throws AgtmuxError E_UNSUPPORTED where nobody can tell. */
export const findCallerAgent = (caller: Caller, context: FeatureContext): Promise<string | null> =>
  findAgentOf(caller, {
    run: (argv, options) => context.target(HOST_TARGET).run(argv, options),
    ownPid: process.pid,
    adapters: context.adapters(),
    refusal: {
      message: "can't tell who asks for this; nothing was armed",
      remedy: "Arm it in the app's window, or with 'agtmux rule arm' in a terminal of this machine.",
    },
  });

const NOT_POSSIBLE = { remedy: "Answer it yourself." };

/** Makes a rule of what an agent asks now, and adds it to the rules file, where it begins in shadow whatever was armed before. */
const createRuleDrafts = ({
  context,
  ruleSet,
  onChange,
  viewOf,
}: {
  readonly context: FeatureContext;
  readonly ruleSet: RuleSet;
  /** A rule was added. */
  readonly onChange: () => void;
  readonly viewOf: (rule: Rule) => RuleView;
}) => {
  const { rules: store } = context;

  /** Armed rules that approve stop counting once the rules that go before them change. */
  const armedApprovals = (): readonly Rule[] => {
    const { rules, armed } = ruleSet.now();
    return rules.filter((rule) => rule.then === "approve" && armed.has(hashOf(rule, rules)));
  };

  const draftNotes = (rule: Rule, { doubt, folder }: ToldRequest): string[] => {
    const shaken = stops(rule) ? armedApprovals() : [];
    return [
      ...notesOf(rule, context.config()),
      ...(rule.then === "approve" && folder === null
        ? ["can't tell which folder this runs in, so the rule applies in every folder"]
        : []),
      ...(rule.then === "approve" && doubt !== null ? [`as asked now, it would come to you: ${doubt}`] : []),
      ...(shaken.length === 0
        ? []
        : [`adding it turns these back into dry runs: ${shaken.map(({ name }) => name).join(", ")}`]),
    ];
  };

  const requireNoSecret = ({ command, folder }: ToldRequest): void => {
    for (const text of [command ?? "", folder ?? ""])
      if (context.redact(text) !== text)
        throw new AgtmuxError("E_UNSUPPORTED", "what that agent asks contains a secret", NOT_POSSIBLE);
  };

  return {
    ruleDraft: async ({ runtimeId, fingerprint, verdict, agent }) => {
      await ruleSet.reload();
      const asked = context.requests.find(runtimeId);
      if (asked === null) throw new AgtmuxError("E_STALE_SNAPSHOT", "that agent asks nothing now");
      if (fingerprint !== null && asked.fingerprint !== fingerprint)
        throw new AgtmuxError("E_STALE_SNAPSHOT", "that agent asks something else now");
      requireNoSecret(asked);
      const words = wordsOf(asked.command ?? "");
      const taken = new Set(ruleSet.current.rules.map(({ name }) => name));
      const rule = words === null ? null : draftRule(words, { folder: asked.folder, agent }, verdict, taken);
      if (rule === null)
        throw new AgtmuxError("E_UNSUPPORTED", "rules support only simple commands", {
          remedy: "Answer it yourself.",
        });
      const { name, when, then } = rule;
      return { rule: { name, when, then }, text: draftText(rule), notes: draftNotes(rule, asked) };
    },
    ruleAdd: async ({ text, surface }) => {
      const rule = await ruleSet.change(async (path) => {
        const added = addRule(await readOrNull(path), text);
        if ("problem" in added)
          throw new AgtmuxError("E_CONFIG_INVALID", `${added.problem}; nothing was added`, {
            remedy: "See 'agtmux rule check'.",
          });
        // Just this text may have been armed before, and taken out of the file since.
        store.disarmRule(added.rule.name);
        await context.target(HOST_TARGET).files.writeText(path, added.text);
        return added.rule;
      });
      context.record({ action: "rule-add", surface, ref: `rule:${rule.name}`, outcome: "added" });
      onChange();
      return viewOf(rule);
    },
  } satisfies Partial<AutomationService>;
};

const readOrNull = async (path: string): Promise<string | null> => {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return null;
    throw new AgtmuxError("E_CONFIG_INVALID", "the rules file cannot be read; nothing was added", {
      cause: error,
    });
  }
};

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

export const createRuleService = ({
  context,
  ruleSet,
  onChange,
}: {
  readonly context: FeatureContext;
  readonly ruleSet: RuleSet;
  /** Something was armed or disarmed. */
  readonly onChange: () => void;
}) => {
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
      text: textOfRule(rule),
      limit: rule.limit,
      notes: notesOf(rule, context.config()),
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
      // Where the folder led then is not known any more.
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
        notes: rules.flatMap((rule) =>
          notesOf(rule, context.config()).map((note) => ({ rule: rule.name, note })),
        ),
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
        throw refuse(`the rule '${name}' presses no key, so it needs no arming`, "It is in force already.");
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
      const agent = await findCallerAgent(caller, context);
      if (agent !== null)
        throw refuse(
          `${agent} asks for this, and agents can't arm rules; nothing was armed`,
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
  } satisfies Partial<AutomationService>;
};
