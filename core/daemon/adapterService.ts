// Adapters for surfaces: the switch that disables one, what a screen shows now, and which are in force, what is wrong with a file
// and what rules say about a live pane. Only the switch writes (config.json); nothing here changes a state.
import { describeProblem } from "../doctor/hostChecks.ts";
import { stamp } from "../model/schemaVersion.ts";
import type { Config } from "../model/config.ts";
import { AgtmuxError } from "../model/errors.ts";
import { findNamed } from "../collect/processWatch.ts";
import {
  type AdapterSource,
  type AgentAdapter,
  type Screen,
  type AdapterOrigin,
  type AdapterText,
  type DetectionPacks,
  ADAPTER_CONTRACT_VERSION,
} from "../ports/agentAdapter.ts";
import { type Explanation, SCHEMA_VERSION } from "../model/view.ts";
import type { Pane, ProcessInfo } from "../model/runtime.ts";
import type { AdapterCheck, AdapterList, AdapterTry, RuleMatch } from "../model/adapterView.ts";
import type { PackList, PackOffer, PackView } from "../model/detectionPack.ts";
import { requestView } from "../model/request.ts";
import { findAgentOf } from "../ports/callerAgent.ts";
import type { Caller } from "../ports/feature.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import type { Clock } from "../ports/clock.ts";
import type { ScreenLook } from "../tmux/topology.ts";
import type { AdapterRow } from "../ports/store.ts";

/**
 * Which adapters count. A person may disable one in `config.json` or with `agtmux adapters disable`; only the file counts. A
 * disabled adapter stays known (it is listed, its hook can be removed), but nothing is recognised as its agent.
 */
export const createAdapterSwitch = ({
  adapters,
  config,
  write,
}: {
  adapters: AdapterSource;
  config: () => Config;
  /** Writes the list of disabled agent types; resolves when it is in force. */
  write: (valueOf: (current: Config) => readonly string[]) => Promise<void>;
}) => {
  const isEnabled = (agentType: string): boolean => !config().adapters.disabled.includes(agentType);
  const types = (): string[] => adapters.list().map(({ agentType }) => agentType);
  const enabled: AdapterSource = {
    list: () => adapters.list().filter(({ agentType }) => isEnabled(agentType)),
    byAgentType: (agentType) => (isEnabled(agentType) ? adapters.byAgentType(agentType) : null),
    // All adapters take part in recognising a pane's agent: the pane of a disabled agent must not count as that of a tool
    // which it runs.
    identify: (processes) => {
      const found =
        adapters.identify(processes) ??
        findNamed(processes, config().agents, (type) => adapters.byAgentType(type));
      return found === null || !isEnabled(found.adapter.agentType) ? null : found;
    },
    ...(adapters.files === undefined ? {} : { files: adapters.files }),
  };
  return {
    isEnabled,
    /** Disabled agent types that no adapter has: a typing mistake, or an adapter file that is missing now. */
    unknown: (): readonly string[] =>
      config().adapters.disabled.filter((agentType) => !types().includes(agentType)),
    /** The adapters without the disabled ones. */
    enabled,
    /**
     * Resolves when it is in force; false when nothing had to change.
     * @throws AgtmuxError E_USAGE for an agent that is not known, E_CONFIG_INVALID for a file that is already invalid.
     */
    set: async (agentType: string, isWanted: boolean): Promise<boolean> => {
      // Enabling also removes agent types that are no longer known.
      if (!types().includes(agentType) && (!isWanted || isEnabled(agentType)))
        throw new AgtmuxError("E_USAGE", `there is no agent '${agentType.slice(0, 100)}'`, {
          remedy: `Agents: ${types().join(", ")}.`,
        });
      if (isEnabled(agentType) === isWanted) return false;
      await write(({ adapters: { disabled } }) =>
        isWanted
          ? disabled.filter((one) => one !== agentType)
          : [...new Set([...disabled, agentType])].toSorted(),
      );
      return true;
    },
  };
};

export type AdapterSwitch = ReturnType<typeof createAdapterSwitch>;

// Screen now: what it shows and which of its rows the rules matched, for `explain`. The stored evidence quotes only what was seen
// then; this reads the whole screen again with the same rules.

type ScreenNow = NonNullable<Explanation["screen"]>;

/** How many rows around a matching one are shown too. */
const CONTEXT_ROWS = 2;
const MAX_ROWS = 30;
/** A shorter quote would match everywhere. */
const MIN_QUOTE = 3;

const squeeze = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** Rows that hold the quote or a part of it: an adapter's quote may span rows, or join several with a slash. */
export const matchingRows = (lines: readonly string[], matched: string): number[] => {
  const quotes = [matched, ...matched.split(" / ")].map(squeeze).filter((quote) => quote.length >= MIN_QUOTE);
  return lines.flatMap((line, row) => {
    const text = squeeze(line);
    const isMatch = quotes.some(
      (quote) => text.includes(quote) || (text.length > MIN_QUOTE && quote.includes(text)),
    );
    return isMatch ? [row] : [];
  });
};

