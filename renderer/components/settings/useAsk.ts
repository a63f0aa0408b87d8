// A request to the daemon whose answer a settings page shows; sent when the page opens and again when something changed.
import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import { toFailure } from "../../connection/connectHost.ts";
import type { Failure } from "../../../ui/actions/actionStatus.ts";

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

/** `ask` is called again whenever `key` changes; an answer to an older request is dropped. */
export const useAsk = <T>(key: string, ask: () => Promise<T>): Asked<T> => {
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
  const question = `${round} ${key}`;
  useEffect(() => {
    begin(question.slice(question.indexOf(" ") + 1));
    return () => {
      lastRef.current += 1;
    };
  }, [question]);

  const reload = useCallback(() => {
    // What is under way was asked before whatever is the reason for this.
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
