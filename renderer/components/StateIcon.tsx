// A state as a shape: told apart without colour. Decorative, because the words are beside it.
import type { ReactNode } from "react";
import type { CanonicalState } from "../../core/model/state.ts";
import styles from "./StateIcon.module.css";

const stroke = { fill: "none", stroke: "currentColor", strokeWidth: 1.8, strokeLinecap: "round" } as const;

const SHAPES: Readonly<Record<CanonicalState, ReactNode>> = {
  waiting_approval: <path d="M8 1.8 15 14.2H1z" fill="currentColor" strokeLinejoin="round" />,
  waiting_input: (
    <>
      <path d="M5 5.6a3 3 0 1 1 4.4 2.6C8.4 8.8 8 9.3 8 10.4" {...stroke} />
      <circle cx="8" cy="13.4" r="1.2" fill="currentColor" />
    </>
  ),
  error: <path d="m3.5 3.5 9 9m0-9-9 9" {...stroke} strokeWidth={2.2} />,
  running: <circle cx="8" cy="8" r="5" fill="currentColor" />,
  completed: <path d="m2.8 8.6 3.4 3.4 7-8" {...stroke} strokeWidth={2.2} strokeLinejoin="round" />,
  idle: <circle cx="8" cy="8" r="4.3" {...stroke} />,
  unknown: <path d="M3.5 8h9" {...stroke} strokeWidth={2} />,
};

export const StateIcon = ({ state }: { state: CanonicalState | null }) => (
  <svg className={styles.icon} data-state={state ?? "unknown"} viewBox="0 0 16 16" aria-hidden="true">
    {SHAPES[state ?? "unknown"]}
  </svg>
);
