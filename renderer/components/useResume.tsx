// Goes on with a session in a pane of its own, where it lies and in its folder. What is not possible is said by the daemon: an agent
// that cannot, a folder that is gone, a session that an agent still runs.
import { useState } from "react";
import type { HistorySession } from "../../core/model/history.ts";
import { resumeInput, startedText, type StartedView } from "../../ui/text/startText.ts";
import { callFeature } from "../connection/connectHost.ts";
import { usePopover } from "../state/popover.ts";
import { ActionButton } from "./ActionButton.tsx";
import { FailureText } from "./settings/fields.tsx";
import { useTask } from "./settings/useTask.ts";

/** Longer than the daemon waits for the agent. */
const WAIT_MS = 15_000;

/** A button, and what came of it, for below the buttons. No button where the session is open, or its folder not known. */
export const useResume = (session: HistorySession) => {
  const { api } = usePopover().host;
  const task = useTask();
  const [done, setDone] = useState<StartedView | null>(null);
  const input = resumeInput(session);
  const resume = () =>
    void task.run(async () => {
      if (input === null) return;
      const started = await callFeature(api, "workspaces.start", {
        ...input,
        waitMs: WAIT_MS,
        surface: "popover",
      });
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the daemon answers what the feature's table says
      setDone(started as StartedView);
    });
  const button = input !== null && done === null && (
    <ActionButton isDisabled={task.isBusy} onClick={resume}>
      {task.isBusy ? "Starting…" : "Resume"}
    </ActionButton>
  );
  const said = (
    <>
      <FailureText failure={task.failure} />
      {done !== null && (
        <div role="status">
          {startedText(done).map((line) => (
            <p key={line}>{line}</p>
          ))}
        </div>
      )}
    </>
  );
  return { button, said };
};
