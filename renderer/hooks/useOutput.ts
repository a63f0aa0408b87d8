// What a pane shows right now, again and again while somebody looks. Nothing is asked while the popover is hidden, and never
// twice at once.
import { useEffect, useEffectEvent, useState } from "react";
import type { OutputSource, PaneOutput } from "../../core/model/actionView.ts";
import type { PaneView } from "../../core/model/view.ts";
import { toFailure, type Api } from "../connection/connectHost.ts";
import type { Failure } from "../../ui/actions/actionStatus.ts";
import { agentInput } from "../../ui/actions/guards.ts";
import type { Visibility } from "../state/visibility.ts";
import { useVisibility } from "./useVisibility.ts";

export type OutputState =
  | { kind: "loading" }
  | { kind: "ready"; output: PaneOutput }
  /** `output`: the last that could be read. */
  | { kind: "failed"; failure: Failure; output: PaneOutput | null };

/** Between an answer and the next question. */
const PAUSE_MS = 1_500;
const LINES = 80;

interface FollowOptions {
  visibility: Visibility;
  ask: (signal: AbortSignal) => Promise<PaneOutput>;
  onOutput: (output: PaneOutput) => void;
  onFailure: (failure: Failure) => void;
}

/** Asks until it is told to stop; pauses while the popover is hidden. */
const follow = ({ visibility, ask, onOutput, onFailure }: FollowOptions): (() => void) => {
  const aborter = new AbortController();
  let timer: ReturnType<typeof setTimeout> | null = null;
  let isAsking = false;
  const look = async (): Promise<void> => {
    if (isAsking || aborter.signal.aborted || !visibility.isVisible()) return;
    isAsking = true;
    try {
      const output = await ask(aborter.signal);
      if (!aborter.signal.aborted) onOutput(output);
    } catch (error) {
      if (!aborter.signal.aborted) onFailure(toFailure(error));
    } finally {
      isAsking = false;
      if (!aborter.signal.aborted && visibility.isVisible()) timer = setTimeout(() => void look(), PAUSE_MS);
    }
  };
  const onVisibility = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    void look();
  };
  const stopListening = visibility.subscribe(onVisibility);
  void look();
  return () => {
    aborter.abort();
    if (timer !== null) clearTimeout(timer);
    stopListening();
  };
};

/** For a component that is made anew for another pane, agent or source. */
export const useOutput = (api: Api, pane: PaneView, source: OutputSource): OutputState => {
  const visibility = useVisibility();
  const [state, setState] = useState<OutputState>({ kind: "loading" });
  // Bound to the agent whose row this is; the rest of the row may change meanwhile.
  const ask = useEffectEvent((signal: AbortSignal) =>
    api.viewOutput.mutate({ ...agentInput(pane), lines: LINES, source }, { signal }),
  );
  useEffect(
    () =>
      follow({
        visibility,
        ask: (signal) => ask(signal),
        onOutput: (output) => setState({ kind: "ready", output }),
        onFailure: (failure) =>
          setState((before) => ({
            kind: "failed",
            failure,
            output: before.kind === "loading" ? null : before.output,
          })),
      }),
    [visibility],
  );
  return state;
};
