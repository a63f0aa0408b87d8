// What `npm start` says to a person in whose shell `agtmux` is not found yet: the link that the app's settings would make.
import { delimiter, dirname } from "node:path";
import { createCommandLineService } from "../main/commandLine.ts";

const quoted = (path: string): string =>
  /^[\w@%+:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;

/** Null where a shell finds an `agtmux`, or where something else is in the link's place. */
export const commandHint = async (options: {
  command: string;
  env: NodeJS.ProcessEnv;
  homeDir: string;
  platform: NodeJS.Platform;
}): Promise<string | null> => {
  const { command, ...places } = options;
  const state = await createCommandLineService({ ...places, commands: [command] }).state();
  if (state.kind !== "absent" || state.other !== null) return null;
  const folder = dirname(state.path);
  const isOnPath = (options.env["PATH"] ?? "").split(delimiter).includes(folder);
  const link = `mkdir -p ${quoted(folder)} && ln -s ${quoted(state.command)} ${quoted(state.path)}`;
  return `For 'agtmux' in your shell${isOnPath ? "" : ` (with ${folder} on your PATH)`}: ${link}`;
};
