// Step 4: a notification, if this window can show one; otherwise who shows them, and what the daemon knows of that.
import { useEffect, useState } from "react";
import type { Host } from "../../connection/connectHost.ts";
import { displaySentence } from "../../../ui/text/displayText.ts";
import { ActionButton } from "../ActionButton.tsx";
import { FailureText } from "../settings/fields.tsx";
import { FindingItem } from "../settings/Findings.tsx";
import { useAsk } from "../settings/useAsk.ts";
import { useTask } from "../settings/useTask.ts";
import facts from "../settings/Findings.module.css";
import styles from "./onboarding.module.css";
import { StepFoot, type StepBodyProps } from "./StepFoot.tsx";

interface NotificationStepProps extends StepBodyProps {
  host: Host;
}

const Reachable = ({ host }: { host: Host }) => {
  const { value, failure } = useAsk("notices", async () => {
    const { findings } = await host.api.doctor.mutate({ target: "host" });
    return findings.filter(({ check }) => check === "daemon.notifications");
  });
  return (
    <>
      <p>
        This is the popover in a browser: it shows what waits, but only the desktop app notifies you while you
        look elsewhere. What the daemon knows of it:
      </p>
      <ul className={facts.facts} aria-label="Notifications">
        {(value ?? []).map((finding) => (
          <FindingItem key={finding.check} finding={finding} />
        ))}
      </ul>
      <FailureText failure={failure} />
    </>
  );
};

export const NotificationStep = ({ host, onFound, onNext, onSkip }: NotificationStepProps) => {
  const task = useTask();
  const [result, setResult] = useState<{ problem: string | null } | null>(null);
  const [wasSeen, setSeen] = useState(false);
  const { desktop } = host;
  useEffect(() => {
    if (wasSeen) onFound(true);
    else if (result !== null && result.problem !== null) onFound(false);
  }, [wasSeen, result, onFound]);
  return (
    <>
      {desktop === null ? (
        <Reachable host={host} />
      ) : (
        <>
          <p>
            You are told once of every wait. On a Mac the system asks at the first one whether agtmux may show
            notifications; a build that is not signed by a developer may not show any. Whether the system
            shows it, only you can see:
          </p>
          <div className={styles.buttons}>
            <ActionButton
              onClick={() =>
                void task.run(async () => setResult(await desktop.desktop.testNotification.mutate()))
              }
            >
              Show a test notification
            </ActionButton>
            {result !== null && result.problem === null && !wasSeen && (
              <ActionButton onClick={() => setSeen(true)}>I saw it</ActionButton>
            )}
          </div>
          <p role="status">
            {result !== null &&
              (result.problem === null
                ? "The system took it. If you did not see it, allow agtmux in the system’s notification settings and look at its focus mode."
                : displaySentence(result.problem))}
          </p>
          <FailureText failure={task.failure} />
        </>
      )}
      <StepFoot isProved={wasSeen} isLast onNext={onNext} onSkip={onSkip} />
    </>
  );
};