export const describeScreen = (
  screen: Screen,
  adapter: AgentAdapter,
  redact: (text: string) => string,
): ScreenNow => {
  const reading = adapter.readScreen(screen);
  if (reading === null) return { state: null, reason_code: null, matched: null, lines: [] };
  const { status, matched } = reading;
  const rows = new Set(matchingRows(screen.lines, matched));
  const isNear = (row: number): boolean => [...rows].some((one) => Math.abs(one - row) <= CONTEXT_ROWS);
  const lines = screen.lines.flatMap((text, row) =>
    isNear(row) ? [{ row: row + 1, text: redact(text), is_match: rows.has(row) }] : [],
  );
  return {
    state: status.state,
    reason_code: status.reasonCode,
    matched: redact(matched),
    lines: lines.slice(-MAX_ROWS),
  };
};

export type ReadScreenNow = (pane: Pane, adapter: AgentAdapter) => Promise<Explanation["screen"]>;

/** Null where the screen cannot be read now. */
export const createScreenNow =
  (deps: {
    look: (pane: Pane) => Promise<ScreenLook | null>;
    redact: (text: string) => string;
  }): ReadScreenNow =>
  async (pane, adapter) => {
    const look = await deps.look(pane);
    return look === null ? null : describeScreen({ ...look, title: pane.title }, adapter, deps.redact);
  };

// Answers about adapters.

const filesWanted = (adapters: AdapterSource): NonNullable<AdapterSource["files"]> => {
  if (adapters.files !== undefined) return adapters.files;
  throw new AgtmuxError("E_UNSUPPORTED", "this daemon takes no adapter files");
};

/** The calls on detection packs. Only a person allows what a pack may answer: no agent does, nor anybody who cannot be told. */
const createPackCalls = ({
  adapters,
  clock,
  run,
}: Pick<AdapterServiceDeps, "adapters" | "clock" | "run">) => {
  const wanted = (): DetectionPacks => {
    if (adapters.packs !== undefined) return adapters.packs;
    throw new AgtmuxError("E_UNSUPPORTED", "this daemon takes no detection packs");
  };
  const requirePerson = async (caller: Caller): Promise<void> => {
    const agent = await findAgentOf(caller, {
      run,
      ownPid: process.pid,
      adapters: adapters.list(),
      refusal: {
        message: "can't tell who allows this; nothing was changed",
        remedy: "Use 'agtmux adapters update' in a terminal of this machine.",
      },
    });
    if (agent === null) return;
    throw new AgtmuxError("E_UNSUPPORTED", `${agent} can't allow what a pack answers; nothing was changed`, {
      remedy: "Allow it yourself, in a terminal in which no agent runs.",
    });
  };
  return {
    /** `installed`: the versions of agents on this machine, by their types, as far as they are known. */
    list: (installed: ReadonlyMap<string, string>): PackList => ({
      ...stamp(clock.now()),
      items: (adapters.packs?.list() ?? []).map((view) => ({
        ...view,
        installed_version: installed.get(view.agent_type) ?? null,
      })),
    }),
    look: async (hash: string): Promise<PackOffer> => wanted().look(hash),
    /** `approver`: who allows its answers; null: nobody does. */
    take: async (hash: string, approver: Caller | null): Promise<PackView> => {
      if (approver !== null) await requirePerson(approver);
      return wanted().take(hash, approver !== null);
    },
    rollBack: async (agentType: string): Promise<PackView> => wanted().rollBack(agentType),
  };
};

const healthOf = (adapter: AgentAdapter) => {
  const health = adapter.health?.() ?? { status: "ok" };
  return { health: health.status, health_reason: health.status === "ok" ? null : health.reason };
};

interface AdapterServiceDeps {
  adapters: AdapterSource;
  adapterSwitch: AdapterSwitch;
  clock: Clock;
  /** Visible lines of a pane now; null where it cannot be read. */
  capture: (pane: Pane) => Promise<readonly string[] | null>;
  processesOf: (pane: Pane) => Promise<readonly ProcessInfo[]>;
  /** A program of this machine. */
  run: TargetExecutor["run"];
  /** Takes secrets out of what is quoted from a screen. */
  redact: (text: string) => string;
}

