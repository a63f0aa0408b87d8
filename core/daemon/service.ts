// The daemon as its surfaces see it: answers from memory, actions through the gate, and what follows when the machine wakes up.
// Nothing here reads tmux or files itself; it only connects the other parts.
import type { AdapterService, AdapterSwitch, ReadScreenNow } from "./adapterService.ts";
import type { IntegrationService } from "../integrations/integrationService.ts";
import { createAttachBuilder, showPlan, type DesktopActions, type FocusTerminal } from "../actions/attach.ts";
import { createActionAudit } from "../actions/audit.ts";
import { createAttention } from "../actions/attention.ts";
import { withFreshIndexes, createResolveTyped } from "./resolveTyped.ts";
import { createPaneActions } from "../actions/paneActions.ts";
import { createSeenRows } from "./seenRows.ts";
import type { Doctor } from "../doctor/doctor.ts";
import type { ConnectedTargets } from "../connections/connectedTarget.ts";
import type { TargetService } from "../connections/targetService.ts";
import type { SettingsService } from "../config/configFile.ts";
import { createGate, type ActionSubject, type Gate } from "../actions/prepare.ts";
import { FeedHub } from "../api/feedHub.ts";
import { listPanes, listSessions, listWindows, type ListingInput } from "../api/listing.ts";
import { NotificationScheduler } from "../api/notifications/notificationScheduler.ts";
import { minuteOfDay } from "../api/notifications/judgeNotification.ts";
import type { DaemonService } from "../api/calls.ts";
import type { Hello } from "../api/protocol.ts";
import type { SubjectNow } from "../engine/guard.ts";
import { resolveRef } from "../engine/ref.ts";
import { placeIdOf } from "../model/shortRef.ts";
import { rollUp, SCHEMA_VERSION, type Explanation } from "../model/view.ts";
import type { Ingest } from "../ingest/ingest.ts";
import { confirmedAt, explanation } from "../ingest/view.ts";
import type { RuntimeEntry } from "../ingest/liveState.ts";
import type { Config } from "../model/config.ts";
import { AgtmuxError } from "../model/errors.ts";
import { HOST_TARGET, type Pane, type PaneKey } from "../model/runtime.ts";
import { MAX_REQUEST_TEXT } from "../model/request.ts";
import type { Clock, IdSource } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";
import { whyNoAgent } from "../collect/processWatch.ts";
import { redactText } from "../store/redact.ts";

const PROCESS_FRESH_MS = 10_000;
const FOCUS_TIMEOUT_MS = 5_000;

/** Whether the app starts at login, as the app has it. */
export interface LoginItem {
  readonly state: { isOn: boolean };
  set(isOn: boolean): void;
}

/** A machine that wakes up reports that in several ways within seconds. */
const ONCE_IN_MS = 5_000;

/**
 * One rescan of all connected targets and one attempt per lost connection, however often and by however many surfaces the waking
 * is reported. Resolves when the attempts are over; never rejects because an attempt failed.
 */
export const createWakeUp = ({
  connectedTargets,
  targetService,
  clock,
}: {
  connectedTargets: ConnectedTargets;
  targetService: TargetService;
  clock: Clock;
}): (() => Promise<void>) => {
  let lastAt: number | null = null;
  return async () => {
    if (lastAt !== null && clock.now() - lastAt < ONCE_IN_MS) return;
    lastAt = clock.now();
    for (const connected of connectedTargets.all()) connected.collector.rescan();
    await targetService.retryNow();
  };
};

