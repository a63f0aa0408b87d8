// The setup: four steps that prove the chain from tmux to a notification. Each shows what really came of it, can be passed
// by and run again; how far one came is remembered.
import { useCallback, useState } from "react";
import type { PaneView } from "../../../core/model/view.ts";
import type { Host } from "../../connection/connectHost.ts";
import { useEscape } from "../../hooks/useEscape.ts";
import { STEPS, type Onboarding, type StepId, type StepResult } from "../../state/onboarding.ts";
import { Page } from "../settings/Page.tsx";
import settings from "../settings/settings.module.css";
import { AgentsStep } from "./AgentsStep.tsx";
import { HooksStep } from "./HooksStep.tsx";
import { NotificationStep } from "./NotificationStep.tsx";
import styles from "./onboarding.module.css";
import { Step } from "./Step.tsx";
import { TmuxStep } from "./TmuxStep.tsx";

interface OnboardingViewProps {
  host: Host;
  /** Those with an agent. */
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

const Body = (props: {
  step: StepId;
  host: Host;
  panes: readonly PaneView[];
  onFound: (isGood: boolean) => void;
  onNext: () => void;
  onSkip: () => void;
}) => {
  const { step, host, panes, ...common } = props;
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
