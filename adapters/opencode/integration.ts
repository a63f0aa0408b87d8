// Our plugin for opencode: its source text, and the integration that installs it as a file of its own in the user folder.
// opencode 1.18.33 installs the package @opencode-ai/plugin from npm at its next start when the folder exists, and draws nothing
// for more than a minute without network; that is opencode's doing, so the person is told, and it is not worked around.
import type { Integration } from "../../core/ports/agentAdapter.ts";
import { eventWriterSource, createOwnFileIntegration } from "../common/pluginFile.ts";

// The plugin: it runs inside opencode, hands on the few events that change a state, and adds what only somebody who saw the
// earlier ones knows: whose child a session is, how the turn that now ends went wrong, what the call that asks for a permission
// gets.

const BODY = `
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

const TELLING = ["command", "filePath", "path", "pattern", "query", "url", "description"];

export const AgtmuxPlugin = async (context) => {
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
  // The line or the file that a tool works on, for the person.
  const subjectOf = (args) => {
    const found = TELLING.map((name) => args?.[name]).find((value) => typeof value === "string");
    return found === undefined ? {} : { subject: found.slice(0, 300) };
  };
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
        const error = {
          name: properties.error?.name,
          data: {
            statusCode: properties.error?.data?.statusCode,
            message: String(properties.error?.data?.message ?? "").slice(0, 500),
          },
        };
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

/** The plugin for one installation of agtmux. opencode calls every export of a plugin file: there is exactly one. */
export const opencodePluginSource = (eventScript: string): string =>
  eventWriterSource("opencode", eventScript) + BODY;

const folder = (homeDir: string): string => `${homeDir}/.config/opencode`;

/** Creates the integration. The test event is one that no session sends. */
export const createOpencodeIntegration = (): Integration =>
  createOwnFileIntegration({
    path: (homeDir) => `${folder(homeDir)}/plugin/agtmux.js`,
    bodyOf: opencodePluginSource,
    entry: "plugin",
    stepsOf: async ({ files, homeDir }) => {
      const path = `${folder(homeDir)}/node_modules/@opencode-ai/plugin/package.json`;
      if ((await files.stat(path)) !== null) return [];
      return [
        {
          what: "start opencode once with network",
          how: "opencode installs @opencode-ai/plugin from npm at its next start, because a plugin folder exists; without network its screen stays blank for over a minute.",
        },
      ];
    },
    testEvent: { eventName: "agtmux.test", payload: { message: "Delivery test" } },
  });
