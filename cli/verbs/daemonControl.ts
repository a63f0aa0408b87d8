// `agtmux config list|get|set` (settings that a surface may change) and `agtmux daemon status|stop`. `daemon run` is in cli/host.
import type { ConfigDocument, DaemonStatusDocument } from "../../core/model/documents.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { Settings } from "../../core/model/config.ts";
import { isSettingKey, SETTING_KEYS, type SettingKey } from "../../core/model/settingKeys.ts";
import { callDaemon, type CliContext, type DaemonClient } from "../command/context.ts";
import { printDocument } from "../command/document.ts";
import { cleanLine } from "../render/clean.ts";
import { measureFor, type Column, renderTable } from "../render/table.ts";
import { formatAge } from "../../core/model/words.ts";

// Settings: read and changed by the daemon, which checks each value and keeps everything else in config.json as it is.

const COLUMNS: readonly Column[] = [
  { title: "KEY", min: null },
  { title: "VALUE", min: 8 },
  { title: "DEFAULT", min: 8 },
];

/** As it is typed: a text bare, everything else as JSON. */
const show = (value: unknown): string => cleanLine(typeof value === "string" ? value : JSON.stringify(value));

/** JSON where it is some (`true`, `5`, `null`, `["vm1"]`), else the text itself. */
const parseValue = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const checkKey = (key: string): SettingKey => {
  if (isSettingKey(key)) return key;
  throw new AgtmuxError("E_USAGE", `there is no setting '${cleanLine(key)}'`, {
    remedy: `Settings are ${SETTING_KEYS.join(", ")}.`,
  });
};

const toItem = ({ values, defaults }: Settings, key: SettingKey): ConfigDocument["items"][number] => ({
  key,
  value: values[key],
  default: defaults[key],
});

const print = (context: CliContext, settings: Settings, keys: readonly SettingKey[]): void =>
  printDocument<ConfigDocument>(context, {
    path: settings.path,
    problem: settings.problem,
    items: keys.map((key) => toItem(settings, key)),
  });

const warn = (context: CliContext, { problem }: Settings): void => {
  if (problem !== null)
    context.stderr.write(`agtmux: ${cleanLine(problem)}; the last good settings are in force\n`);
};

export const runConfigList = async (context: CliContext, options: { json?: boolean }): Promise<void> => {
  const settings = await callDaemon(context, (api) => api.configGet.query());
  if (options.json === true) {
    print(context, settings, SETTING_KEYS);
    return;
  }
  const { values, defaults } = settings;
  const rows = SETTING_KEYS.map((key) => {
    const [value, usual] = [show(values[key]), show(defaults[key])];
    const isUsual = value === usual;
    return [
      { text: key },
      isUsual ? { text: value } : { text: value, paint: (text: string) => context.paint("bold", text) },
      { text: isUsual ? "" : usual },
    ];
  });
  const { width, paint } = context;
  const lines = renderTable(COLUMNS, rows, { width, paint, measure: await measureFor(settings) });
  context.print(`${lines.join("\n")}\n`);
  warn(context, settings);
};

export const runConfigGet = async (
  context: CliContext,
  name: string,
  options: { json?: boolean },
): Promise<void> => {
  const key = checkKey(name);
  const settings = await callDaemon(context, (api) => api.configGet.query());
  if (options.json === true) print(context, settings, [key]);
  else {
    context.print(`${show(settings.values[key])}\n`);
    warn(context, settings);
  }
};

/** Fails with E_USAGE for a value that the setting cannot have, E_CONFIG_INVALID where the file is already wrong. */
export const runConfigSet = async (
  context: CliContext,
  name: string,
  text: string,
  options: { json?: boolean },
): Promise<void> => {
  const key = checkKey(name);
  const value = parseValue(text);
  const settings = await callDaemon(context, (api) => api.configSet.mutate({ key, value }));
  if (options.json === true) print(context, settings, [key]);
  else context.print(`${key} is now ${show(settings.values[key])}.\n`);
};

// Status and stop: talk to a running daemon of any version, and never start one.

const STOP_TIMEOUT_MS = 15_000;

const connectAny = async (context: CliContext): Promise<DaemonClient | null> => {
  try {
    return await context.connect({ start: false, checkVersion: false });
  } catch (error) {
    if (error instanceof AgtmuxError && error.code === "E_DAEMON_UNAVAILABLE") return null;
    throw error;
  }
};

/** Exit status 0 when a daemon runs, that of E_DAEMON_UNAVAILABLE (8) when none does. */
export const runDaemonStatus = async (context: CliContext, options: { json?: boolean }): Promise<number> => {
  const client = await connectAny(context);
  const home = context.paths().home;
  if (client === null) {
    if (options.json !== true)
      throw new AgtmuxError("E_DAEMON_UNAVAILABLE", `no daemon runs for ${home}`, {
        remedy: "It starts with the first command that needs it.",
      });
    printDocument<DaemonStatusDocument>(context, { running: false, home });
    return 8;
  }
  client.close();
  const { hello } = client;
  if (options.json === true) {
    const { pid, version, protocol, host } = hello;
    printDocument<Extract<DaemonStatusDocument, { running: true }>>(context, {
      running: true,
      home,
      pid,
      version,
      protocol,
      host,
      is_on_demand: hello.isOnDemand,
      started_at: new Date(hello.startedAt).toISOString(),
    });
    return 0;
  }
  const kind = hello.host === "app" ? "in the desktop app" : hello.isOnDemand ? "on demand" : "headless";
  const age = formatAge(context.now() - hello.startedAt);
  context.print(
    `Running ${kind} for ${age}: agtmux ${cleanLine(hello.version)}, pid ${hello.pid}, home ${home}\n`,
  );
  return 0;
};

/** Asks it to stop and waits until it gave up the home, so that the next one can start. That none runs is not an error. */
export const runDaemonStop = async (context: CliContext): Promise<void> => {
  const client = await connectAny(context);
  if (client === null) {
    context.print("No daemon was running.\n");
    return;
  }
  const { pid, host } = client.hello;
  if (host === "app") {
    client.close();
    throw new AgtmuxError("E_UNSUPPORTED", `the desktop app (pid ${pid}) is the daemon`, {
      remedy: "Quit the app to stop it.",
    });
  }
  try {
    await client.call((api) => api.shutdown.mutate());
  } finally {
    client.close();
  }
  const { untilFree } = await import("../../core/rpc/ownership.ts");
  const { home, log } = context.paths();
  if (!(await untilFree(home, STOP_TIMEOUT_MS)))
    throw new AgtmuxError(
      "E_DAEMON_UNAVAILABLE",
      `the daemon (pid ${pid}) was asked to stop but still runs`,
      { remedy: `See its log, ${log}.` },
    );
  context.print("Stopped.\n");
};