export const createAdapterService = (deps: AdapterServiceDeps) => {
  const { adapters, adapterSwitch, clock, redact } = deps;
  const originOf = (agentType: string): AdapterOrigin =>
    adapters.files?.originOf(agentType) ?? { kind: "built-in", files: [] };

  const matchesOf = (adapter: AgentAdapter, screen: Screen): RuleMatch[] => {
    const reading = adapter.traceScreen === undefined ? adapter.readScreen(screen) : null;
    const traces = adapter.traceScreen?.(screen) ?? (reading === null ? [] : [{ rule: "built-in", reading }]);
    return traces.map(({ rule, reading: { status, confidence, matched, request } }) => ({
      rule,
      state: status.state,
      reason_code: status.reasonCode,
      confidence,
      matched: redact(matched),
      request:
        request === null
          ? null
          : requestView({
              ...request,
              title: redact(request.title),
              body: request.body === null ? null : redact(request.body),
            }),
    }));
  };

  const wanted = (
    file: AdapterText | null,
  ): readonly { adapter: AgentAdapter; kind: AdapterOrigin["kind"] }[] => {
    if (file === null)
      return adapters.list().map((adapter) => ({ adapter, kind: originOf(adapter.agentType).kind }));
    const { adapter, kind, problems } = filesWanted(adapters).check(file);
    if (adapter !== null) return [{ adapter, kind }];
    throw new AgtmuxError("E_CONFIG_INVALID", `${file.name} has problems`, {
      remedy: "Correct those lines.",
      details: problems.map(describeProblem),
    });
  };

  return {
    list: (): AdapterList => {
      const packs = new Map(
        adapters.packs?.list().map(({ agent_type, version }) => [agent_type, version] as const),
      );
      return {
        ...stamp(clock.now()),
        contract_version: ADAPTER_CONTRACT_VERSION,
        items: adapters.list().map((adapter) => ({
          agent_type: adapter.agentType,
          display_name: adapter.displayName,
          version: adapter.version,
          enabled: adapterSwitch.isEnabled(adapter.agentType),
          source: originOf(adapter.agentType).kind,
          files: [...originOf(adapter.agentType).files],
          pack: packs.get(adapter.agentType) ?? null,
          recorded_versions: [...adapter.recordedVersions],
          unverified_versions: [...(adapter.unverifiedVersions ?? [])],
          verified: adapter.capabilities.verified,
          has_integration: adapter.integration !== undefined,
          capabilities: {
            ...adapter.capabilities,
            supports_interrupt: adapter.interruptKeys !== undefined,
            supports_send_later: adapter.readDraft !== undefined,
            supports_session_name: adapter.sessionNameCommand !== undefined,
            supports_reset: adapter.readReset !== undefined,
            supports_start: adapter.launch !== undefined,
            supports_resume: adapter.launch?.resume !== undefined,
          },
          ...healthOf(adapter),
        })),
        problems: [...(adapters.files?.problems() ?? [])],
        disabled_unknown: [...adapterSwitch.unknown()],
      };
    },
    check: (file: AdapterText): AdapterCheck => {
      const { adapter: one, problems } = filesWanted(adapters).check(file);
      return { schema_version: SCHEMA_VERSION, agent_type: one?.agentType ?? null, problems: [...problems] };
    },
    /** `file` null: all adapters. Fails with E_CONFIG_INVALID for a bad file, E_TARGET_UNREACHABLE for an unreadable pane. */
    tryOn: async ({
      pane,
      paneRef,
      agent,
      file,
    }: {
      pane: Pane;
      paneRef: string;
      agent: string | null;
      file: AdapterText | null;
    }): Promise<AdapterTry> => {
      const chosen = wanted(file);
      const [lines, processes] = await Promise.all([deps.capture(pane), deps.processesOf(pane)]);
      if (lines === null)
        throw new AgtmuxError("E_TARGET_UNREACHABLE", `the screen of ${paneRef} cannot be read`);
      const { title, isAlternate, width, height } = pane;
      const screen: Screen = { lines, title, isAlternate, width, height };
      return {
        ...stamp(clock.now()),
        pane_ref: paneRef,
        title: redact(title),
        line_count: lines.length,
        agent,
        trials: chosen.map(({ adapter, kind }) => {
          const match = adapter.identify(processes);
          return {
            agent_type: adapter.agentType,
            source: kind,
            identifies:
              match === null
                ? null
                : { pid: match.process.pid, sign: match.sign, confidence: match.confidence },
            matches: matchesOf(adapter, screen),
          };
        }),
      };
    },
    packs: createPackCalls(deps),
    /** Rows of the `adapters` table. */
    rows: (): AdapterRow[] =>
      adapters.list().map((adapter) => ({
        adapterName: adapter.agentType,
        agentType: adapter.agentType,
        version: adapter.version,
        capabilities: { ...adapter.capabilities },
        enabled: adapterSwitch.isEnabled(adapter.agentType),
        updatedAt: clock.now(),
      })),
  };
};

export type AdapterService = ReturnType<typeof createAdapterService>;
