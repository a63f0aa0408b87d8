// Our hooks in `~/.cursor/hooks.json`: `{ "version": 1, "hooks": { "<event>": [ { "command": … } ] } }`, one entry per
// event behind whatever is there. Source: Cursor's documents; not run here. Plans only.
import { AgtmuxError } from "../../core/model/errors.ts";
import type { JsonNode } from "../../core/model/jsonTree.ts";
import type { Integration, IntegrationChange, IntegrationRequest } from "../../core/ports/agentAdapter.ts";
import { createHookCommand } from "../common/hookCommand.ts";
import {
  appendTo,
  detectStyle,
  parseSettings,
  removeNode,
  renderContainer,
  renderValue,
  valueOf,
  type TextStyle,
} from "../common/settingsText.ts";

// Our entries in Cursor's hooks file and how they are told from other people's. The events are those whose meaning is
// documented and that change a state; events whose answer may allow or deny something are left alone.
export const HOOK_EVENTS = [
  "sessionStart",
  "beforeSubmitPrompt",
  "postToolUse",
  "subagentStart",
  "subagentStop",
  "stop",
  "sessionEnd",
] as const;

/** Seconds, after which Cursor gives a hook up. */
const HOOK_TIMEOUT_S = 5;

/** It must print nothing and succeed: an exit code of 2 would block. */
const HOOK = createHookCommand("cursor");
export const { commandOf: hookCommand, isOurs: isOurCommand } = HOOK;

const MAX_BYTES = 4 * 1024 * 1024;
const KNOWN_VERSION = 1;

interface Site {
  path: string;
  eventScript: string;
}

const siteOf = ({ homeDir, eventScript }: IntegrationRequest): Site => ({
  path: `${homeDir}/.cursor/hooks.json`,
  eventScript,
});

const refused = (path: string, what: string): AgtmuxError =>
  new AgtmuxError("E_INTEGRATION_REFUSED", `${path}: ${what}.`);

const parse = (path: string, text: string): JsonNode => {
  const root = parseSettings(path, text);
  const version = valueOf(root, "version");
  if (version !== undefined && version.value !== KNOWN_VERSION)
    throw refused(path, `"version" is not ${KNOWN_VERSION}`);
  return root;
};

const listOf = (path: string, root: JsonNode, event: string): JsonNode | undefined => {
  const hooks = valueOf(root, "hooks");
  if (hooks === undefined) return undefined;
  if (hooks.kind !== "object") throw refused(path, `"hooks" is not an object`);
  const list = valueOf(hooks, event);
  if (list !== undefined && list.kind !== "array") throw refused(path, `"hooks.${event}" is not an array`);
  return list;
};

const entriesOf = ({ path, eventScript }: Site, root: JsonNode, event: string) =>
  (listOf(path, root, event)?.children ?? []).flatMap((node) => {
    const command: unknown = node.kind === "object" ? valueOf(node, "command")?.value : undefined;
    if (!isOurCommand(command, event, eventScript)) return [];
    return [{ node, isCurrent: command === hookCommand(eventScript, event) }];
  });

const entryOf = ({ eventScript }: Site, event: string) => ({
  command: hookCommand(eventScript, event),
  timeout: HOOK_TIMEOUT_S,
});

/**
 * A file of our own, recognised on removal by being exactly this: hooks before the version, as no edit of another file
 * leaves them.
 */
const ownFile = (site: Site): string =>
  `${JSON.stringify(
    {
      hooks: Object.fromEntries(HOOK_EVENTS.map((event) => [event, [entryOf(site, event)]])),
      version: KNOWN_VERSION,
    },
    null,
    2,
  )}\n`;

const strip = (
  site: Site,
  text: string,
  isGone: (entry: { isCurrent: boolean }) => boolean,
): string | null => {
  let current = text;
  for (const event of HOOK_EVENTS)
    for (;;) {
      const found = entriesOf(site, parse(site.path, current), event).find(isGone);
      if (found === undefined) break;
      const shorter = removeNode(current, found.node);
      if (shorter === null) return null;
      current = shorter;
    }
  return current;
};

const addEvent = (site: Site, text: string, style: TextStyle, event: string): string => {
  const root = parse(site.path, text);
  const list = listOf(site.path, root, event);
  const entry = entryOf(site, event);
  if (list !== undefined) return appendTo(text, list, renderValue(entry, style, 3), style, 2);
  const property = `${JSON.stringify(event)}: ${renderContainer("[]", renderValue(entry, style, 3), style, 2)}`;
  const hooks = valueOf(root, "hooks");
  if (hooks !== undefined) return appendTo(text, hooks, property, style, 1);
  return appendTo(text, root, `"hooks": ${renderContainer("{}", property, style, 1)}`, style, 0);
};

const isVoid = (text: string | null): text is null | "" => text === null || text.trim() === "";

const withAll = (site: Site, before: string | null): string => {
  if (isVoid(before)) return ownFile(site);
  const base = strip(site, before, (entry) => !entry.isCurrent) ?? ownFile(site);
  const style = detectStyle(base);
  let text = base;
  for (const event of HOOK_EVENTS)
    if (entriesOf(site, parse(site.path, text), event).length === 0)
      text = addEvent(site, text, style, event);
  return text;
};

const changesOf = (path: string, before: string | null, after: string | null): IntegrationChange[] =>
  before === after ? [] : [{ path, before, after }];

/** Creates the integration. The test event is one that Cursor does not have. */
export const createCursorIntegration = (): Integration => ({
  async planInstall(request) {
    const site = siteOf(request);
    const before = await request.files.readText(site.path, MAX_BYTES);
    return changesOf(site.path, before, withAll(site, before));
  },

  async planUninstall(request) {
    const site = siteOf(request);
    const before = await request.files.readText(site.path, MAX_BYTES);
    if (isVoid(before)) return [];
    if (before === ownFile(site)) return changesOf(site.path, before, null);
    return changesOf(
      site.path,
      before,
      strip(site, before, () => true),
    );
  },

  async inspect(request) {
    const site = siteOf(request);
    const text = await request.files.readText(site.path, MAX_BYTES);
    if (isVoid(text)) return { installed: false, missing: [...HOOK_EVENTS], problems: [] };
    try {
      const root = parse(site.path, text);
      const missing = HOOK_EVENTS.filter(
        (event) => !entriesOf(site, root, event).some((entry) => entry.isCurrent),
      );
      const isElsewhere = HOOK_EVENTS.some((event) =>
        entriesOf(site, root, event).some((entry) => !entry.isCurrent),
      );
      return {
        installed: missing.length === 0,
        missing,
        problems: [
          ...(isElsewhere ? [`${site.path} also has entries of another agtmux installation`] : []),
          ...(valueOf(root, "version") === undefined ? [`${site.path} has no "version": 1`] : []),
        ],
      };
    } catch (error) {
      if (!(error instanceof AgtmuxError)) throw error;
      return { installed: false, missing: [...HOOK_EVENTS], problems: [error.message] };
    }
  },

  testEvent: { eventName: "agtmuxTest", payload: { message: "Delivery test" } },
});
