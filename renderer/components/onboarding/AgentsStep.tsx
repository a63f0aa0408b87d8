// Step 2: which agents are seen in panes now. They come with the feed, so a newly started one appears by itself.
import { useEffect } from "react";
import type { PaneView } from "../../../core/model/view.ts";
import { STATE_WORDS } from "../../../core/model/words.ts";
import type { Api } from "../../connection/connectHost.ts";
import { displayLine } from "../../../ui/text/displayText.ts";
import { FailureText } from "../settings/fields.tsx";
import { useTask } from "../settings/useTask.ts";
import facts from "../settings/Findings.module.css";
import { StepFoot, type StepBodyProps } from "./StepFoot.tsx";

interface AgentsStepProps extends StepBodyProps {
  api: Api;
  /** Panes with an agent. */
  panes: readonly PaneView[];
}

const MOST_SHOWN = 8;

export const AgentsStep = ({ api, panes, onFound, onNext, onSkip }: AgentsStepProps) => {
  const task = useTask();
  const hasAny = panes.length > 0;
  useEffect(() => onFound(hasAny), [hasAny, onFound]);
  return (
    <>
      <div role="status">
        {hasAny ? (
          <p>{panes.length === 1 ? "One agent is seen:" : `${panes.length} agents are seen:`}</p>
        ) : (
          <p>
            No agent is seen yet. Start one in a tmux pane, as you always do; it appears here within two
            seconds.
          </p>
        )}
      </div>
      {hasAny && (
        <ul className={facts.facts} aria-label="Agents">
          {panes.slice(0, MOST_SHOWN).map((pane) => (
            <li key={pane.identity.pane_ref} data-status="ok">
              <span>
                {displayLine(pane.agent_name ?? pane.agent ?? "")} in{" "}
                {displayLine(pane.identity.session_name)}
                {pane.state !== null && `: ${STATE_WORDS[pane.state]}`}
              </span>
            </li>
          ))}
          {panes.length > MOST_SHOWN && <li data-status="skipped">and {panes.length - MOST_SHOWN} more</li>}
        </ul>
      )}
      <FailureText failure={task.failure} />
      <StepFoot
        isProved={hasAny}
        onNext={onNext}
        onSkip={onSkip}
        onAgain={() => void task.run(() => api.lookNow.mutate())}
      />
    </>
  );
};
