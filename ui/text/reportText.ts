// The doctor's report as a text to pass on, without anything that would tell strangers about the person's machines. Pure.
import type { Finding } from "../../core/model/doctor.ts";

interface ReportInput {
  version: string;
  host: string;
  userAgent: string;
  findings: readonly Finding[];
  /** Names and SSH names of targets, in a stable order. */
  targets: readonly { name: string; sshName: string | null }[];
}

const escapeRegExp = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

const asWord = (name: string): RegExp =>
  new RegExp(`(?<![A-Za-z0-9._-])${escapeRegExp(name)}(?![A-Za-z0-9_-])`, "g");

/** Removes home folders, `user@host`, addresses, and the names of targets. The daemon has already removed tokens. */
export const redactNames = (text: string, targets: ReportInput["targets"]): string => {
  let redacted = text
    .replaceAll(/\/(?:home|Users)\/[^/\s'",:;]+|\/root(?=\/|\s|$)/g, "~")
    .replaceAll(/[\w.+-]+@[\w.-]+/g, "<user@host>")
    .replaceAll(/\b\d{1,3}(?:\.\d{1,3}){3}\b/g, "<address>")
    .replaceAll(/\b(?:[0-9a-f]{1,4}:){4,7}[0-9a-f]{1,4}\b/gi, "<address>");
  for (const [index, { name, sshName }] of targets.entries()) {
    if (name === "host") continue;
    for (const one of sshName === null ? [name] : [sshName, name])
      redacted = redacted.replaceAll(asWord(one), () => `<target ${index}>`);
  }
  return redacted;
};

export const findingText = ({ check, status, agent, target, summary, evidence, remedy }: Finding): string =>
  [
    `${status.padEnd(8)}${check}${target === null ? "" : ` on ${target}`}${agent === null ? "" : `, ${agent}`}: ${summary}`,
    ...(evidence === null ? [] : [`          ${evidence}`]),
    ...(status === "ok" || remedy === null ? [] : [`          → ${remedy}`]),
  ].join("\n");

export const reportText = ({ version, host, userAgent, findings, targets }: ReportInput): string =>
  [
    `agtmux ${version}, daemon: ${host}`,
    // Its version looks like an address.
    userAgent,
    "",
    redactNames(findings.map(findingText).join("\n"), targets),
    "",
  ].join("\n");
