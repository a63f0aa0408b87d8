// What surfaces may ask about adapters: which are in force, what is wrong with a file, and what rules say about a live pane. It
// only reads; nothing that it finds changes a state.
import type { AdapterCheck, AdapterList, AdapterTry, AdapterView, RuleMatch } from "../model/adapterView.ts";
import { AgtmuxError } from "../model/errors.ts";
import { requestView } from "../model/request.ts";
import type { Pane, ProcessInfo } from "../model/runtime.ts";
import { SCHEMA_VERSION } from "../model/view.ts";
import type { AdapterOrigin, AdapterProblem, AdapterSource, AdapterText } from "../ports/adapterSource.ts";
import { ADAPTER_CONTRACT_VERSION, type AgentAdapter, type Screen } from "../ports/agentAdapter.ts";
import type { Clock } from "../ports/clock.ts";
import type { AdapterRow } from "../ports/store.ts";
import type { AdapterSwitch } from "./adapterSwitch.ts";

export interface AdapterServiceDeps {
  adapters: AdapterSource;
  adapterSwitch: Pick<AdapterSwitch, "isEnabled" | "unknown">;
  clock: Clock;
  /** Visible lines of a pane now; null where it cannot be read. */
  capture: (pane: Pane) => Promise<readonly string[] | null>;
  processesOf: (pane: Pane) => Promise<readonly ProcessInfo[]>;
  /** Takes secrets out of what is quoted from a screen. */
  redact: (text: string) => string;
}

export interface AdapterService {
  list(): AdapterList;
  check(file: AdapterText): AdapterCheck;
  /** `file` null: every adapter in force. Fails with E_CONFIG_INVALID for a file with problems, E_TARGET_UNREACHABLE for an unreadable pane. */
  tryOn(input: {
    pane: Pane;
    paneRef: string;
    agent: string | null;
    file: AdapterText | null;
  }): Promise<AdapterTry>;
  /** Rows of the `adapters` table. */
  rows(): AdapterRow[];
}

const filesWanted = (adapters: AdapterSource): NonNullable<AdapterSource["files"]> => {
  if (adapters.files !== undefined) return adapters.files;
  throw new AgtmuxError("E_UNSUPPORTED", "this daemon takes no adapter files");
};

const describeProblem = ({ file, line, path, message }: AdapterProblem): string =>
  `${file}:${line}: ${path === "" ? "" : `${path}: `}${message}`;

const healthOf = (adapter: AgentAdapter): Pick<AdapterView, "health" | "health_reason"> => {
  const health = adapter.health?.() ?? { status: "ok" };
  return { health: health.status, health_reason: health.status === "ok" ? null : health.reason };
};

export const createAdapterService = (deps: AdapterServiceDeps): AdapterService => {
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
      remedy: "Correct the named lines.",
      details: problems.map(describeProblem),
    });
  };

  return {
    list: () => ({
      schema_version: SCHEMA_VERSION,
      generated_at: new Date(clock.now()).toISOString(),
      contract_version: ADAPTER_CONTRACT_VERSION,
      items: adapters.list().map((adapter) => ({
        agent_type: adapter.agentType,
        display_name: adapter.displayName,
        version: adapter.version,
        enabled: adapterSwitch.isEnabled(adapter.agentType),
        source: originOf(adapter.agentType).kind,
        files: [...originOf(adapter.agentType).files],
        recorded_versions: [...adapter.recordedVersions],
        verified: adapter.capabilities.verified,
        has_integration: adapter.integration !== undefined,
        capabilities: {
          ...adapter.capabilities,
          supports_interrupt: adapter.interruptKeys !== undefined,
          supports_send_later: adapter.readDraft !== undefined,
          supports_reset: adapter.readReset !== undefined,
          supports_start: adapter.launch !== undefined,
          supports_resume: adapter.launch?.resume !== undefined,
        },
        ...healthOf(adapter),
      })),
      problems: [...(adapters.files?.problems() ?? [])],
      disabled_unknown: [...adapterSwitch.unknown()],
    }),
    check: (file) => {
      const { adapter: one, problems } = filesWanted(adapters).check(file);
      return { schema_version: SCHEMA_VERSION, agent_type: one?.agentType ?? null, problems: [...problems] };
    },
    tryOn: async ({ pane, paneRef, agent, file }) => {
      const chosen = wanted(file);
      const [lines, processes] = await Promise.all([deps.capture(pane), deps.processesOf(pane)]);
      if (lines === null)
        throw new AgtmuxError("E_TARGET_UNREACHABLE", `the screen of ${paneRef} cannot be read`);
      const { title, isAlternate, width, height } = pane;
      const screen: Screen = { lines, title, isAlternate, width, height };
      return {
        schema_version: SCHEMA_VERSION,
        generated_at: new Date(clock.now()).toISOString(),
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
    rows: () =>
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
