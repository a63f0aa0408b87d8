// Our plugin for opencode and OpenCode 2: its source text, and the integration that installs it as a file of its own in the user
// folder. opencode 1.18.33 installs the package @opencode-ai/plugin from npm at its next start when the folder exists, and draws
// nothing for more than a minute without network; that is opencode's doing, so the person is told, and it is not worked around.
import type { Integration } from "../../core/ports/agentAdapter.ts";
import { planNotesRemoval } from "./served.ts";
import { eventWriterSource, createOwnFileIntegration } from "../common/pluginFile.ts";

// What both share: the line or the file that a tool works on, and texts of a bounded length.

const SHARED = `
const TELLING = ["command", "filePath", "path", "pattern", "query", "url", "description"];

// The line or the file that a tool works on, for the person.
const subjectOf = (args) => {
  const found = TELLING.map((name) => args?.[name]).find((value) => typeof value === "string");
  return found === undefined ? {} : { subject: found.slice(0, 300) };
};
const errorOf = (name, statusCode, message) => ({
  name,
  data: { statusCode, message: String(message ?? "").slice(0, 500) },
});
`;

// For opencode 1: it runs inside opencode, hands on the few events that change a state, and adds what only somebody who saw the
// earlier ones knows: whose child a session is, how the turn that now ends went wrong, what the call that asks for a permission
// gets.

