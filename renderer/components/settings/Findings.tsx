// The doctor's findings for a person, grouped by topic. Those that need action come first and say what to do.
import type { Finding, FindingStatus } from "../../../core/model/doctorView.ts";
import { displayLine, displaySentence } from "../../../ui/text/displayText.ts";
import { Group } from "./fields.tsx";
import styles from "./Findings.module.css";

const MARKS: Readonly<Record<FindingStatus, string>> = { ok: "✓", warning: "!", problem: "✗", skipped: "·" };
const WORDS: Readonly<Record<FindingStatus, string>> = {
  ok: "",
  warning: "Warning: ",
  problem: "Problem: ",
  skipped: "",
};
const ORDER: readonly FindingStatus[] = ["problem", "warning", "ok", "skipped"];

const titleOf = ({ group, target }: Finding): string => {
  const isHost = target === null || target === "host";
  switch (group) {
    case "client":
    case "home":
    case "daemon":
      return "Daemon";
    case "target":
      return isHost ? "This machine" : `Machine ${displayLine(target)}`;
    case "agent":
      return `Agents on ${isHost ? "this machine" : displayLine(target)}`;
  }
};

/** Agents that nobody uses here are named in one line. */
const isUnused = (finding: Finding, all: readonly Finding[]): boolean =>
  finding.group === "agent" &&
  all.every(
    ({ agent, target, status }) =>
      agent !== finding.agent || target !== finding.target || status === "skipped",
  );

export const FindingItem = ({ finding }: { finding: Finding }) => {
  const { status, summary, evidence, remedy } = finding;
  const isBad = status === "problem" || status === "warning";
  return (
    <li data-status={status}>
      <span className={styles.mark} aria-hidden="true">
        {MARKS[status]}
      </span>
      <span>
        {isBad && <strong>{WORDS[status]}</strong>}
        {displayLine(summary)}
        {evidence !== null && <span className={styles.evidence}> ({displayLine(evidence)})</span>}
        {status !== "ok" && remedy !== null && (
          <span className={styles.remedy}>{displaySentence(remedy)}</span>
        )}
      </span>
    </li>
  );
};

const severityOf = (findings: readonly Finding[]): number =>
  Math.min(...findings.map(({ status }) => Math.min(ORDER.indexOf(status), ORDER.indexOf("ok"))));

/** Parts with a problem come first, then those with a warning; otherwise the daemon's order is kept. */
const bySeverity = (findings: readonly Finding[]): [string, Finding[]][] =>
  [...Map.groupBy(findings, titleOf)].toSorted(([, a], [, b]) => severityOf(a) - severityOf(b));

export const Findings = ({ findings }: { findings: readonly Finding[] }) =>
  bySeverity(findings).map(([title, own]) => {
    const used = own.filter((finding) => !isUnused(finding, own));
    const unused = new Set(own.filter((finding) => isUnused(finding, own)).map(({ agent }) => agent ?? ""));
    return (
      <Group key={title} title={title}>
        <ul className={styles.facts} aria-label={title}>
          {used
            .toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status))
            .map((finding) => (
              <FindingItem
                key={`${finding.check}/${finding.tmux_server ?? ""}/${finding.agent ?? ""}/${finding.summary}`}
                finding={finding}
              />
            ))}
          {unused.size > 0 && (
            <li data-status="skipped">
              <span className={styles.mark} aria-hidden="true">
                ·
              </span>
              <span>Not integrated and in no pane: {[...unused].map(displayLine).join(", ")}.</span>
            </li>
          )}
        </ul>
      </Group>
    );
  });
