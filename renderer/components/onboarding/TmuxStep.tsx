// Step 1: whether there is a usable tmux, and whether a server runs.
import { useEffect } from "react";
import type { Finding } from "../../../core/model/doctorView.ts";
import type { Api } from "../../connection/connectHost.ts";
import { FailureText } from "../settings/fields.tsx";
import { FindingItem } from "../settings/Findings.tsx";
import { useAsk } from "../settings/useAsk.ts";
import facts from "../settings/Findings.module.css";
import { StepFoot, type StepBodyProps } from "./StepFoot.tsx";

const CHECKS = new Set(["target.tmux", "target.health", "server.watch"]);

interface TmuxStepProps extends StepBodyProps {
  api: Api;
}

const isGood = (findings: readonly Finding[]): boolean =>
  findings.some(
    ({ check, status }) => check === "target.tmux" && status !== "problem" && status !== "skipped",
  ) &&
  findings.some(({ check, status }) => check === "server.watch" && (status === "ok" || status === "warning"));

export const TmuxStep = ({ api, onFound, onNext, onSkip }: TmuxStepProps) => {
  const { value, failure, isLoading, reload } = useAsk("tmux", async () => {
    const { findings } = await api.doctor.mutate({ target: "host" });
    return findings.filter(({ check, target }) => target === "host" && CHECKS.has(check));
  });
  const isProved = value !== null && isGood(value);
  useEffect(() => {
    if (value !== null) onFound(isGood(value));
  }, [value, onFound]);
  return (
    <>
      <p>agtmux watches tmux on this machine; nothing is installed into it.</p>
      <div role="status">{isLoading && <p>Looking for tmux…</p>}</div>
      {value !== null && (
        <ul className={facts.facts} aria-label="tmux">
          {value.map((finding) => (
            <FindingItem key={`${finding.check}/${finding.tmux_server ?? ""}`} finding={finding} />
          ))}
        </ul>
      )}
      <FailureText failure={failure} />
      <StepFoot isProved={isProved} onNext={onNext} onSkip={onSkip} onAgain={reload} />
    </>
  );
};
