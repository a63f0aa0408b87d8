// `agtmux doctor` in the daemon: puts the checks of the host, of every target and of every agent together. It only looks: it
// changes no state, setting or pane.
import { redactFinding, runChecks, type Check } from "../model/doctorCheck.ts";
import type { SetupLook } from "../model/integrationView.ts";
import type { Finding } from "../model/doctorView.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { AdapterSource } from "../ports/adapterSource.ts";
import type { Clock } from "../ports/clock.ts";
import { agentChecks } from "./agentChecks.ts";
import type { DoctorTarget } from "./doctorTarget.ts";
import { hostChecks, type HostFacts } from "./hostChecks.ts";
import { serverChecks } from "./serverChecks.ts";
import { lookAtSetup } from "./setupLook.ts";
import { targetChecks } from "./targetChecks.ts";

export interface DoctorDeps {
  adapters: AdapterSource;
  /** The targets at the moment of the call. */
  targets: () => readonly DoctorTarget[];
  host: () => HostFacts;
  /** What features say of themselves. */
  featureChecks: () => readonly Check[];
  /** Takes secrets out of a text, because people pass the report on. */
  redact: (text: string) => string;
  clock: Clock;
}

export interface Doctor {
  /** `target` null: all of them. Fails with E_TARGET_UNKNOWN for a name that is not known. */
  examine(input: { target: string | null }): Promise<{ findings: Finding[] }>;
  /** What set-up finds there. Fails with E_TARGET_UNKNOWN, E_TARGET_UNREACHABLE. */
  lookAtSetup(target: string): Promise<SetupLook>;
}

const unknownTarget = (name: string, all: readonly DoctorTarget[]): AgtmuxError =>
  new AgtmuxError("E_TARGET_UNKNOWN", `there is no target '${name.slice(0, 64)}'`, {
    remedy: `Known targets: ${all.map(({ view }) => view.target).join(", ")}.`,
  });

export const createDoctor = ({
  adapters,
  targets,
  host,
  featureChecks,
  redact,
  clock,
}: DoctorDeps): Doctor => ({
  lookAtSetup: async (name) => {
    const all = targets();
    const target = all.find(({ view }) => view.target === name);
    if (target === undefined) throw unknownTarget(name, all);
    if (target.link === null)
      throw new AgtmuxError("E_TARGET_UNREACHABLE", `target ${name} is not connected`, {
        remedy: `Try 'agtmux target connect ${name}'.`,
      });
    return lookAtSetup(target, target.link, adapters.list());
  },
  examine: async ({ target }) => {
    const all = targets();
    const chosen = all.filter(({ view }) => target === null || view.target === target);
    if (target !== null && chosen.length === 0) throw unknownTarget(target, all);
    const known = adapters.list();
    const testAgent = known.find(({ integration }) => integration !== undefined)?.agentType ?? null;
    const checks = [
      ...hostChecks(adapters, host()),
      ...featureChecks(),
      ...chosen.flatMap((one) => [
        ...targetChecks(one, testAgent, clock),
        ...serverChecks(one),
        ...agentChecks(one, known, clock),
      ]),
    ];
    const findings = await runChecks(checks, (delayMs, callback) => clock.setTimer(delayMs, callback));
    return { findings: findings.map((finding) => redactFinding(finding, redact)) };
  },
});
