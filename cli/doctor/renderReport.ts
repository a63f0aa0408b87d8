// The doctor's report for a person: grouped, with evidence and remedy for everything that is wrong, and unused agents in one
// line.
import { HOST_TARGET } from "../../core/model/runtime.ts";
import type { DoctorReport, Finding, FindingStatus } from "../../core/model/doctorView.ts";
import { cleanLine } from "../render/clean.ts";
import { plural } from "../render/foot.ts";
import type { Colour, Paint } from "../render/paint.ts";

const SIGNS: Readonly<Record<FindingStatus, { sign: string; colour: Colour }>> = {
  ok: { sign: "✓", colour: "green" },
  warning: { sign: "!", colour: "yellow" },
  problem: { sign: "✗", colour: "red" },
  skipped: { sign: "·", colour: "dim" },
};
const LABEL_WIDTH = 11;
const INDENT = " ".repeat(LABEL_WIDTH + 2);

const label = (status: FindingStatus, paint: Paint): string => {
  const { sign, colour } = SIGNS[status];
  return `  ${paint(colour, `${sign} ${status}`.padEnd(LABEL_WIDTH))}`;
};

const renderFinding = ({ status, summary, evidence, remedy }: Finding, paint: Paint): string[] => {
  const seen = evidence === null ? "" : cleanLine(evidence);
  if (status === "ok" || status === "skipped")
    return [`${label(status, paint)}${cleanLine(summary)}${seen === "" ? "" : paint("dim", ` (${seen})`)}`];
  return [
    `${label(status, paint)}${cleanLine(summary)}`,
    ...(seen === "" ? [] : [`${INDENT}${paint("dim", seen)}`]),
    ...(remedy === null ? [] : [`${INDENT}→ ${cleanLine(remedy)}`]),
  ];
};

const titleOf = ({ group, target }: Finding): string => {
  const name = cleanLine(target ?? "");
  switch (group) {
    case "client":
      return "This command";
    case "home":
      return "Home";
    case "daemon":
      return "Daemon";
    case "target":
      return `Target ${name}`;
    case "agent":
      return `Agents on ${name}`;
  }
};

/** Agents whose findings are all "skipped". */
const unused = (findings: readonly Finding[]): Map<string, Finding[]> => {
  const byAgent = Map.groupBy(
    findings.filter(({ group }) => group === "agent"),
    ({ agent }) => agent ?? "",
  );
  return new Map([...byAgent].filter(([, own]) => own.every(({ status }) => status === "skipped")));
};

const renderUnused = (agents: Map<string, Finding[]>, paint: Paint): string[] => {
  if (agents.size === 0) return [];
  const names = [...agents].map(([agent, own]) =>
    own.some(({ check }) => check === "agent.verified")
      ? `${cleanLine(agent)} (unverified)`
      : cleanLine(agent),
  );
  const target = [...agents.values()][0]?.[0]?.target ?? HOST_TARGET;
  const command = `agtmux integrate <agent>${target === HOST_TARGET ? "" : ` --target ${cleanLine(target)}`}`;
  return [
    `${label("skipped", paint)}Not integrated and in no pane: ${names.join(", ")}${paint("dim", ` ('${command}')`)}`,
  ];
};

/** Lines without the final newline. */
export const renderReport = ({ findings, summary }: DoctorReport, paint: Paint): string[] => {
  const lines: string[] = [];
  for (const [title, own] of Map.groupBy(findings, titleOf)) {
    const idle = unused(own);
    lines.push(
      paint("bold", title),
      ...own
        .filter(({ agent }) => !idle.has(agent ?? ""))
        .flatMap((finding) => renderFinding(finding, paint)),
      ...renderUnused(idle, paint),
      "",
    );
  }
  const total = [
    paint("red", plural(summary.problem, "problem")),
    paint("yellow", plural(summary.warning, "warning")),
    `${summary.ok} ok`,
    `${summary.skipped} skipped`,
  ];
  return [...lines, total.join(", ")];
};
