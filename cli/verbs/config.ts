// `agtmux config list|get|set`: the settings that a surface may change, by the daemon, which checks each value and keeps everything
// else in config.json as it is.
import type { ConfigDocument } from "../../core/model/documents.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { Settings } from "../../core/model/settings.ts";
import { isSettingKey, SETTING_KEYS, type SettingKey } from "../../core/model/settingKeys.ts";
import { withDaemon, type CliContext } from "../context.ts";
import { printDocument } from "../document.ts";
import { cleanLine } from "../render/clean.ts";
import { measureFor } from "../render/measure.ts";
import { type Column, renderTable } from "../render/table.ts";

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
  const settings = await withDaemon(context, (client) => client.call((api) => api.configGet.query()));
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
  const settings = await withDaemon(context, (client) => client.call((api) => api.configGet.query()));
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
  const settings = await withDaemon(context, (client) =>
    client.call((api) => api.configSet.mutate({ key, value })),
  );
  if (options.json === true) print(context, settings, [key]);
  else context.print(`${key} is now ${show(settings.values[key])}.\n`);
};
