// What an integration would make of one settings file, given as text and told as text; nothing is written.
import type { Integration, IntegrationRequest } from "../../core/ports/agentAdapter.ts";
import { memoryFiles } from "./memoryFiles.ts";

export const EVENT_SCRIPT = "/home/dev/.agtmux/bin/agtmux-event";

interface SettingsPlans {
  requestFor: (text: string | null, eventScript?: string) => IntegrationRequest;
  /** The file's text afterwards; null where there is none. Throws when another file would be changed. */
  install: (text: string | null, eventScript?: string) => Promise<string | null>;
  uninstall: (text: string | null) => Promise<string | null>;
}

export const settingsPlans = (integration: Integration, path: string): SettingsPlans => {
  const requestFor = (text: string | null, eventScript = EVENT_SCRIPT): IntegrationRequest => ({
    files: memoryFiles(text === null ? {} : { [path]: text }),
    homeDir: "/home/dev",
    eventScript,
  });
  const after = (
    text: string | null,
    [change]: readonly { path: string; after: string | null }[],
  ): string | null => {
    if (change === undefined) return text;
    if (change.path !== path) throw new Error(`another file would be changed: ${change.path}`);
    return change.after;
  };
  return {
    requestFor,
    install: async (text, eventScript) =>
      after(text, await integration.planInstall(requestFor(text, eventScript))),
    uninstall: async (text) => after(text, await integration.planUninstall(requestFor(text))),
  };
};

/** The settings as the agent reads them. */
export const parsedJson = (text: string | null): Record<string, unknown> => JSON.parse(text ?? "null");
