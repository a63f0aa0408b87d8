// Starts an agent: which one, where, on which branch, with which task, or with what another one hands over to it. The daemon says what is not possible; what was typed stays.
import { useId, useLayoutEffect, useMemo, useState, type ReactNode } from "react";
import type { StartableAgent } from "../../core/model/workspace.ts";
import type { LimitList, PaneView } from "../../core/model/view.ts";
import { agentChoices, agentToHandTo } from "../../ui/text/limitText.ts";
import { agentName, paneState, rowTitle } from "../../ui/text/rowText.ts";
import {
  agentToStart,
  folderToStartIn,
  foldersOf,
  readHandoff,
  startInput,
  startedPane,
  startedText,
  type StartForm,
  type StartedView,
} from "../../ui/text/sessionText.ts";
import { createActionSurface, PopoverContext, usePopover, type Popover } from "../state/popover.ts";
import { openReadGate } from "../state/readGate.ts";
import { useStore } from "../state/store.ts";
import { ActionButton } from "./Buttons.tsx";
import { Dialog } from "./Dialog.tsx";
import { FailureText } from "./fields.tsx";
import { PaneRow } from "./PaneRow.tsx";
import { useAsk, useStart } from "../hooks/useAsk.ts";
import { cardKeys } from "../hooks/useKeyboard.ts";
import { useReadCards } from "../hooks/useReadCards.ts";
import styles from "./StartDialog.module.css";

/** Agents that can be started on a machine, the likeliest first; null until the daemon has said which. */
const useAgents = (target: string): readonly StartableAgent[] | null => {
  const { api } = usePopover().host;
  const { value, failure } = useAsk<readonly StartableAgent[]>(target, async () =>
    target === "" ? [] : api.workspaces.startable.mutate({ target }),
  );
  // Without an answer there is nothing to choose; the button stays off.
  return failure === null ? value : [];
};

const Labelled = ({ label, children }: { label: string; children: ReactNode }) => (
  <label className={styles.field}>
    <span>{label}</span>
    {children}
  </label>
);

// What came of it. What the agent asks before it goes on is answered here, on the card that its row has in the list.

/** A card in a dialog is read apart from those behind it, of which nothing is in view. */
const useOwnGate = (onLeave: () => void): Popover => {
  const popover = usePopover();
  return useMemo(() => {
    const gate = openReadGate();
    const surface = createActionSurface({ ...popover, gate });
    return {
      ...popover,
      gate,
      surface: {
        ...surface,
        // They open in the list.
        showPanel: (pane, panel) => {
          onLeave();
          surface.showPanel(pane, panel);
        },
      },
    };
  }, [popover, onLeave]);
};

const AskedCard = ({ pane, onShow }: { pane: PaneView; onShow: () => void }) => {
  const { gate, list, limits, statuses } = usePopover();
  const [box, setBox] = useState<HTMLElement | null>(null);
  const { dialog, command } = useStore(list);
  useStore(limits);
  useStore(statuses);
  const key = pane.identity.pane_ref;
  useReadCards(box, key);
  // Another dialog above this one.
  const isCovered = command !== null || (dialog !== null && dialog.kind !== "handOver");
  useLayoutEffect(() => (isCovered ? gate.cover() : undefined), [gate, isCovered]);
  return (
    <div ref={(element) => setBox(element?.closest("dialog") ?? null)} className={styles.asked}>
      <PaneRow
        row={{ kind: "pane", key, pane, place: "inbox" }}
        hasMachines={false}
        isWide
        isSelected
        isTabStop
        onFocus={() => {}}
        onToggle={onShow}
      />
    </div>
  );
};

const StartedDialog = ({ started, onClose }: { started: StartedView; onClose: () => void }) => {
  const { feed, list } = usePopover();
  const { panes } = useStore(feed);
  const own = useOwnGate(onClose);
  const pane = startedPane(started, panes);
  const asking = pane !== null && pane.needs_action && pane.request !== null ? pane : null;
  const onKeyDown = cardKeys(asking, own);
  const show = () => {
    onClose();
    if (asking !== null) list.showAgent(asking.identity.pane_ref);
  };
  return (
    <Dialog
      title={asking === null ? "Started" : `${agentName(asking)} asks first`}
      onClose={onClose}
      onKeyDown={onKeyDown}
    >
      {asking !== null && (
        <PopoverContext value={own}>
          <AskedCard pane={asking} onShow={show} />
        </PopoverContext>
      )}
      {startedText({ ...started, asks: pane === null ? started.asks : null }).map((line) => (
        <p key={line}>{line}</p>
      ))}
      {asking === null && pane !== null && started.asks !== null && <p role="status">{paneState(pane)}</p>}
    </Dialog>
  );
};

interface StartDialogProps {
  /** Where it works is where another one most likely starts. */
  selected: PaneView | null;
  /** Its session is handed over to the agent that starts: the task is what that one is told. */
  isHandedOver?: true;
  onClose: () => void;
}

