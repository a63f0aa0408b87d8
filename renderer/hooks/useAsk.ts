// Hooks that talk to the daemon: `useAsk` (an answer that a part of the page shows), `useTask` (work that a button starts),
// `useDesktop` (the app's state), `useStart` (starting an agent), `useLooks` (polling while the popover is visible).
import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import { SURFACE, toFailure, type Api, type DesktopApi } from "../state/connectHost.ts";
import { usePopover } from "../state/popover.ts";
import type { StartedView } from "../../ui/text/sessionText.ts";
import type { Failure } from "../../ui/actions/actionStatus.ts";
import type { DesktopState } from "../../core/model/desktop.ts";

export interface Asked<T> {
  /** The last answer; it stays while the request is repeated. */
  value: T | null;
  failure: Failure | null;
  isLoading: boolean;
  reload: () => void;
  /** Sets an answer that arrived with another call. */
  put: (value: T) => void;
}

interface Answer<T> {
  key: string;
  value: T | null;
  failure: Failure | null;
  isLoading: boolean;
}

/**
 * `ask` is called again whenever `key` changes; an answer to an older request is dropped. A change of `version` asks again, too,
 * but the earlier answer stays until the newer one arrives.
 */
export const useAsk = <T>(key: string, ask: () => Promise<T>, version = 0): Asked<T> => {
  const [answer, setAnswer] = useState<Answer<T>>({ key, value: null, failure: null, isLoading: true });
  const lastRef = useRef(0);
  const begin = useEffectEvent((wanted: string) => {
    lastRef.current += 1;
    const mine = lastRef.current;
    ask().then(
      (value) => {
        if (mine === lastRef.current) setAnswer({ key: wanted, value, failure: null, isLoading: false });
      },
      (error: unknown) => {
        if (mine !== lastRef.current) return;
        setAnswer((before) => ({
          key: wanted,
          value: before.key === wanted ? before.value : null,
          failure: toFailure(error),
          isLoading: false,
        }));
      },
    );
  });
  const [round, setRound] = useState(0);
  const question = `${version}/${round} ${key}`;
  useEffect(() => {
    begin(question.slice(question.indexOf(" ") + 1));
    return () => {
      lastRef.current += 1;
    };
  }, [question]);

  const reload = useCallback(() => {
    // A request under way was sent before the reason to reload, so its answer is dropped.
    lastRef.current += 1;
    setAnswer((before) => ({ ...before, isLoading: true }));
    setRound((count) => count + 1);
  }, []);
  const put = useCallback(
    (value: T) => {
      lastRef.current += 1;
      setAnswer({ key, value, failure: null, isLoading: false });
    },
    [key],
  );
  const isCurrent = answer.key === key;
  return {
    value: isCurrent ? answer.value : null,
    failure: isCurrent ? answer.failure : null,
    isLoading: !isCurrent || answer.isLoading,
    reload,
    put,
  };
};

interface Task {
  isBusy: boolean;
  failure: Failure | null;
  /** Does nothing while it is busy. Resolves when the work ended, even if it failed. */
  run: (work: () => Promise<void>) => Promise<void>;
  clear: () => void;
}

/** Work that a button starts: one at a time, with its result. */
export const useTask = (): Task => {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const busyRef = useRef(false);
  const isHereRef = useRef(true);
  useEffect(() => {
    isHereRef.current = true;
    return () => {
      isHereRef.current = false;
    };
  }, []);
  const run = useCallback(async (work: () => Promise<void>) => {
    if (busyRef.current) return;
    busyRef.current = true;
    setBusy(true);
    setFailure(null);
    try {
      await work();
    } catch (error) {
      if (isHereRef.current) setFailure(toFailure(error));
    }
    busyRef.current = false;
    if (isHereRef.current) setBusy(false);
  }, []);
  const clear = useCallback(() => setFailure(null), []);
  return { isBusy, failure, run, clear };
};

interface Desktop extends Asked<DesktopState> {
  task: Task;
  change: (work: () => Promise<DesktopState>) => void;
}

/** The state of the app around the page, and the calls that change it; each answers with the new state. */
export const useDesktop = (api: DesktopApi): Desktop => {
  const asked = useAsk("desktop", () => api.desktop.state.query());
  const task = useTask();
  const { put } = asked;
  const { run } = task;
  const change = useCallback(
    (work: () => Promise<DesktopState>) => void run(async () => put(await work())),
    [put, run],
  );
  return { ...asked, task, change };
};

/** Longer than the daemon waits for an agent that was started, and for its first prompt. */
const START_MS = 15_000;

/** The daemon's input without what the popover adds. */
type StartInput = Omit<Parameters<Api["workspaces"]["start"]["mutate"]>[0], "surface" | "waitMs">;

/** Starts an agent. `done`: the result; null until then. */
export const useStart = () => {
  const { api } = usePopover().host;
  const task = useTask();
  const [done, setDone] = useState<StartedView | null>(null);
  const start = (input: StartInput) =>
    void task.run(async () => {
      setDone(await api.workspaces.start.mutate({ ...input, waitMs: START_MS, surface: SURFACE }));
    });
  return { task, done, start };
};

/** Polls at once and again while the popover is visible, never twice at a time. `look` gives the pause after it, in ms. */
export const useLooks = (look: (signal: AbortSignal) => Promise<number>): void => {
  const { visibility } = usePopover().host;
  const lookOnce = useEffectEvent(look);
  useEffect(() => {
    const aborter = new AbortController();
    const { signal } = aborter;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isLooking = false;
    const goOn = async (): Promise<void> => {
      clearTimeout(timer);
      if (isLooking || signal.aborted || !visibility.isVisible()) return;
      isLooking = true;
      const pauseMs = await lookOnce(signal);
      isLooking = false;
      if (!signal.aborted && visibility.isVisible()) timer = setTimeout(() => void goOn(), pauseMs);
    };
    const stopListening = visibility.subscribe(() => void goOn());
    void goOn();
    return () => {
      aborter.abort();
      clearTimeout(timer);
      stopListening();
    };
  }, [visibility]);
};
