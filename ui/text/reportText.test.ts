import { describe, expect, it } from "vitest";
import type { Finding } from "../../core/model/doctor.ts";
import { redactNames, reportText } from "./reportText.ts";

const finding = (part: Partial<Finding>): Finding => ({
  check: "target.health",
  group: "target",
  target: "gpu",
  tmux_server: null,
  agent: null,
  status: "problem",
  summary: "Target gpu does not answer.",
  evidence: null,
  remedy: null,
  ...part,
});
const targets = [
  { name: "host", sshName: null },
  { name: "gpu", sshName: "build.corp.example" },
];

describe("a report to hand on", () => {
  it("holds each finding with evidence, and what to do about one that is not well", () => {
    expect(
      reportText({
        version: "0.1.0",
        host: "app",
        userAgent: "Agent/156.0.0.0",
        findings: [
          finding({
            evidence: "kim@build.corp.example, 10.1.2.3",
            remedy: "Check that 'ssh build.corp.example' works.",
          }),
          finding({
            check: "target.tmux",
            target: "host",
            status: "ok",
            summary: "Fine.",
            remedy: "Not needed.",
          }),
        ],
        targets,
      }).split("\n"),
    ).toEqual([
      "agtmux 0.1.0, daemon: app",
      "Agent/156.0.0.0",
      "",
      "problem target.health on <target 1>: Target <target 1> does not answer.",
      "          <user@host>, <address>",
      "          → Check that 'ssh <target 1>' works.",
      "ok      target.tmux on host: Fine.",
      "",
    ]);
  });

  it.each([
    ["/home/kim/.agtmux/log", "~/.agtmux/log"],
    ["/Users/kim/.claude/settings.json", "~/.claude/settings.json"],
    ["/root/.agtmux and /rootfs", "~/.agtmux and /rootfs"],
    ["fe80:0:0:0:1:2:3:4 answers", "<address> answers"],
    ["gpu-2 is not gpu, nor is mygpu", "gpu-2 is not <target 1>, nor is mygpu"],
    ["the host of host", "the host of host"],
  ])("'%s' becomes '%s'", (text, redacted) => expect(redactNames(text, targets)).toBe(redacted));
});
