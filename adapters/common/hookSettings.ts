// Our hooks in a JSON file that others write too (`hooks.<Event>[]` holds groups `{ hooks: [ { type, command, timeout } ] }`): the
// command, what settings files say (foreign hooks), and plans for adding and removing ours, one group per event behind whatever is
// there. The caller shows, backs up and writes. Which events and which command are the agent's business.
import { quoteWord } from "../../core/model/commandWords.ts";
import type {
  AgentAdapter,
  Integration,
  IntegrationChange,
  IntegrationRequest,
} from "../../core/ports/agentAdapter.ts";
import type { TargetFiles } from "../../core/ports/targetExecutor.ts";
import { asPayload, fieldOf, listOf, textOf } from "./events.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { PersonStep } from "../../core/model/adapterView.ts";
import type { JsonNode } from "../../core/model/jsonTree.ts";
import {
  appendTo,
  detectStyle,
  parseSettings,
  removeNode,
  renderContainer,
  renderValue,
  valueOf,
  type TextStyle,
} from "./settingsText.ts";

// Command: what an agent runs for each of its events: the event script with the agent's and the event's name. In settings, ours are
// found again by their form.

const SCRIPT_NAME = "agtmux-event";

export interface HookCommand {
  of: (eventScript: string, event: string) => string;
  /** True for our command of this event, also from an installation elsewhere. */
  isOurs: (command: unknown, event: string, eventScript: string | null) => boolean;
}

interface CommandForm {
  before: (script: string) => string;
  after: string;
}

/** Prints nothing and always succeeds, even when the script is gone. */
const PLAIN: CommandForm = { before: (script) => script, after: "2>/dev/null || :" };

/** `agent`: its name among the arguments. */
export const createHookCommand = (agent: string, { before, after } = PLAIN): HookCommand => {
  const of = (eventScript: string, event: string): string =>
    `${before(quoteWord(eventScript))} ${agent} ${event} ${after}`;
  return {
    of,
    isOurs: (command, event, eventScript) =>
      typeof command === "string" &&
      ((eventScript !== null && command === of(eventScript, event)) ||
        (command.endsWith(` ${agent} ${event} ${after}`) && command.includes(SCRIPT_NAME))),
  };
};

// What settings files say, such as that another program may answer permission requests before a person sees them: then a request
// alone does not prove a dialog. With a small memory: one stat per file and call, one read per change of a file.

const MAX_BYTES = 1024 * 1024;
const MAX_CACHED = 200;

/** `judge` gets the text of a file; a file that is missing or cannot be read gives false. */
const createFileVerdicts = (
  judge: (text: string, path: string) => boolean,
): ((files: TargetFiles, paths: readonly string[]) => Promise<boolean>) => {
  const known = new WeakMap<TargetFiles, Map<string, { stamp: string; verdict: boolean }>>();

  const verdictOf = async (files: TargetFiles, path: string): Promise<boolean> => {
    const cache = known.get(files) ?? new Map<string, { stamp: string; verdict: boolean }>();
    known.set(files, cache);
    const stat = await files.stat(path);
    if (stat === null || !stat.isFile) {
      cache.delete(path);
      return false;
    }
    const stamp = `${stat.mtimeMs}:${stat.size}`;
    const cached = cache.get(path);
    if (cached?.stamp === stamp) return cached.verdict;
    const text = await files.readText(path, MAX_BYTES);
    const verdict = text !== null && judge(text, path);
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(path, { stamp, verdict });
    return verdict;
  };

  return async (files, paths) => {
    const found = await Promise.all(paths.map((path) => verdictOf(files, path).catch(() => false)));
    return found.some((verdict) => verdict);
  };
};

/** Commands registered for an event, null for a hook of another kind; tolerant of any shape of settings. */
const hooksFor = (settings: unknown, event: string): (string | null)[] => {
  const hooks = asPayload(fieldOf(asPayload(settings) ?? {}, "hooks")) ?? {};
  return listOf(hooks, event).flatMap((group) =>
    listOf(asPayload(group) ?? {}, "hooks").map((hook) => textOf(asPayload(hook) ?? {}, "command")),
  );
};

/** Whether hook settings hold a command for the event that is not ours. Agents ignore settings that they cannot parse. */
export const hasForeignHook = (
  text: string,
  event: string,
  isOurs: (command: unknown, event: string, eventScript: null) => boolean,
): boolean => {
  try {
    return hooksFor(JSON.parse(text), event).some((command) => !isOurs(command, event, null));
  } catch {
    return false;
  }
};

/** A reader with its own memory. `files`: which settings files, of the configuration folder and of the project. */
export const createConfirmationReader = (
  mayAnswer: (text: string, path: string) => boolean,
  files: (configDir: string, cwd: string | null) => readonly string[],
): NonNullable<AgentAdapter["needsConfirmation"]> => {
  const mayAnswerIn = createFileVerdicts(mayAnswer);
  return (request) => mayAnswerIn(request.files, files(request.configDir, request.cwd));
};