const FIRST = `
// The sessions of a server (\`opencode serve\`, \`opencode web\`) go on without a terminal, and no file of opencode's says which there
// are: a note tells of each, beside the plugins. It is written before the event that changes it.
const NOTES = new URL("../agtmux/sessions/", import.meta.url);
const isServer = SERVERS.test(process.argv.slice(2).find((word) => !word.startsWith("-")) ?? "");
const RESTED_MS = 3600_000;
const notes = new Map();
let left = null;

// Older versions do not say where the server listens: then nobody could open its sessions, and there are no notes.
const portOf = (url) => {
  try {
    return Number(new URL(String(url)).port) || 80;
  } catch {
    return null;
  }
};
const writeNote = async (note) => {
  const { isGone, asks, ...said } = note;
  const file = new URL(note.sessionID + ".json", NOTES);
  const draft = new URL("." + note.sessionID, NOTES);
  try {
    // The plugin may have been uninstalled while its server runs on.
    if (isGone || !(await fs.stat(new URL(import.meta.url)).catch(() => null)))
      return await fs.rm(file, { force: true });
    await fs.mkdir(NOTES, { recursive: true, mode: 0o700 });
    await fs.writeFile(draft, JSON.stringify({ ...said, asks: [...asks.values()].at(-1) ?? null }), { mode: 0o600 });
    await fs.rename(draft, file);
  } catch {
    // A full or read-only disk must not disturb opencode: the session has no row then, or the one of before.
  }
};
const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error?.code === "EPERM";
  }
};
// Those of servers that are gone: once, and before the first of this one's.
const removeLeft = async () => {
  const names = await fs.readdir(NOTES).catch(() => []);
  for (const name of names.slice(0, 1000)) {
    try {
      const file = new URL(encodeURIComponent(name), NOTES);
      if (!isAlive(JSON.parse(await fs.readFile(file, "utf8")).pid)) await fs.rm(file);
    } catch {
      // It is not one of ours, or another server has removed it.
    }
  }
};

// change: gets the note, and alters it; what comes out as before is not written again.
const noteSession = (context, sessionID, change) => {
  if (!isServer || typeof sessionID !== "string" || !/^[A-Za-z0-9_]{1,60}$/.test(sessionID)) return;
  const known = notes.get(sessionID);
  const port = portOf(context?.serverUrl);
  if (port === null) return;
  const note = known ?? {
    sessionID,
    pid: process.pid,
    port,
    directory: String(context.directory ?? ""),
    title: "",
    isBusy: false,
    asks: new Map(),
    beganAt: Date.now(),
  };
  const before = JSON.stringify([note.title, note.isBusy, [...note.asks]]);
  change(note);
  const isAtWork = note.isBusy || note.asks.size > 0;
  const isSame = before === JSON.stringify([note.title, note.isBusy, [...note.asks]]);
  // A session that never worked here is none of this server's.
  if (isSame || (known === undefined && !isAtWork)) return;
  notes.set(sessionID, note);
  note.changedAt = Date.now();
  left ??= queue = queue.then(removeLeft);
  const written = [{ ...note, asks: new Map(note.asks) }];
  for (const old of notes.values())
    if (!old.isBusy && old.asks.size === 0 && Date.now() - old.changedAt > RESTED_MS) {
      notes.delete(old.sessionID);
      written.push({ ...old, isGone: true });
    }
  for (const one of written) queue = queue.then(() => writeNote(one));
};

const FORWARDED = new Set([
  "session.created",
  "session.status",
  "session.idle",
  "session.error",
  "session.compacted",
  "permission.asked",
  "permission.replied",
  "question.asked",
  "question.replied",
  "question.rejected",
]);

// One process of opencode 1 may run both entries (it has a part of the second one's loader in it): then this one speaks.
let isFirst = false;

export const AgtmuxPlugin = async (context) => {
  isFirst = true;
  const parents = new Map();
  const endings = new Map();
  const busy = new Set();
  const calls = new Map();

  // The last words of each session.
  const said = new Map();
  const learnWords = (part) => {
    if (part?.type !== "text" || typeof part.text !== "string" || part.time?.end === undefined) return;
    if (said.size > 500) said.clear();
    said.set(part.sessionID, part.text.slice(-1000));
  };
  const promptOf = (parts) =>
    (Array.isArray(parts) ? parts : [])
      .filter((part) => part?.type === "text" && part.synthetic !== true)
      .map((part) => String(part.text))
      .join("\\n")
      .slice(0, 1000);
  const learn = (info) => {
    if (typeof info?.id !== "string") return;
    if (parents.size > 5000) parents.clear();
    parents.set(info.id, typeof info.parentID === "string" ? info.parentID : null);
  };
  const isOtherBusy = (sessionID) => {
    for (const id of busy) if (id !== sessionID && !parents.get(id)) return true;
    return false;
  };
  const withPlace = (payload) => ({
    ...payload,
    parentID: parents.get(payload.sessionID) ?? null,
    directory: context?.directory,
  });
  const tell = (event, payload) => send(event, withPlace(payload));
  const learnCall = (callID, args) => {
    if (calls.size > 50) calls.delete(calls.keys().next().value);
    calls.set(callID, args);
  };
  const rootOf = (sessionID) => {
    let id = sessionID;
    for (let depth = 0; depth < 10 && parents.get(id); depth += 1) id = parents.get(id);
    return id;
  };
  const noteChange = (type, { sessionID, id, requestID, status, info }) => {
    const note = (of, change) => noteSession(context, of, change);
    switch (type) {
      case "session.updated":
        // Its first title says nothing.
        if (typeof info?.title === "string" && !/^(New|Child) session - /.test(info.title))
          note(info.id, (one) => {
            one.title = info.title.slice(0, 200);
          });
        return;
      case "session.status":
      case "session.idle":
        if (parents.get(sessionID)) return;
        return note(sessionID, (one) => {
          one.isBusy = (status?.type ?? "idle") !== "idle";
          if (!one.isBusy) one.asks.clear();
        });
      case "permission.asked":
      case "question.asked":
        return note(rootOf(sessionID), ({ asks }) => {
          asks.set(id, type.split(".")[0]);
        });
      case "permission.replied":
      case "question.replied":
      case "question.rejected":
        return note(rootOf(sessionID), ({ asks }) => {
          asks.delete(requestID);
        });
    }
  };
  const onStatus = (sessionID, type) => {
    if (type === "idle") busy.delete(sessionID);
    else busy.add(sessionID);
    if (type === "busy" && endings.get(sessionID)?.error) endings.delete(sessionID);
  };
  const ending = (sessionID) => ({
    ...endings.get(sessionID),
    isOtherBusy: isOtherBusy(sessionID),
  });

  const onEvent = (event) => {
    const { type, properties = {} } = event;
    const { sessionID } = properties;
    if (type === "session.created" || type === "session.updated") learn(properties.info);
    if (type === "message.part.updated") learnWords(properties.part);
    noteChange(type, properties);
    if (!FORWARDED.has(type)) return;
    switch (type) {
      case "session.created":
        return tell(type, { sessionID: sessionID ?? properties.info?.id });
      case "session.status":
        onStatus(sessionID, properties.status?.type);
        return tell(type, {
          ...properties,
          ...(properties.status?.type === "idle" ? ending(sessionID) : {}),
        });
      case "session.idle":
        busy.delete(sessionID);
        return tell(type, { sessionID, said: said.get(sessionID), ...ending(sessionID) });
      case "session.error": {
        const { name, data } = properties.error ?? {};
        const error = errorOf(name, data?.statusCode, data?.message);
        if (typeof sessionID === "string") endings.set(sessionID, { error });
        return tell(type, { sessionID, error });
      }
      case "permission.replied":
        if (properties.reply === "reject") endings.set(sessionID, { isRejected: true });
        return tell(type, properties);
      case "question.rejected":
        endings.set(sessionID, { isRejected: true });
        return tell(type, properties);
      case "permission.asked": {
        const { always, patterns, ...asked } = properties;
        // A command has a pattern for each of its parts, and an edit is told by its difference.
        const isCommand = typeof asked.metadata?.command === "string";
        const args = asked.metadata?.diff === undefined ? calls.get(asked.tool?.callID) : undefined;
        return sendWhole(
          type,
          withPlace({
            ...asked,
            ...(isCommand ? {} : { patterns }),
            ...(args === undefined ? {} : { args }),
          }),
        );
      }
      case "question.asked":
        return sendWhole(type, withPlace(properties));
      default:
        return tell(type, properties);
    }
  };
  const guarded = (work) => async (...args) => {
    try {
      work(...args);
    } catch {}
  };

  return {
    event: guarded(({ event }) => onEvent(event)),
    "chat.message": guarded((input, output) => {
      endings.delete(input?.sessionID);
      said.delete(input?.sessionID);
      tell("chat.message", { sessionID: input?.sessionID, prompt: promptOf(output?.parts) });
    }),
    "tool.execute.before": guarded((input, output) => {
      endings.delete(input?.sessionID);
      learnCall(input?.callID, output?.args);
      tell("tool.execute.before", {
        sessionID: input?.sessionID,
        tool: input?.tool,
        callID: input?.callID,
        ...subjectOf(output?.args),
      });
    }),
    "tool.execute.after": guarded((input) => {
      calls.delete(input?.callID);
      tell("tool.execute.after", { sessionID: input?.sessionID, tool: input?.tool, callID: input?.callID });
    }),
  };
};
`;

