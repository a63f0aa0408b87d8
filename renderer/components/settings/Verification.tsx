// The three facts that prove an integration: our entries, a test event that travelled, and the last event of a real agent.
import type { IntegrationVerification } from "../../../core/api/service.ts";
import { displayLine, displaySentence } from "../../../ui/text/displayText.ts";
import { Age } from "../Age.tsx";
import styles from "./Findings.module.css";

const Fact = ({ status, children }: { status: "ok" | "problem" | "skipped"; children: React.ReactNode }) => (
  <li data-status={status}>
    <span className={styles.mark} aria-hidden="true">
      {status === "ok" ? "✓" : status === "problem" ? "✗" : "·"}
    </span>
    <span>
      {status === "problem" && <strong>Problem: </strong>}
      {children}
    </span>
  </li>
);

export const Verification = ({ result }: { result: IntegrationVerification }) => (
  <ul className={styles.facts} aria-label="Proof">
    <Fact status={result.entriesPresent ? "ok" : "problem"}>
      {result.entriesPresent
        ? "All entries are in its settings."
        : `Entries are missing: ${result.missing.map(displayLine).join(", ") || "all"}.`}
    </Fact>
    {result.problems.map((problem) => (
      <Fact key={problem} status="problem">
        {displaySentence(problem)}
      </Fact>
    ))}
    {result.steps.map(({ what, how }) => (
      <Fact key={what} status="skipped">
        Left to do: {displayLine(what)}. {displaySentence(how)}
      </Fact>
    ))}
    <Fact status={result.deliveryWorks ? "ok" : "problem"}>{displaySentence(result.deliveryDetail)}</Fact>
    <Fact status={result.lastRealEventAt === null ? "skipped" : "ok"}>
      {result.lastRealEventAt === null ? (
        "No event of a real agent yet: an agent that already runs reads its hooks when it starts again."
      ) : (
        <>
          Last event of a real agent <Age since={result.lastRealEventAt} suffix=" ago" />.
        </>
      )}
    </Fact>
  </ul>
);