// Plans: adding, removing and inspecting our hooks.

const NEW_FILE_STYLE: TextStyle = { eol: "\n", indent: "  " };
const MAX_SETTINGS_BYTES = 4 * 1024 * 1024;

export interface HookSettings {
  path: (configDir: string) => string;
  /** Hooks stand in the event's array themselves, without groups. */
  isFlat?: boolean;
  /** The hook's property that holds the command; `command` unless given. */
  commandField?: string;
  /** What a file of our own holds beside the hooks; the file is removed when nothing else is left. */
  skeleton?: string;
  /** A file of our own with all its hooks, where ours can be recognised only as a whole. */
  ownFile?: (eventScript: string) => string;
  /** Why a file that parses must not be changed; null where it may be. */
  objectionTo?: (root: JsonNode) => string | null;
  /** The agent's own parser accepts comments, which then stay where they are. */
  hasComments?: boolean;
  /** At least one; the order in which entries are added. */
  events: readonly [string, ...string[]];
  /** Our command. */
  command: HookCommand;
  /** The hook itself, as the agent reads it, with our command in it. */
  hookOf: (command: string) => Record<string, unknown>;
  /** What else keeps hooks from running, for a file that could be parsed. */
  problemsOf?: (request: IntegrationRequest, root: JsonNode, path: string) => Promise<readonly string[]>;
  /** What the person still has to do before they run, for a file that could be parsed. */
  stepsOf?: (request: IntegrationRequest, root: JsonNode, path: string) => Promise<readonly PersonStep[]>;
  /** How the agent notifies by itself. */
  notifications?: NonNullable<Integration["notifications"]>;
  testEvent: Integration["testEvent"];
}

/** One file of one installation, as long as one plan takes. */
interface Site {
  settings: HookSettings;
  path: string;
  eventScript: string;
  /** The text that was parsed last: most questions are about the same text. */
  parsed: { text: string; root: JsonNode } | null;
}

const refused = (path: string, what: string): AgtmuxError =>
  new AgtmuxError("E_INTEGRATION_REFUSED", `${path}: ${what}.`);

const parse = (site: Site, text: string): JsonNode => {
  if (site.parsed?.text !== text) {
    const { path, settings } = site;
    const root = parseSettings(path, text, { hasComments: settings.hasComments === true });
    const objection = settings.objectionTo?.(root) ?? null;
    if (objection !== null) throw refused(path, objection);
    site.parsed = { text, root };
  }
  return site.parsed.root;
};

/** The array of one event's groups, or undefined; refuses shapes that the agent would not accept either. */
const groupsOf = (path: string, root: JsonNode, event: string): JsonNode | undefined => {
  const hooks = valueOf(root, "hooks");
  if (hooks === undefined) return undefined;
  if (hooks.kind !== "object") throw refused(path, `"hooks" is not an object`);
  const groups = valueOf(hooks, event);
  if (groups !== undefined && groups.kind !== "array")
    throw refused(path, `"hooks.${event}" is not an array`);
  return groups;
};

/** One of our entries. `node`: what is removed with it (its group where it is alone there). `group` and `index`: its place. */
interface HookEntry {
  node: JsonNode;
  group: number;
  index: number;
  isCurrent: boolean;
}

/** The hooks of one member of an event's array: the member itself, or those of its group. */
const hooksOf = (settings: HookSettings, member: JsonNode): readonly JsonNode[] => {
  if (settings.isFlat === true) return [member];
  const list = member.kind === "object" ? valueOf(member, "hooks") : undefined;
  return list?.kind === "array" ? list.children : [];
};

const entriesOf = (
  { settings, path, eventScript }: Omit<Site, "parsed">,
  root: JsonNode,
  event: string,
): HookEntry[] =>
  (groupsOf(path, root, event)?.children ?? []).flatMap((member, group) => {
    const hooks = hooksOf(settings, member);
    return hooks.flatMap((hook, index) => {
      const field = settings.commandField ?? "command";
      const command: unknown = hook.kind === "object" ? valueOf(hook, field)?.value : undefined;
      if (!settings.command.isOurs(command, event, eventScript)) return [];
      const isCurrent = command === settings.command.of(eventScript, event);
      return [{ node: hooks.length === 1 ? member : hook, group, index, isCurrent }];
    });
  });

/** Without the entries for which `isGone` holds; null when nothing is left of the file. */
const strip = (site: Site, text: string, isGone: (entry: HookEntry) => boolean): string | null => {
  let current = text;
  for (const event of site.settings.events)
    for (;;) {
      const found = entriesOf(site, parse(site, current), event).find(isGone);
      if (found === undefined) break;
      const shorter = removeNode(current, found.node);
      if (shorter === null) return null;
      current = shorter;
    }
  return current === site.settings.skeleton ? null : current;
};

