// Shows a notification to see whether the system lets it through. Only the desktop app can.
import { useState } from "react";
import type { DesktopApi } from "../../connection/connectHost.ts";
import { displaySentence } from "../../../ui/text/displayText.ts";
import { ActionButton } from "../ActionButton.tsx";
import { Absent, FailureText, Group } from "./fields.tsx";
import styles from "./settings.module.css";
import { useTask } from "./useTask.ts";

export const TestNotification = ({ desktop }: { desktop: DesktopApi | null }) => {
  const task = useTask();
  const [result, setResult] = useState<{ problem: string | null } | null>(null);
  return (
    <Group title="Does it work?">
      {desktop === null ? (
        <Absent>
          The desktop app shows notifications; this is the popover in a browser. What is set here holds for
          the app too.
        </Absent>
      ) : (
        <div className={styles.field}>
          <ActionButton
            onClick={() =>
              void task.run(async () => setResult(await desktop.desktop.testNotification.mutate()))
            }
          >
            Show a test notification
          </ActionButton>
          {result !== null && (
            <p role="status" className={result.problem === null ? styles.good : styles.failure}>
              {result.problem === null
                ? "The system took it. If you saw nothing, check its notification settings and the focus mode."
                : displaySentence(result.problem)}
            </p>
          )}
          <FailureText failure={task.failure} />
        </div>
      )}
    </Group>
  );
};
