// Which commands the played agent runs for an event: those of its HOME's settings, as an integration left them there, or
// the event script directly where a test has not installed anything.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { profileOf } from "./profile.ts";

interface HookSettings {
  hooks?: Record<
    string,
    { bash?: string; command?: string; hooks?: { type?: string; command?: string }[] }[]
  >;
}

const installedCommands = (home: string, agent: string): Map<string, string[]> => {
  const path = join(home, profileOf(agent).hookSettings);
  const settings: HookSettings = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  return new Map(
    Object.entries(settings.hooks ?? {}).map(([event, groups]) => [
      event,
      groups.flatMap(
        (group) => group.bash ?? group.command ?? (group.hooks ?? []).flatMap((hook) => hook.command ?? []),
      ),
    ]),
  );
};

const quoted = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`;

/** Shell commands for one event; with `eventScript` that script alone, called as the integration would. */
export const commandsFor = (
  home: string,
  agent: string,
  event: string,
  eventScript: string | null,
): readonly string[] =>
  eventScript === null
    ? (installedCommands(home, agent).get(event) ?? [])
    : [`${quoted(eventScript)} ${agent} ${event} 2>/dev/null || :`];