// For OpenCode 2, by its documents (docs/build/plugins of 2.0, its sources of packages/schema and packages/plugin, and what others
// recorded with 2.0.16): the plugin runs in the background service of all terminals, once for each folder, and each instance is told
// of every session. So the first instance that sees an event hands it on, in the order in which they came, and each event names
// its session, the root of its family and its folder: the service's own pane says nothing. A session of which nobody
// can say whether it is somebody's child is not told at all: the end of a child must not end the turn of its parent.

const SECOND = `
const FORWARDED_BY_SECOND = new Set([
  "session.created",
  "session.inbox.enqueued",
  "session.execution.started",
  "session.execution.succeeded",
  "session.execution.failed",
  "session.execution.interrupted",
  "session.retry.scheduled",
  "session.text.ended",
  "session.tool.input.started",
  "session.tool.called",
  "session.tool.success",
  "session.tool.failed",
  "permission.asked",
  "permission.replied",
  "form.created",
  "form.replied",
  "form.cancelled",
]);
const LOOK_UP_MS = 1000;

const told = new Set();
const sessions = new Map();
const words = new Map();
const toolNames = new Map();
const bounded = (map, key, value, size) => {
  if (map.size > size) map.clear();
  map.set(key, value);
};
const sessionOf = (info) =>
  info === null || typeof info !== "object"
    ? null
    : {
        parentID: typeof info.parentID === "string" ? info.parentID : null,
        directory: info.location?.directory,
      };

const lookUp = async (context, sessionID) => {
  let timer;
  try {
    const limit = new Promise((resolve) => {
      timer = setTimeout(() => resolve(null), LOOK_UP_MS);
    });
    const found = await Promise.race([context.session.get({ sessionID }), limit]);
    return sessionOf(found?.data ?? found ?? null);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
};
const knownSession = async (context, sessionID, isAskedAgain) => {
  const known = sessions.get(sessionID);
  if (known === undefined || (known === null && isAskedAgain))
    bounded(sessions, sessionID, await lookUp(context, sessionID), 5000);
  return sessions.get(sessionID);
};
// Null where a session on the way to the root is not known.
const rootOf = async (context, sessionID) => {
  let id = sessionID;
  for (let depth = 0; depth < 10; depth += 1) {
    const session = await knownSession(context, id, false);
    if (session === null) return null;
    if (session.parentID === null) return id;
    id = session.parentID;
  }
  return null;
};

// What each event says beside its session; null: it is not handed on.
const contentOf = (type, data, sessionID) => {
  const callID = data.callID ?? data.id;
  switch (type) {
    case "session.inbox.enqueued": {
      const { type: kind, payload } = data.item ?? {};
      if (kind !== "user") return null;
      words.delete(sessionID);
      return { prompt: typeof payload?.text === "string" ? payload.text.slice(0, 1000) : "" };
    }
    case "session.execution.succeeded":
      return { said: words.get(sessionID) };
    case "session.execution.failed":
      return { error: errorOf(data.error?.type, data.error?.status, data.error?.message) };
    case "session.execution.interrupted":
      return { reason: data.reason };
    case "session.retry.scheduled":
      return { attempt: data.attempt, message: String(data.error?.message ?? "").slice(0, 500) };
    case "session.text.ended":
      if (typeof data.text === "string") bounded(words, sessionID, data.text.slice(-1000), 500);
      return null;
    case "session.tool.input.started":
      bounded(toolNames, callID, data.name, 500);
      return null;
    case "session.tool.called":
      return { tool: toolNames.get(callID), callID, ...subjectOf(data.input) };
    case "session.tool.success":
    case "session.tool.failed": {
      const tool = toolNames.get(callID);
      toolNames.delete(callID);
      return { tool, callID };
    }
    case "permission.asked":
      return { id: data.id, action: data.action, resources: data.resources };
    case "permission.replied":
      return { requestID: data.requestID, reply: data.reply };
    case "form.created":
      return { id: data.form.id, title: data.form.title, fields: data.form.fields };
    case "form.replied":
    case "form.cancelled":
      return { requestID: data.id };
    default:
      return {};
  }
};

const onSecond = async (context, { type, data }) => {
  const sessionID = type === "form.created" ? data.form.sessionID : (data.sessionID ?? data.id);
  if (typeof sessionID !== "string") return;
  if (type === "session.created") bounded(sessions, sessionID, sessionOf(data), 5000);
  const content = contentOf(type, data, sessionID);
  if (content === null) return;
  const session = await knownSession(context, sessionID, type === "session.inbox.enqueued");
  const rootID = await rootOf(context, sessionID);
  if (rootID === null || session === null) return;
  const { parentID, directory } = session;
  const hand = type === "permission.asked" || type === "form.created" ? sendWhole : send;
  hand(type, { ...content, sessionID, parentID, rootID, directory });
};

let turn = Promise.resolve();
const setup = async (context) => {
  let stream;
  try {
    stream = context.event.subscribe()[Symbol.asyncIterator]();
  } catch {
    return;
  }
  const listen = async () => {
    for (;;) {
      const { done, value } = await stream.next();
      if (done) return;
      if (isFirst || !FORWARDED_BY_SECOND.has(value?.type) || told.has(value.id)) continue;
      if (told.size > 5000) told.clear();
      if (typeof value.id === "string") told.add(value.id);
      // An event that cannot be told may not stop the agent, nor the next one.
      turn = turn.then(() => onSecond(context, value)).catch(() => {});
    }
  };
  // Whatever ends the stream, the agent goes on.
  void listen().catch(() => {});
  return () => {
    // It is over anyway.
    void Promise.resolve(stream.return?.()).catch(() => {});
  };
};

// Versions below 1.18.29 may call every export of a plugin file; then an object among them keeps opencode from beginning a session
// (tried with 1.1.53). The package that opencode 1 keeps beside its plugins has opencode's own version.
const callsExports = async () => {
  try {
    const file = new URL("../node_modules/@opencode-ai/plugin/package.json", import.meta.url);
    const [major, minor, patch] = JSON.parse(await fs.readFile(file, "utf8")).version.split(".").map(Number);
    return major < 1 || (major === 1 && (minor < 18 || (minor === 18 && patch < 29)));
  } catch {
    return false;
  }
};

export default (await callsExports()) ? AgtmuxPlugin : { id: "agtmux", server: AgtmuxPlugin, setup };
`;

