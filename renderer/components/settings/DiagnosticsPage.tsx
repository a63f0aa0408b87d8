// Checks the chain from the agents' hooks to this window, link by link, and makes a report to pass on. It only reads.
import type { Finding, FindingStatus } from "../../../core/model/doctorView.ts";
import type { TargetView } from "../../../core/model/view.ts";
import type { Host } from "../../connection/connectHost.ts";
import { useCopy } from "../../hooks/useCopy.ts";
import { ActionButton } from "../ActionButton.tsx";
import { Absent, FailureText, Group } from "./fields.tsx";
import { Findings } from "./Findings.tsx";
import { reportText } from "../../../ui/text/reportText.ts";
import diagnostics from "./DiagnosticsPage.module.css";
import styles from "./settings.module.css";
import { useAsk } from "./useAsk.ts";
import { useTask } from "./useTask.ts";

const count = (findings: readonly Finding[], status: FindingStatus): number =>
  findings.filter((finding) => finding.status === status).length;

const totalOf = (findings: readonly Finding[]): string => {
  const problems = count(findings, "problem");
  const warnings = count(findings, "warning");
  if (problems + warnings === 0)
    return `Everything that was checked is well: ${count(findings, "ok")} checks.`;
  return [
    ...(problems === 0 ? [] : [problems === 1 ? "1 problem" : `${problems} problems`]),
    ...(warnings === 0 ? [] : [warnings === 1 ? "1 warning" : `${warnings} warnings`]),
    `${count(findings, "ok")} well`,
  ].join(", ");
};

const Report = ({ text }: { text: string }) => {
  const { copied, copy } = useCopy(text);
  return (
    <Group title="Report">
      <div className={styles.field}>
        <p className={styles.hint}>
          This is what is copied. Home folders, machines, users and addresses are left out; read it before you
          hand it on.
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
          <ActionButton onClick={copy}>Copy the report</ActionButton>
          <span role="status">
            {copied === "yes" && "Copied."}
            {copied === "failed" && "Copying is not allowed here: select the text instead."}
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
          A browser cannot open them. They are in <code>{home}/log</code>, on the machine that the daemon runs
          on.
        </Absent>
      ) : (
        <div className={styles.field}>
          <ActionButton onClick={() => void task.run(() => desktop.desktop.openLogs.mutate())}>
            Open the logs
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
