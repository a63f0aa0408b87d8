// The setup: four steps that prove the chain from tmux to a notification. Each shows its real result, and can be skipped and
// run again; the progress is remembered.
import { type ReactNode, useCallback, useState } from "react";
import type { PaneView } from "../../../core/model/view.ts";
import type { Host } from "../../connection/connectHost.ts";
import { useEscape } from "../../hooks/useEscape.ts";
import { STEPS, type Onboarding, type StepId, type StepResult } from "../../state/onboarding.ts";
import { ActionButton } from "../ActionButton.tsx";
import { Page } from "../settings/Page.tsx";
import { AgentsStep } from "./AgentsStep.tsx";
import { HooksStep } from "./HooksStep.tsx";
import { NotificationStep } from "./NotificationStep.tsx";
import type { StepBodyProps } from "./StepFoot.tsx";
import { TmuxStep } from "./TmuxStep.tsx";
import settings from "../settings/settings.module.css";
import styles from "./onboarding.module.css";

export const OnboardingOffer = ({ onStart, onRefuse }: { onStart: () => void; onRefuse: () => void }) => (
  <section className={styles.offer} aria-label="Setup">
    <p>New here? Four steps prove that you see every agent and hear of every wait.</p>
    <div className={styles.buttons}>
      <ActionButton tone="primary" onClick={onStart}>
        Set up
      </ActionButton>
      <ActionButton onClick={onRefuse}>Not now</ActionButton>
    </div>
  </section>
);

interface StepProps {
  number: number;
  title: string;
  isCurrent: boolean;
  result: StepResult | undefined;
  onOpen: () => void;
  children: ReactNode;
}

const RESULT_WORDS: Readonly<Record<StepResult, string>> = {
  done: "proved",
  failed: "needs attention",
  skipped: "skipped",
};
const MARKS: Readonly<Record<StepResult, string>> = { done: "✓", failed: "!", skipped: "·" };

export const Step = ({ number, title, isCurrent, result, onOpen, children }: StepProps) => (
  <li className={styles.step} data-current={isCurrent}>
    <h2 className={styles.stepTitle}>
      <button type="button" className={styles.head} aria-expanded={isCurrent} onClick={onOpen}>
        <span className={styles.number} data-result={result ?? "open"} aria-hidden="true">
          {result === undefined ? number : MARKS[result]}
        </span>
        <span className={styles.headText}>{title}</span>
        {result !== undefined && (
          <span className={styles.result} data-result={result}>
            {RESULT_WORDS[result]}
          </span>
        )}
      </button>
    </h2>
    {isCurrent && <div className={styles.content}>{children}</div>}
  </li>
);

interface OnboardingViewProps {
  host: Host;
  /** Panes with an agent. */
  panes: readonly PaneView[];
  onboarding: Onboarding;
  onChange: (change: (before: Onboarding) => Onboarding) => void;
  onLeave: () => void;
}

const TITLES: Readonly<Record<StepId, string>> = {
  tmux: "Find tmux",
  agents: "Find your agents",
  hooks: "Install hooks and test one",
  notification: "Show a notification",
};

interface BodyProps extends StepBodyProps, Pick<OnboardingViewProps, "host" | "panes"> {
  step: StepId;
}

const Body = ({ step, host, panes, ...common }: BodyProps) => {
  switch (step) {
    case "tmux":
      return <TmuxStep {...common} api={host.api} />;
    case "agents":
      return <AgentsStep {...common} api={host.api} panes={panes} />;
    case "hooks":
      return <HooksStep {...common} api={host.api} panes={panes} />;
    case "notification":
      return <NotificationStep {...common} host={host} />;
  }
};

export const OnboardingView = ({ host, panes, onboarding, onChange, onLeave }: OnboardingViewProps) => {
  const [current, setCurrent] = useState<StepId>("tmux");
  const note = useCallback(
    (step: StepId, result: StepResult) =>
      onChange((before) => ({ ...before, results: { ...before.results, [step]: result } })),
    [onChange],
  );
  const found = useCallback((isGood: boolean) => note(current, isGood ? "done" : "failed"), [note, current]);
  const next = () => {
    const following = STEPS[STEPS.indexOf(current) + 1];
    if (following !== undefined) setCurrent(following);
    else {
      onChange((before) => ({ ...before, isSettled: true }));
      onLeave();
    }
  };
  const skip = () => {
    note(current, "skipped");
    next();
  };
  const leave = () => {
    onChange((before) => ({ ...before, isSettled: true }));
    onLeave();
  };
  useEscape(leave);
  return (
    <div className={settings.view}>
      <Page title="Set up agtmux" backLabel="Agents" onBack={leave}>
        <p className={styles.lead}>You find this again in the settings.</p>
        <ol className={styles.steps}>
          {STEPS.map((step, index) => (
            <Step
              key={step}
              number={index + 1}
              title={TITLES[step]}
              isCurrent={step === current}
              result={onboarding.results[step]}
              onOpen={() => setCurrent(step)}
            >
              <Body step={step} host={host} panes={panes} onFound={found} onNext={next} onSkip={skip} />
            </Step>
          ))}
        </ol>
      </Page>
    </div>
  );
};