const addEvent = (site: Site, text: string, style: TextStyle, event: string): string => {
  const { settings, path, eventScript } = site;
  const hook = settings.hookOf(settings.command.of(eventScript, event));
  const group = settings.isFlat === true ? hook : { hooks: [hook] };
  const root = parse(site, text);
  const groups = groupsOf(path, root, event);
  if (groups !== undefined) return appendTo(text, groups, renderValue(group, style, 3), style, 2);
  const property = `${JSON.stringify(event)}: ${renderContainer("[]", renderValue(group, style, 3), style, 2)}`;
  const hooks = valueOf(root, "hooks");
  if (hooks !== undefined) return appendTo(text, hooks, property, style, 1);
  return appendTo(text, root, `"hooks": ${renderContainer("{}", property, style, 1)}`, style, 0);
};

const isVoid = (text: string): boolean => text.trim() === "";

/** A file of ours has a line break after its first bracket, by which removal knows that the file itself is ours. */
const newFile = (site: Site): string => {
  const { skeleton, ownFile } = site.settings;
  if (ownFile !== undefined) return ownFile(site.eventScript);
  if (skeleton !== undefined) return skeleton;
  const hugging = addEvent(site, "{}", NEW_FILE_STYLE, site.settings.events[0]);
  return `{\n  ${hugging.slice(1, -1)}\n}\n`;
};

const withAll = (site: Site, before: string | null): string => {
  const base = before === null || isVoid(before) ? null : strip(site, before, (entry) => !entry.isCurrent);
  const style = base === null ? NEW_FILE_STYLE : detectStyle(base);
  let text = base ?? newFile(site);
  for (const event of site.settings.events)
    if (entriesOf(site, parse(site, text), event).length === 0) text = addEvent(site, text, style, event);
  return text;
};

const changesOf = (path: string, before: string | null, after: string | null): IntegrationChange[] =>
  before === after ? [] : [{ path, before, after }];

/** Our current entries by event, with their places; throws E_INTEGRATION_REFUSED for a text that does not parse. */
export const currentEntries = (
  settings: HookSettings,
  path: string,
  root: JsonNode,
  eventScript: string,
): Map<string, HookEntry> =>
  new Map(
    settings.events.flatMap((event) => {
      const entry = entriesOf({ settings, path, eventScript }, root, event).find((one) => one.isCurrent);
      return entry === undefined ? [] : [[event, entry] as const];
    }),
  );

const inspectText = async (site: Site, text: string, request: IntegrationRequest) => {
  const { settings, path, eventScript } = site;
  const root = parse(site, text);
  const current = currentEntries(settings, path, root, eventScript);
  const missing = settings.events.filter((event) => !current.has(event));
  const isElsewhere = settings.events.some((event) =>
    entriesOf(site, root, event).some((entry) => !entry.isCurrent),
  );
  return {
    installed: missing.length === 0,
    missing,
    problems: [
      ...(isElsewhere ? [`${path} also has entries of another agtmux installation`] : []),
      ...((await settings.problemsOf?.(request, root, path)) ?? []),
    ],
    steps: (await settings.stepsOf?.(request, root, path)) ?? [],
  };
};

/** Uninstalling is byte-exact where nothing else changed; otherwise it removes exactly our entries. */
export const createHookSettingsIntegration = (settings: HookSettings): Integration => {
  const open = async ({ files, configDir, eventScript }: IntegrationRequest) => {
    const path = settings.path(configDir);
    const site: Site = { settings, path, eventScript, parsed: null };
    return { site, before: await files.readText(path, MAX_SETTINGS_BYTES) };
  };
  return {
    async planInstall(request) {
      const { site, before } = await open(request);
      return changesOf(site.path, before, withAll(site, before));
    },

    async planUninstall(request) {
      const { site, before } = await open(request);
      if (before === null || isVoid(before)) return [];
      if (before === settings.ownFile?.(request.eventScript)) return changesOf(site.path, before, null);
      return changesOf(
        site.path,
        before,
        strip(site, before, () => true),
      );
    },

    async inspect(request) {
      const { site, before } = await open(request);
      const missing = [...settings.events];
      if (before === null || isVoid(before)) return { installed: false, missing, problems: [] };
      try {
        return await inspectText(site, before, request);
      } catch (error) {
        if (!(error instanceof AgtmuxError)) throw error;
        return { installed: false, missing, problems: [error.message] };
      }
    },

    ...(settings.notifications === undefined ? {} : { notifications: settings.notifications }),
    testEvent: settings.testEvent,
  };
};