export const createService = (deps: {
  ingest: Ingest;
  store: Store;
  clock: Clock;
  ids: IdSource;
  config: () => Config;
  hello: () => Hello;
  requestShutdown: () => void;
  /** A folder of the person's alone, for sockets. */
  screenFolder: string;
  integrations: IntegrationService;
  adapterService: AdapterService;
  adapterSwitch: AdapterSwitch;
  settingsService: SettingsService;
  readSshAliases: DaemonService["sshAliases"];
  screenNow: ReadScreenNow;
  connectedTargets: ConnectedTargets;
  targetService: TargetService;
  doctor: Doctor;
  desktop: {
    /** Opens a terminal window that runs `argv`; null where the host has none. */
    openTerminal: ((argv: readonly string[]) => Promise<void>) | null;
    /** Brings a terminal to the front by its tty; null where the host cannot. */
    focusTerminal: FocusTerminal | null;
    /** Starting the app at login; absent where the host is no app that could. */
    loginItem?: LoginItem;
  };
}) => {
  const { ingest, store, clock } = deps;

  const listing = (): ListingInput => ({
    rows: ingest.rows(true),
    targets: ingest.targets(),
    agents: () => deps.adapterService.list().items.map(({ agent_type }) => agent_type),
    now: clock.now(),
  });

  const targetName = (targetId: string): string =>
    ingest.liveState.targets.get(targetId)?.targetName ?? targetId;

  const toSubject = (pane: Pane, entry: RuntimeEntry | undefined, paneRef: string): ActionSubject => ({
    target: targetName(pane.targetId),
    server: pane.server,
    links: [pane, ...pane.alsoIn],
    windowId: pane.windowId,
    paneId: pane.paneId,
    paneIndex: pane.paneIndex,
    runtimeId: entry?.runtime.runtimeId ?? null,
    key: { targetId: pane.targetId, server: pane.server, paneId: pane.paneId },
    paneRef,
  });

  function* subjects(): Iterable<ActionSubject> {
    const refs = new Map(
      ingest
        .rows(true)
        .map((row) => [
          `${row.identity.target}/${row.identity.tmux_server}/${placeIdOf(row)}`,
          row.identity.pane_ref,
        ]),
    );
    for (const pane of ingest.liveState.panes())
      yield toSubject(
        pane,
        ingest.liveState.liveOf(pane),
        refs.get(`${targetName(pane.targetId)}/${pane.server}/${pane.paneId}`) ?? "",
      );
  }

  const current = (key: PaneKey): SubjectNow | null => {
    // Without a connection nothing that is known is current, so this fails with the reason, which a person has to know.
    deps.connectedTargets.get(key.targetId);
    const pane = ingest.liveState.paneOf(key);
    if (pane === undefined) return null;
    const entry = ingest.liveState.liveOf(key);
    if (entry === undefined)
      return {
        runtimeId: null,
        stateVersion: 0,
        state: null,
        fingerprint: null,
        confirmedAt: null,
        processAlive: false,
      };
    const { processVerifiedAt } = entry.liveness;
    return {
      runtimeId: entry.runtime.runtimeId,
      stateVersion: entry.stateVersion,
      state: entry.resolution?.status.state ?? null,
      fingerprint: entry.prompt?.fingerprint ?? null,
      confirmedAt: confirmedAt(entry, pane),
      processAlive: processVerifiedAt !== null && clock.now() - processVerifiedAt <= PROCESS_FRESH_MS,
    };
  };

  const gate: Gate = createGate({
    store,
    clock,
    ids: deps.ids,
    lookup: { subjects, current },
    timing: () => deps.config().timing,
  });

  const feedHub = new FeedHub({
    version: () => ingest.feedVersion,
    now: () => clock.now(),
    rows: (all) => ingest.rows(all),
    targets: () => ingest.targets(),
    summary: rollUp,
    transitionsAfter: (version, limit) => store.listTransitionsAfter(version, limit),
    oldestVersion: () => store.transitionRange().first,
    firstVersionSince: (at) => store.firstVersionSince(at),
    onChanges: (listener) => ingest.onChanges(listener),
  });

  const attention = createAttention({ ingest, connectedTargets: deps.connectedTargets, clock });

  const notifications = new NotificationScheduler({
    now: () => clock.now(),
    minuteOfDay: () => minuteOfDay(clock.now()),
    setTimer: (delayMs, callback) => clock.setTimer(delayMs, callback),
    policy: () => deps.config().notifications,
    redact: (text) => redactText(text, MAX_REQUEST_TEXT),
    ...attention,
  });

  const audit = createActionAudit({
    gate,
    store,
    beginAction: (runtimeId, actionId) => {
      const close = ingest.beginAction(runtimeId, actionId);
      const targetId = ingest.liveState.runtimes.get(runtimeId)?.runtime.targetId;
      if (targetId !== undefined) deps.connectedTargets.find(targetId)?.collector.scheduleReads();
      return close;
    },
    clock,
    ids: deps.ids,
  });
  const paneActions = createPaneActions({
    ingest,
    gate,
    audit,
    connectedTargets: deps.connectedTargets,
    screenFolder: deps.screenFolder,
    store,
    clock,
    ids: deps.ids,
  });
  const seen = createSeenRows({
    ingest,
    audit,
    subjects,
    connectedTargets: deps.connectedTargets,
    unattended: paneActions.unattended,
    clock,
  });

  const planAttach = createAttachBuilder({
    connectedTargets: deps.connectedTargets,
    paneOf: (key) => ingest.liveState.paneOf(key),
    instanceOf: (targetId, server) => ingest.liveState.serverOf(targetId, server)?.instance ?? null,
    agentOf: ({ subject: { runtimeId } }) => ingest.liveState.runtimes.get(runtimeId ?? ""),
  });

  const openAttach: DaemonService["openAttach"] = (input) =>
    seen.attachThroughGate("attach", input, ({ verified }) => {
      const { executor } = deps.connectedTargets.get(verified.subject.key.targetId);
      const desktop: DesktopActions = {
        run: async (argv) => (await executor.run(argv, { timeoutMs: FOCUS_TIMEOUT_MS })).exitCode,
        openTerminal: deps.desktop.openTerminal,
        focusTerminal: deps.desktop.focusTerminal,
      };
      return showPlan(desktop, (may) => planAttach(gate.renew(verified), { insideTmux: null, ...may }));
    });

  const explain = async ({ ref }: { ref: string }): Promise<Explanation> => {
    const rows = ingest.rows(true);
    const known =
      seen.findCrashed(ref)?.view ?? rows.find((row) => ref === `runtime:${row.identity.runtime_id}`);
    const subject = known === undefined ? resolveRef(ref, subjects()) : null;
    const row = known ?? rows.find((one) => one.identity.pane_ref === subject?.paneRef);
    if (row === undefined) throw new AgtmuxError("E_REF_NOT_FOUND", `nothing matches '${ref.slice(0, 200)}'`);
    const { runtime_id } = row.identity;
    const entry = runtime_id === null ? null : (ingest.liveState.runtimes.get(runtime_id) ?? null);
    const history = runtime_id === null ? [] : store.listTransitionsOf(runtime_id, 100);
    const pane =
      entry === null || entry.crashedAt !== null ? undefined : ingest.liveState.paneOf(entry.runtime);
    const adapter = entry?.adapter ?? null;
    const screen = pane === undefined || adapter === null ? null : await deps.screenNow(pane, adapter);
    const said = { ...explanation(row, entry, history, clock.now()), screen };
    if (entry !== null || subject === null) return said;
    const empty = ingest.liveState.paneOf(subject.key);
    if (empty === undefined) return said;
    const processes = await deps.connectedTargets
      .get(empty.targetId)
      .processesOf(empty)
      // Without processes, the sentence of `whyNoAgent` says that they cannot be read.
      .catch(() => []);
    return { ...said, rule: whyNoAgent(processes) };
  };

  const calls: DaemonService = {
    hello: deps.hello,
    shutdown: deps.requestShutdown,
    panes: (filters) => listPanes(listing(), filters),
    windows: (filters) => listWindows(listing(), filters),
    sessions: (filters) => listSessions(listing(), filters),
    targets: () => ingest.targets(),
    targetAdd: (input) => deps.targetService.add(input),
    sshAliases: () => deps.readSshAliases(),
    targetChange: (input) => deps.targetService.change(input),
    targetConnect: ({ name }) => deps.targetService.connect(name),
    targetRemove: async ({ name, isConfirmed }) => {
      if (!isConfirmed)
        throw new AgtmuxError(
          "E_CONFIRMATION_REQUIRED",
          `target remove forgets '${name.slice(0, 64)}' and its panes`,
        );
      await deps.targetService.remove(name);
    },
    feed: (options, signal) => feedHub.subscribe(options, signal),
    notices: (signal) => notifications.subscribe(signal),
    resolve: createResolveTyped({ ingest, connectedTargets: deps.connectedTargets }),
    lookNow: createWakeUp({
      connectedTargets: deps.connectedTargets,
      targetService: deps.targetService,
      clock,
    }),
    explain,
    prepareAttach: (input) =>
      seen.attachThroughGate("attach", input, ({ verified }) =>
        planAttach(verified, { insideTmux: input.insideTmux, mayFocus: input.mayFocus, maySwitch: false }),
      ),
    openAttach,
    dismiss: seen.dismiss,
    markSeen: seen.markSeen,
    mute: seen.mute,
    rename: seen.rename,
    ...paneActions.calls,
    underWay: () => ({ actions: audit.underWay }),
    viewOutput: seen.viewing(paneActions.calls.viewOutput),
    adapters: () => deps.adapterService.list(),
    adapterCheck: (file) => deps.adapterService.check(file),
    adapterSwitch: async ({ agent, enabled }) => ({
      schema_version: SCHEMA_VERSION,
      agent_type: agent,
      enabled,
      changed: await deps.adapterSwitch.set(agent, enabled),
    }),
    packs: async () => deps.adapterService.packs.list(await deps.doctor.installedVersions()),
    packLook: ({ hash }) => deps.adapterService.packs.look(hash),
    packTake: ({ hash, approvesAnswers }, caller = { kind: "unknown" }) =>
      deps.adapterService.packs.take(hash, approvesAnswers ? caller : null),
    packRollBack: ({ agent }) => deps.adapterService.packs.rollBack(agent),
    adapterTry: async ({ ref, file }) => {
      const subject = resolveRef(ref, subjects());
      const pane = ingest.liveState.paneOf(subject.key);
      if (pane === undefined) throw new AgtmuxError("E_REF_NOT_FOUND", `${subject.paneRef} is gone`);
      const agent = ingest.liveState.liveOf(subject.key)?.runtime.agentType ?? null;
      return deps.adapterService.tryOn({ pane, paneRef: subject.paneRef, agent, file });
    },
    configGet: () => deps.settingsService.get(),
    configSet: ({ key, value }) => deps.settingsService.set(key, value),
    integrationList: async ({ target = HOST_TARGET }) => (await deps.integrations.of(target)).list(),
    integrationChange: async ({ target = HOST_TARGET, ...input }) => {
      const report = await (await deps.integrations.of(target)).change(input);
      if (report.applied) await deps.integrations.noteHookless(target);
      return report;
    },
    integrationNotifier: async ({ target = HOST_TARGET, ...input }) => {
      // What is muted is muted everywhere.
      if (input.who === "agent") await deps.integrations.refuseSilencedElsewhere(target, input.agent);
      return (await deps.integrations.of(target)).chooseNotifier(input, async (isMuted) => {
        const muted = (await deps.settingsService.get()).values["notifications.muted_agents"];
        if (muted.includes(input.agent) === isMuted) return;
        const others = muted.filter((agent) => agent !== input.agent);
        await deps.settingsService.set(
          "notifications.muted_agents",
          isMuted ? [...others, input.agent] : others,
        );
      });
    },
    integrationRemoveAll: async ({ target = HOST_TARGET, dryRun }) => {
      const report = await (await deps.integrations.of(target)).removeAll({ dryRun });
      if (report.applied) await deps.integrations.noteHookless(target);
      return { target, ...report };
    },
    loginItemOff: async ({ dryRun }) => {
      const { loginItem = null } = deps.desktop;
      if (loginItem === null) return null;
      const wasOn = loginItem.state.isOn;
      if (!dryRun && wasOn) loginItem.set(false);
      return { wasOn };
    },
    integrationVerify: async ({ target = HOST_TARGET, agent }) =>
      (await deps.integrations.of(target)).verify({ agent }),
    setupLook: ({ target = HOST_TARGET }) => deps.doctor.lookAtSetup(target),
    doctor: (input) => deps.doctor.examine(input),
  };
  return {
    ...withFreshIndexes(calls, deps),
    attention,
    unattended: paneActions.unattended,
    notifications,
    feedHub,
    /** Resolves once the actions that are under way have ended. */
    actionsEnded: () => audit.ended(),
    /** To be called about once a second. */
    review: (): Promise<void> => {
      notifications.review();
      return seen.review();
    },
  };
};

/** All calls of surfaces, and the parts that the daemon itself drives. */
export type Service = ReturnType<typeof createService>;
