// Runs an installed plugin the way its agent does, so that tests play the real plugin file: loads it and calls its
// handlers for every line `{ "event", "payload" }` on stdin, answering each by a line. Usage: node pluginHost.mjs <kind> <file> <pid>
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [kind, file, agentPid] = process.argv.slice(2);
const plugin = await import(pathToFileURL(file).href);

// The agent's process runs its plugin itself.
Object.defineProperty(process, "pid", { value: Number(agentPid) });

/** opencode takes `server` of the default export; events come by one handler, hooks by their own names. */
const loadOpencode = async () => {
  const hooks = await plugin.default.server({ directory: process.cwd() });
  return (event, payload) =>
    Object.hasOwn(hooks, event) && event !== "event"
      ? hooks[event](payload, {})
      : hooks.event({ event: { type: event, properties: payload } });
};

/** The pi family calls the default export with an object on which handlers are registered, and awaits every handler. */
const loadExtension = () => {
  const handlers = new Map();
  plugin.default({ on: (event, handler) => handlers.set(event, handler) });
  return (event, payload) => {
    const { session_id: id, session_file: path, ...rest } = payload;
    const sessionManager = { getSessionId: () => id, getSessionFile: () => path };
    return handlers.get(event)?.(
      { type: event, ...rest },
      { hasUI: true, cwd: process.cwd(), sessionManager },
    );
  };
};

const call = kind === "opencode" ? await loadOpencode() : loadExtension();
for await (const line of createInterface({ input: process.stdin })) {
  const { event, payload } = JSON.parse(line);
  await call(event, payload);
  process.stdout.write("done\n");
}
