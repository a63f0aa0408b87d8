import { expect, it } from "vitest";
import type { DoctorReport, Finding } from "../../core/model/doctor.ts";
import { createPaint } from "../render/table.ts";
import { renderReport } from "../verbs/doctor.ts";

const finding = (options: Partial<Finding>): Finding => ({
  check: "client.node",
  group: "client",
  target: null,
  tmux_server: null,
  agent: null,
  status: "ok",
  summary: "It is good.",
  evidence: null,
  remedy: null,
  ...options,
});
const idle = (agent: string, check: string): Finding =>
  finding({ group: "agent", target: "host", agent, check, status: "skipped" });

const report: DoctorReport = {
  schema_version: "1.0",
  generated_at: "2026-01-01T00:00:00.000Z",
  filters: { target: null },
  summary: { ok: 1, warning: 0, problem: 1, skipped: 3 },
  findings: [
    finding({ evidence: "/bin/node" }),
    finding({
      group: "target",
      target: "host",
      status: "problem",
      summary: "It is \u001b]0;bad\u0007broken.",
      evidence: "line one\nline \u202Etwo",
      remedy: "Run 'x'.",
    }),
    idle("one", "agent.integration"),
    idle("two", "agent.integration"),
    idle("two", "agent.verified"),
  ],
};

it("groups findings, shows what is wrong with its remedy, and nothing steers the terminal", () => {
  expect(renderReport(report, createPaint(false))).toEqual([
    "This command",
    "  ✓ ok       It is good. (/bin/node)",
    "",
    "This machine",
    "  ✗ problem  It is broken.",
    "             line one line ⟨U+202E⟩two",
    "             → Run 'x'.",
    "",
    "Agents on this machine",
    "  · skipped  No hooks and in no pane: one, two (unverified) ('agtmux integrate <agent>')",
    "",
    "1 problem, 0 warnings, 1 ok, 3 skipped",
  ]);
});
