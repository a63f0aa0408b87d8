// What a person with several agents has armed, for pictures and tests of the view that shows it.
// oxlint-disable unicorn/no-thenable -- a rule says what comes "then": always a word, never a function
import type { PaneView } from "../../core/model/view.ts";
import { makeJob } from "../../test/factories/job.ts";
import { makeRule } from "../../test/factories/rule.ts";
import { FakeAutomation } from "../../test/fakes/fakeAutomation.ts";

const MINUTE = 60_000;

const ago = (minutes: number): string => new Date(Date.now() - minutes * MINUTE).toISOString();

/** Texts that wait and one that was sent, watches, and one that rests; `windows`: of the agents that they are for. */
export const armedScene = (
  panes: readonly PaneView[],
  windows = ["split", "a11y", "invoices"],
): FakeAutomation => {
  const [first, second, third] = windows.map(
    (window) => panes.find(({ window_name: name }) => name === window)?.identity,
  );
  const queued = {
    runtime_id: first?.runtime_id ?? null,
    about: first?.pane_ref ?? "",
    expires_at: ago(-1_300),
  };
  const automation = new FakeAutomation([
    makeJob({ ...queued, job_id: "job_5", created_at: ago(2), text: "then bring the docs up to date" }),
    makeJob({
      ...queued,
      job_id: "job_4",
      created_at: ago(4),
      text: "fix the tests that fail, one commit each",
      waits_for: "its agent works",
    }),
    makeJob({
      job_id: "job_3",
      kind: "watch",
      when: "quiet:10m",
      about: "session=web",
      text: null,
      repeated: true,
      runs: 1,
      created_at: ago(190),
      expires_at: ago(-290),
      surface: "cli",
    }),
    makeJob({
      job_id: "job_2",
      state: "held",
      when: "cron 0 9 * * 1-5",
      runtime_id: second?.runtime_id ?? null,
      about: second?.pane_ref ?? "",
      next_at: new Date(new Date().setHours(33, 0, 0, 0)).toISOString(),
      text: "pull, and go on with the list",
      created_at: ago(300),
      expires_at: ago(-9_000),
      surface: "cli",
    }),
    makeJob({
      job_id: "job_1",
      state: "done",
      runtime_id: third?.runtime_id ?? null,
      about: third?.pane_ref ?? "",
      text: null,
      runs: 1,
      created_at: ago(80),
    }),
  ]);
  automation.rules = [
    makeRule({
      name: "look",
      mode: "armed",
      when: {
        commands: [
          ["git", "status"],
          ["git", "diff", "--stat"],
        ],
        cwd: ["/home/me/web"],
      },
      armed_at: ago(4_000),
      armed_by: "cli",
      notes: ["git status may run programs that the repository names in its settings"],
      answered: 12,
      last: {
        at: ago(6),
        runtime_id: first?.runtime_id ?? "",
        ref: first?.pane_ref ?? "",
        verdict: "approve",
        command: "git status",
        outcome: "delivered",
      },
    }),
    makeRule({
      name: "no-force",
      then: "deny",
      when: { commands: [["git", "push", "--force"]] },
      would_have: 1,
      last: {
        at: ago(140),
        runtime_id: second?.runtime_id ?? "",
        ref: second?.pane_ref ?? "",
        verdict: "would_deny",
        command: "git push --force origin main",
        outcome: "in shadow",
      },
    }),
  ];
  automation.draft = (verdict) => {
    const where = verdict === "approve" ? { agents: ["claude"], cwd: ["/home/me/web"] } : {};
    const when = { commands: [["npm", "run", "migrate"]], ...where };
    const rule = { name: "npm-run-migrate", when, then: verdict };
    const notes = ["npm run migrate runs what the project says, which the agent may have just written"];
    return {
      rule,
      text: `{\n  "name": "npm-run-migrate",\n  "when": ${JSON.stringify(when)},\n  "then": "${verdict}"\n}`,
      notes: verdict === "approve" ? notes : [],
    };
  };
  automation.told.set("job_3", [
    { at: ago(25), runtime_id: null, outcome: "told: Codex has shown nothing new for 10m" },
  ]);
  return automation;
};