/** What the next agent is told of this session; an empty text where none is handed over. */
const useHandoff = (from: PaneView | null) => {
  const { history } = usePopover().host.api;
  return useAsk(from === null ? "" : from.identity.pane_ref, async () =>
    from === null
      ? ""
      : readHandoff(from, {
          refresh: () => history.refresh.mutate(),
          handoff: (ref) => history.handoff.query({ ref }),
        }),
  );
};

const NO_LIMITS = { items: [], generated_at: "" };

/** What agents of a machine say of their accounts' limits; nothing where nobody hands over, and until it was read. */
const useAccountLimits = (target: string): Pick<LimitList, "items" | "generated_at"> => {
  const { history } = usePopover().host.api;
  const { value } = useAsk(target, async () =>
    target === "" ? NO_LIMITS : history.limits.mutate({ target: [target] }),
  );
  return value ?? NO_LIMITS;
};

export const StartDialog = ({ selected, isHandedOver, onClose }: StartDialogProps) => {
  const { panes, targets } = useStore(usePopover().feed);
  const from = isHandedOver === true ? selected : null;
  const handoff = useHandoff(from);
  const { task, done, start: startWith } = useStart();
  const foldersId = useId();
  /** Null: not touched. */
  const [typed, setForm] = useState<
    Omit<StartForm, "folder" | "text"> & { folder: string | null; text: string | null }
  >({
    agent: "",
    target: "",
    folder: null,
    branch: "",
    text: null,
  });
  const machines = [...targets.values()].filter(({ enabled }) => enabled).map(({ target }) => target);
  const usual = machines.find((target) => target === selected?.identity.target) ?? machines[0] ?? "";
  const target = typed.target === "" ? usual : typed.target;
  const known = useAgents(target);
  const agents = known ?? [];
  const { items: limits, generated_at: readAt } = useAccountLimits(from === null ? "" : target);
  const now = Date.parse(readAt);
  const form: StartForm = {
    ...typed,
    agent: typed.agent || (from === null ? agentToStart(agents) : agentToHandTo(agents, from, limits, now)),
    target,
    folder: typed.folder ?? folderToStartIn([...panes.values()], selected, target),
    text: typed.text ?? handoff.value ?? "",
  };
  // Without its text nothing would be handed over.
  const isMissing = from !== null && form.text.trim() === "";
  const set = (change: Partial<StartForm>) => {
    // What was wrong with the form as it was says nothing of what it is now.
    task.clear();
    setForm({ ...typed, ...change });
  };
  const input = startInput(form);
  const start = () => {
    if (input !== null && !isMissing) startWith(input);
  };
  if (done !== null) return <StartedDialog started={done} onClose={onClose} />;
  return (
    <Dialog
      title={from === null ? "Start an agent" : `Hand over “${rowTitle(from).text}”`}
      onClose={onClose}
      buttons={
        <>
          <ActionButton onClick={onClose}>Cancel</ActionButton>
          <ActionButton
            tone="primary"
            shortcut="Control+Enter"
            isDisabled={input === null || isMissing || task.isBusy}
            onClick={start}
          >
            {task.isBusy ? "Starting…" : "Start"}
          </ActionButton>
        </>
      }
    >
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (!task.isBusy) start();
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          if (!task.isBusy) start();
        }}
      >
        <Labelled label="Agent">
          <select
            value={form.agent}
            data-first-focus="true"
            onChange={(event) => set({ agent: event.target.value })}
          >
            {form.agent === "" && (
              <option value="">{known === null ? "Looking for agents…" : "Choose an agent"}</option>
            )}
            {agentChoices(agents, limits, now).map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </Labelled>
        {machines.length > 1 && (
          <Labelled label="Machine">
            <select value={form.target} onChange={(event) => set({ target: event.target.value })}>
              {machines.map((target) => (
                <option key={target} value={target}>
                  {target}
                </option>
              ))}
            </select>
          </Labelled>
        )}
        <Labelled label="Folder">
          <input
            value={form.folder}
            list={foldersId}
            placeholder="~/project"
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => set({ folder: event.target.value })}
          />
        </Labelled>
        <datalist id={foldersId}>
          {foldersOf([...panes.values()], form.target).map((folder) => (
            <option key={folder} value={folder} />
          ))}
        </datalist>
        <Labelled label="New worktree on branch (optional)">
          <input
            value={form.branch}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => set({ branch: event.target.value })}
          />
        </Labelled>
        <Labelled label={from === null ? "Task (optional)" : "What it is told"}>
          <textarea
            rows={from === null ? 4 : 10}
            value={form.text}
            placeholder={from !== null && handoff.failure === null ? "Reading its session…" : ""}
            onChange={(event) => set({ text: event.target.value })}
          />
        </Labelled>
        <FailureText failure={task.failure ?? handoff.failure} />
        <button type="submit" hidden tabIndex={-1} aria-hidden="true" />
      </form>
    </Dialog>
  );
};
