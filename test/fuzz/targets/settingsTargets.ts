// Settings of agents that our hooks are merged into: whatever stands there, taking our entries out again gives the file of
// before, byte for byte; and a file that does not parse is refused, not repaired.
import * as fc from "fast-check";
import { createAdapterRegistry } from "../../../adapters/index.ts";
import { EVENT_SCRIPT } from "../../../adapters/testkit/memoryFiles.ts";
import type { Integration, IntegrationChange, IntegrationRequest } from "../../../core/ports/agentAdapter.ts";
import { hold, orRefusedLater } from "../expectations.ts";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";
import { mutatedJson } from "../mutateJson.ts";
import { hostileText, mutatedText } from "../mutateText.ts";
import { stubFiles } from "../stubs.ts";

const HOME = "/home/dev";
const FOREIGN = { type: "command", command: "/usr/bin/notify 'it''s done'", timeout: 3 };
const SETTINGS: readonly unknown[] = [
  {},
  { model: "opus", hooks: {} },
  {
    hooks: { Stop: [{ hooks: [FOREIGN] }], PreToolUse: [{ matcher: "Bash", hooks: [FOREIGN] }] },
    env: { A: "b" },
  },
  { hooks: { SessionStart: [], Notification: [{ hooks: [] }] }, permissions: { allow: ["Bash(ls:*)"] } },
  { version: 1, hooks: { sessionStart: [FOREIGN], stop: [] } },
];
const LAYOUTS: readonly string[] = [
  "",
  "\n",
  "{}",
  "{}\n",
  "{ }",
  '{\n  "a": 1\n}\n',
  '{\r\n\t"a": 1,\r\n\t"hooks": {}\r\n}\r\n',
  '// mine\n{\n  "hooks": {\n    // keep\n    "Stop": [ /* and this */ ]\n  }\n}\n',
  '{"hooks":{"Stop":[]}}',
  '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}',
  '{ "hooks": {}, "hooks": { "Stop": [] } }',
  ...SETTINGS.map((value) => JSON.stringify(value, null, 2)),
  ...SETTINGS.map((value) => JSON.stringify(value, null, "\t").replaceAll("\n", "\r\n")),
];

const requestFor = (path: string, text: string | null): IntegrationRequest => ({
  files: stubFiles({ readText: (asked) => (asked === path ? text : null) }),
  homeDir: HOME,
  eventScript: EVENT_SCRIPT,
});

/** The one file that the integration would write into an empty home. */
const pathOf = async (integration: Integration): Promise<string> => {
  const [change] = await integration.planInstall(requestFor("", null)).catch((): IntegrationChange[] => []);
  return change?.path ?? "";
};

const onlyChange = (changes: readonly IntegrationChange[], path: string, before: string | null) => {
  hold(changes.length <= 1, "more than one file");
  const [change] = changes;
  if (change === undefined) return before;
  hold(change.path === path && change.before === before, "another file, or another text before");
  hold(change.after !== before, "a change that changes nothing");
  return change.after;
};

const settingsTarget = (agentType: string, integration: Integration): FuzzTarget =>
  defineTarget({
    name: `settings/${agentType}`,
    weight: 2,
    covers: [`settings of ${agentType}`],
    open: async () => {
      const path = await pathOf(integration);
      const text = fc.oneof(
        { weight: 3, arbitrary: mutatedText(LAYOUTS, 3) },
        { weight: 3, arbitrary: mutatedJson(SETTINGS, 4) },
        {
          weight: 2,
          arbitrary: fc
            .tuple(mutatedJson(SETTINGS, 4), fc.constantFrom<number | string>(1, 2, 4, "\t"))
            .map(([json, indent]) => {
              try {
                return JSON.stringify(JSON.parse(json), null, indent);
              } catch {
                return json;
              }
            }),
        },
        { weight: 1, arbitrary: hostileText },
      );
      return {
        arbitrary: text,
        check: async (before) => {
          await integration.inspect(requestFor(path, before));
          const installed = await orRefusedLater(() => integration.planInstall(requestFor(path, before)));
          if (installed === null) {
            await orRefusedLater(() => integration.planUninstall(requestFor(path, before)));
            return;
          }
          const after = onlyChange(installed, path, before);
          hold(after !== null, "an installation took the file away");
          const request = requestFor(path, after);
          hold((await integration.planInstall(request)).length === 0, "installing twice changes something");
          const { missing } = await integration.inspect(request);
          hold(missing.length === 0, `missing after the installation: ${missing.join()}`);
          // What had entries of ours is left without them.
          if (before.includes("agtmux")) return;
          const removed = onlyChange(await integration.planUninstall(request), path, after);
          hold(
            removed === before || (removed === null && before.trim() === ""),
            `not byte-exact: ${JSON.stringify(before.slice(0, 300))} became ${JSON.stringify(removed?.slice(0, 300))}`,
          );
        },
      };
    },
  });

export const settingsTargets = (): FuzzTarget[] =>
  createAdapterRegistry()
    .list()
    .flatMap(({ agentType, integration }) =>
      integration === undefined ? [] : [settingsTarget(agentType, integration)],
    );
