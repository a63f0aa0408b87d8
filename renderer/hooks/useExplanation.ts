// Asks the daemon why a pane is in its state, again whenever the state changes. Only while the row is expanded.
import { useEffect, useState } from "react";
import type { Explanation } from "../../core/model/view.ts";
import { toFailure, type Api } from "../connection/connectHost.ts";
import type { Failure } from "../../ui/actions/actionStatus.ts";

export type ExplanationState =
  | { kind: "loading" }
  /** `asked`: the state version that the question was about. */
  | { kind: "ready"; asked: number; explanation: Explanation }
  | { kind: "failed"; failure: Failure };

/** What was there stays shown while the newer answer is on its way. */
export const useExplanation = (api: Api, ref: string, stateVersion: number): ExplanationState => {
  const [state, setState] = useState<ExplanationState>({ kind: "loading" });
  useEffect(() => {
    const aborter = new AbortController();
    const load = async () => {
      try {
        const explanation = await api.explain.query({ ref }, { signal: aborter.signal });
        if (!aborter.signal.aborted) setState({ kind: "ready", asked: stateVersion, explanation });
      } catch (error) {
        if (!aborter.signal.aborted) setState({ kind: "failed", failure: toFailure(error) });
      }
    };
    void load();
    return () => aborter.abort();
  }, [api, ref, stateVersion]);
  return state;
};
