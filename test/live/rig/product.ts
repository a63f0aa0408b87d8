// agtmux as a person has it: its command line, and the daemon that the first command starts, with a HOME and an AGTMUX_HOME of
// this run and one tmux server to watch.
import { fileURLToPath } from "node:url";
import { placeIdOf } from "../../../core/model/shortRef.ts";
import { paneListSchema, type PaneView } from "../../../core/model/view.ts";
import { startProgram, type Finished } from "../../harness/commandLine.ts";

export const AGTMUX = fileURLToPath(new URL("../../../bin/agtmux", import.meta.url));

export const createProduct = (options: { home: string; agtmuxHome: string; socketPath: string }) => {
  const env = {
    HOME: options.home,
    AGTMUX_HOME: options.agtmuxHome,
    AGTMUX_TMUX_SOCKETS: options.socketPath,
    LC_ALL: "C.UTF-8",
    NO_COLOR: "1",
  };
  const run = (...args: readonly string[]): Promise<Finished> => startProgram(AGTMUX, args, env).finished;
  const list = async (): Promise<{ text: string; rows: PaneView[] }> => {
    const { code, stdout, stderr } = await run("list", "panes", "--json", "--background");
    if (code !== 0) throw new Error(`agtmux list panes ended with ${code}: ${stderr}`);
    return { text: stdout, rows: paneListSchema.parse(JSON.parse(stdout)).items };
  };
  return {
    env,
    run,
    /** The document of `list panes`, as it was printed, and its rows. */
    list,
    /** Of a pane, or of a session that no pane shows (`bg-…`). */
    row: async (placeId: string): Promise<PaneView | null> =>
      (await list()).rows.find((row) => placeIdOf(row) === placeId) ?? null,
    stop: async (): Promise<void> => {
      await run("daemon", "stop");
    },
  };
};

export type Product = ReturnType<typeof createProduct>;
