// Checks the chain from the agents' hooks to this window, link by link, shows the findings by topic, and makes a report to pass on.
// It only reads.
import type { ReactNode } from "react";
import type { Finding, FindingStatus } from "../../../core/model/doctor.ts";
import { displayLine, displaySentence } from "../../../ui/text/displayText.ts";
import { Group, Absent, FailureText } from "../fields.tsx";
import type { TargetView } from "../../../core/model/view.ts";
import type { Host } from "../../state/connectHost.ts";
import { useCopy, ActionButton } from "../Buttons.tsx";
import { reportText } from "../../../ui/text/reportText.ts";
import diagnostics from "./DiagnosticsPage.module.css";
import styles from "../settings.module.css";
import { useAsk, useTask } from "../../hooks/useAsk.ts";

// Findings of the doctor, grouped by topic. Those that need action come first and say what to do.

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

/** One thing that was checked, with its result. */
export const Fact = ({ status, children }: { status: FindingStatus; children: ReactNode }) => (
  <li data-status={status}>
    <span className={diagnostics.mark} aria-hidden="true">
      {MARKS[status]}
    </span>
    <span>
      {WORDS[status] !== "" && <strong>{WORDS[status]}</strong>}
      {children}
    </span>
  </li>
);

const FindingItem = ({ finding: { status, summary, evidence, remedy } }: { finding: Finding }) => (
  <Fact status={status}>
    {displayLine(summary)}
    {evidence !== null && <span className={diagnostics.evidence}> ({displayLine(evidence)})</span>}
    {status !== "ok" && remedy !== null && (
      <span className={diagnostics.remedy}>{displaySentence(remedy)}</span>
    )}
  </Fact>
);

const severityOf = (findings: readonly Finding[]): number =>
  Math.min(...findings.map(({ status }) => Math.min(ORDER.indexOf(status), ORDER.indexOf("ok"))));

/** Parts with a problem come first, then those with a warning; otherwise the daemon's order is kept. */
const bySeverity = (findings: readonly Finding[]): [string, Finding[]][] =>
  [...Map.groupBy(findings, titleOf)].toSorted(([, a], [, b]) => severityOf(a) - severityOf(b));

const Findings = ({ findings }: { findings: readonly Finding[] }) =>
  bySeverity(findings).map(([title, own]) => {
    const used = own.filter((finding) => !isUnused(finding, own));
    const unused = new Set(own.filter((finding) => isUnused(finding, own)).map(({ agent }) => agent ?? ""));
    return (
      <Group key={title} title={title}>
        <ul className={diagnostics.facts} aria-label={title}>
          {used
            .toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status))
            .map((finding) => (
              <FindingItem
                key={`${finding.check}/${finding.tmux_server ?? ""}/${finding.agent ?? ""}/${finding.summary}`}
                finding={finding}
              />
            ))}
          {unused.size > 0 && (
            <Fact status="skipped">No hooks and in no pane: {[...unused].map(displayLine).join(", ")}.</Fact>
          )}
        </ul>
      </Group>
    );
  });

const count = (findings: readonly Finding[], status: FindingStatus): number =>
  findings.filter((finding) => finding.status === status).length;

const totalOf = (findings: readonly Finding[]): string => {
  const problems = count(findings, "problem");
  const warnings = count(findings, "warning");
  if (problems + warnings === 0) return `All ${count(findings, "ok")} checks passed.`;
  return [
    ...(problems === 0 ? [] : [problems === 1 ? "1 problem" : `${problems} problems`]),
    ...(warnings === 0 ? [] : [warnings === 1 ? "1 warning" : `${warnings} warnings`]),
    `${count(findings, "ok")} passed`,
  ].join(", ");
};

const Report = ({ text }: { text: string }) => {
  const { copied, copy } = useCopy(text);
  return (
    <Group title="Report">
      <div className={styles.field}>
        <p className={styles.hint}>
          This is what gets copied. Home folders, machines, users and addresses are left out; read it before
          you share it.
        </p>
        <pre
          className={`${styles.code} ${diagnostics.report}`}
          tabIndex={0}
          role="group"
          aria-label="Text of the report"
        >
          {text}
        </pre>
        <div className={styles.buttons}>
          <ActionButton onClick={copy}>Copy report</ActionButton>
          <span role="status">
            {copied === "yes" && "Copied."}
            {copied === "failed" && "Can't copy here; select the text instead."}
          </span>
        </div>
      </div>
    </Group>
  );
};

const Logs = ({ host, home }: { host: Host; home: string }) => {
  const task = useTask();
  const { desktop } = host;
  return (
    <Group title="Logs">
      {desktop === null ? (
        <Absent>
          A browser can't open them. They're in <code>{home}/log</code>, on the daemon's machine.
        </Absent>
      ) : (
        <div className={styles.field}>
          <ActionButton onClick={() => void task.run(() => desktop.desktop.openLogs.mutate())}>
            Open logs
          </ActionButton>
          <FailureText failure={task.failure} />
        </div>
      )}
    </Group>
  );
};

export const DiagnosticsPage = ({ host, targets }: { host: Host; targets: readonly TargetView[] }) => {
  const { api } = host;
  const asked = useAsk("doctor", async () => {
    const [hello, { findings }, { path }] = await Promise.all([
      api.hello.query(),
      api.doctor.mutate({ target: null }),
      api.configGet.query(),
    ]);
    return { hello, findings, home: path.replace(/\/[^/]*$/, "") };
  });
  const { value, failure, isLoading, reload } = asked;
  return (
    <>
      <div className={styles.buttons}>
        <ActionButton onClick={reload}>Check again</ActionButton>
        <span role="status">{isLoading ? "Checking…" : value === null ? "" : totalOf(value.findings)}</span>
      </div>
      <FailureText failure={failure} />
      {value !== null && (
        <>
          <Findings findings={value.findings} />
          <Report
            text={reportText({
              version: value.hello.version,
              host: value.hello.host,
              userAgent: navigator.userAgent,
              findings: value.findings,
              targets: targets.map((one) => ({ name: one.target, sshName: one.connection_ref })),
            })}
          />
          <Logs host={host} home={value.home} />
        </>
      )}
    </>
  );
};