/** What is different in a fork. */
export interface PluginHost {
  agentType: string;
  displayName: string;
  /** The package that it fetches at its start where a folder for plugins exists. */
  packageName: string;
  /** The first words of those commands whose sessions have a row without a terminal; none where this was not seen. */
  servers: readonly string[];
}

const OPENCODE: PluginHost = {
  agentType: "opencode",
  displayName: "opencode",
  packageName: "@opencode-ai/plugin",
  servers: ["serve", "web"],
};

/** The plugin behind its event writer. */
export const pluginBody = ({ servers }: Pick<PluginHost, "servers">): string =>
  `\nconst SERVERS = /^(${servers.length === 0 ? "?!" : servers.join("|")})$/;\n${SHARED}${FIRST}${SECOND}`;

/**
 * The plugin for one installation of agtmux. opencode 1 takes `server` of the default export (from 1.18.29 on), or calls every
 * export once; OpenCode 2 takes `setup`.
 */
const sourceFor = (host: PluginHost, eventScript: string): string =>
  eventWriterSource(host.agentType, eventScript) + pluginBody(host);

export const opencodePluginSource = (eventScript: string): string => sourceFor(OPENCODE, eventScript);

/** The test event is one that no session sends. */
export const createPluginIntegration = (host: PluginHost): Integration =>
  createOwnFileIntegration({
    path: (configDir) => `${configDir}/plugin/agtmux.js`,
    bodyOf: (eventScript) => sourceFor(host, eventScript),
    entry: "plugin",
    stepsOf: async ({ files, configDir }) => {
      const { displayName, packageName } = host;
      const path = `${configDir}/node_modules/${packageName}/package.json`;
      if ((await files.stat(path)) !== null) return [];
      return [
        {
          what: `start ${displayName} once with network`,
          how: `${displayName} installs ${packageName} from npm at its next start, because a plugin folder exists; without network its screen stays blank for over a minute.`,
        },
      ];
    },
    testEvent: { eventName: "agtmux.test", payload: { message: "Delivery test" } },
  });

export const createOpencodeIntegration = (): Integration => {
  const plugin = createPluginIntegration(OPENCODE);
  return {
    ...plugin,
    planUninstall: async (request) => [
      ...(await plugin.planUninstall(request)),
      ...(await planNotesRemoval(request)),
    ],
  };
};
