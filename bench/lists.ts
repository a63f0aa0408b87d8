// Lists over the socket and the start of the command line, as `bench/cli.ts` measures them.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as z from "zod";
import { atMost, type BenchOptions, type Measured } from "./report/model.ts";
import { SPREAD_HEAD, spreadCells } from "./report/words.ts";

const CLI = fileURLToPath(new URL("cli.ts", import.meta.url));
const MAX_LIST_MS = 15;
/** The limit of a command's time, as a multiple of an empty Node's. */
const MAX_RATIO = 2;

const spread = z.object({ count: z.number(), median: z.number(), p95: z.number(), max: z.number() });
const figuresSchema = z.looseObject({
  panes: z.number(),
  documentKb: z.number(),
  server: spread,
  command: spread,
  version: spread,
  emptyNode: spread,
  emptyShell: spread,
  ratio: z.number(),
});

export const benchLists = async ({ isQuick }: BenchOptions): Promise<Measured> => {
  const words = isQuick
    ? ["--panes", "25", "--runs", "1", "--turns", "5", "--settle", "0"]
    : ["--runs", "40"];
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, "--json", ...words]);
  const figures = figuresSchema.parse(JSON.parse(stdout));
  return {
    name: "lists",
    title: "Lists, and the command line",
    how: `${figures.panes} real panes, each with a process that counts as an agent. The daemon's answer is timed on an open connection from the request to the last byte; the commands are whole processes, in turns with an empty Node and an empty shell.`,
    tables: [
      {
        caption: `\`agtmux list panes --json\` (${figures.documentKb.toFixed(0)} kB)`,
        head: ["", ...SPREAD_HEAD],
        rows: [
          ["the daemon's answer over the socket", ...spreadCells(figures.server)],
          ["the whole command", ...spreadCells(figures.command)],
          ["`agtmux --version`", ...spreadCells(figures.version)],
          ["`node -e 0`", ...spreadCells(figures.emptyNode)],
          ["`sh -c :`", ...spreadCells(figures.emptyShell)],
        ],
      },
    ],
    checks: [
      atMost("the daemon's answer, p95", figures.server.p95, MAX_LIST_MS, "ms"),
      atMost("the whole command by `node -e 0`, medians", figures.ratio, MAX_RATIO, "×"),
    ],
    notes: [
      "What `watch` is told and how late: “hook → feed” of 1,000 panes, in the tables of idle and busy.",
    ],
    figures,
  };
};
