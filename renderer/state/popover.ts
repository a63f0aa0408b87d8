// What every part of the popover gets: the host, the stores, and what actions on panes can use of this surface. It is made once
// per page, so that a row is drawn again only when its content changed.
import { createContext, useContext } from "react";
import type { AttachPlan } from "../../core/model/action.ts";
import type { PaneView } from "../../core/model/view.ts";
import { canNameSession, type ActionContext, type AgentLimits } from "../../ui/actions/disabledReasons.ts";
import { agentInput } from "../../ui/actions/guards.ts";
import type { ActionSurface } from "../../ui/actions/paneActions.ts";
import type { ShownResult } from "../../ui/actions/actionStatus.ts";
import type { FeedState } from "../../ui/lists/feedReducer.ts";
import { shellCommand } from "../../ui/text/displayText.ts";
import { SURFACE, toFailure, type Host } from "./connectHost.ts";
import type { ActionStatusStore } from "./actionStatusStore.ts";
import type { BrowserSigns } from "./browserSigns.ts";
import type { CommentStore, DraftStore } from "./stored.ts";
import type { FeedStore } from "./feedStore.ts";
import type { KeyHold, ReadGate } from "./readGate.ts";
import { isShownWhole, type ListStore } from "./listStore.ts";
import { tickedOf, withTick, type Ticks } from "../../ui/actions/ticks.ts";
import { useStore, type Store, type TickingClock } from "./store.ts";

export interface Popover {
  readonly host: Host;
  readonly feed: FeedStore;
  readonly clock: TickingClock;
  readonly list: ListStore;
  readonly statuses: ActionStatusStore;
  readonly drafts: DraftStore;
  readonly comments: CommentStore;
  readonly hold: KeyHold;
  readonly gate: ReadGate;
  /** The person points at the list: nothing may move below the pointer. A key ends it. */
  readonly pointing: Store<boolean>;
  /** Null in the desktop app, which has signs of its own. */
  readonly signs: BrowserSigns | null;
  /** What the daemon cannot do to some agents. */
  readonly limits: Store<AgentLimits>;
  /** What is ticked of questions that take several answers. */
  readonly ticks: Store<Ticks>;
  readonly surface: ActionSurface;
  readonly retry: () => void;
}

export const PopoverContext = createContext<Popover | null>(null);

export const usePopover = (): Popover => {
  const popover = useContext(PopoverContext);
  if (popover === null) throw new Error("a part of the popover is drawn outside of its context");
  return popover;
};

const DAY_MS = 86_400_000;

const refOf = (pane: PaneView): string => pane.identity.pane_ref;

/** Nobody sees from a browser which terminal shows the pane now. */
const shownAt = ({ mode, existingClient }: AttachPlan): ShownResult | null =>
  mode === "switch_client" && existingClient !== null
    ? { outcome: "delivered", detail: `The terminal ${existingClient.tty} shows it now`, notes: [] }
    : null;

/** A text that waits for this agent's next rest, or for the end of the limit at which it stopped; a day at most. */
const laterInput = (runtimeId: string, text: string, kind: "ready" | "reset") => ({
  runtimeId,
  trigger: { kind },
  text,
  expiresMs: DAY_MS,
  surface: SURFACE,
});

export const createActionSurface = ({
  host: { api, desktop },
  list,
  statuses,
  gate,
  ticks,
  drafts,
  limits,
}: Pick<Popover, "host" | "list" | "statuses" | "gate" | "ticks" | "drafts" | "limits">): ActionSurface => ({
  api,
  start: (pane, kind, call) => statuses.run(refOf(pane), kind, call),
  refuse: (pane, kind, why) => statuses.refuse(refOf(pane), kind, why),
  wasRead: (pane) => gate.letsClick(refOf(pane), pane.prompt_fingerprint),
  openTerminal: async (pane) => {
    try {
      const plan = await api.openAttach.mutate(agentInput(pane));
      list.showCommand(null);
      return shownAt(plan);
    } catch (error) {
      if (toFailure(error).code !== "E_UNSUPPORTED") throw error;
      // It goes through the gate all the same: what is offered is the pane that was shown.
      await api.prepareAttach.mutate(agentInput(pane));
      list.showCommand({ pane, command: shellCommand(["agtmux", "attach", pane.short_ref]) });
      return null;
    }
  },
  sendWhenReady: (runtimeId, text) => api.automation.send.mutate(laterInput(runtimeId, text, "ready")),
  sendAtReset: (runtimeId, text) => api.automation.send.mutate(laterInput(runtimeId, text, "reset")),
  showPanel: (pane, panel) => {
    const ref = refOf(pane);
    if (panel === "output") return list.toggleOpen(ref);
    // A card shows what is asked; of another row one sees first what it did.
    if (!pane.needs_action) list.open(ref);
    list.showReply(ref);
  },
  showWhole: (pane) => list.showWhole(pane),
  tick: (pane, number) => ticks.set(withTick(ticks.getState(), pane, number)),
  ticked: (pane) => tickedOf(ticks.getState(), pane),
  showChanges: (pane) => list.showDialog({ kind: "changes", pane }),
  makeRule: (pane) => list.showDialog({ kind: "rule", pane }),
  openPage: async (page) => {
    if (desktop === null) window.open(page, "_blank", "noopener,noreferrer");
    else await desktop.desktop.openPage.mutate({ page });
    return null;
  },
  handOver: (pane) => list.showDialog({ kind: "handOver", pane }),
  ask: (question) => list.showDialog({ kind: "question", question }),
  askForText: (question) => list.showDialog({ kind: "text", question }),
  canNameSession: (pane) => canNameSession(pane, limits.getState()),
  keepDraft: (pane, text) => {
    // What the person writes there already is another text.
    if (!drafts.getState().has(refOf(pane))) drafts.write(refOf(pane), text);
  },
  askToKill: (pane) => list.showDialog({ kind: "kill", pane }),
});

const isConnected = ({ connection }: FeedState): boolean => connection.kind === "live";
const isUnreachable = ({ targets }: FeedState, pane: PaneView): boolean =>
  targets.get(pane.identity.target)?.health === "down";

/** The present facts beside a pane, for keys. */
export const actionContextOf = ({ feed, list, limits, ticks }: Popover, pane: PaneView): ActionContext => ({
  isConnected: isConnected(feed.getState()),
  isUnreachable: isUnreachable(feed.getState(), pane),
  ...limits.getState(),
  isShownWhole: (one) => isShownWhole(one, list.getState().unfolded),
  ticked: (one) => tickedOf(ticks.getState(), one),
});

/** The same for components, which are drawn again when any of these facts changes. */
export const useActionContext = (pane: PaneView): ActionContext => {
  const { feed, list, limits, ticks } = usePopover();
  const ticked = useStore(ticks);
  const unfolded = useStore(list, (state) => state.unfolded);
  return {
    isConnected: useStore(feed, isConnected),
    isUnreachable: useStore(feed, (state) => isUnreachable(state, pane)),
    ...useStore(limits),
    isShownWhole: (one) => isShownWhole(one, unfolded),
    ticked: (one) => tickedOf(ticked, one),
  };
};
