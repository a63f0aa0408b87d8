// The doctor's look at the command itself: the Node that runs it, its installation, whether a shell finds it, and the terminal
// that it writes to.
import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import type { Check, Diagnosis } from "../../core/model/doctorCheck.ts";
import { quoteForPerson } from "../../core/model/shellWord.ts";

const LIMIT_MS = 3_000;
const MIN_NODE = 24;

export interface ClientFacts {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Version of Node, without the v. */
  readonly nodeVersion: string;
  readonly nodePath: string;
  /** Folder of the installation and its version. */
  readonly root: string;
  readonly version: string;
  readonly isTerminal: boolean;
}

const isExecutable = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
};

const checkNode = ({ nodeVersion, nodePath }: ClientFacts): Diagnosis =>
  Number.parseInt(nodeVersion, 10) >= MIN_NODE
    ? { status: "ok", summary: `Node ${nodeVersion} is new enough.`, evidence: nodePath }
    : {
        status: "problem",
        summary: `Node ${nodeVersion} is too old: ${MIN_NODE} is needed.`,
        evidence: nodePath,
        remedy: "Install Node 24 from https://nodejs.org; 'npm ci' brings one on Linux.",
      };

const checkInstallation = async ({ root, version }: ClientFacts): Promise<Diagnosis> => {
  const wanted = [join(root, "bin", "agtmux"), join(root, "resources", "hooks", "agtmux-event")];
  const found = await Promise.all(wanted.map(isExecutable));
  const missing = wanted.filter((_path, index) => found[index] !== true);
  if (missing.length === 0)
    return { status: "ok", summary: `agtmux ${version} is installed completely.`, evidence: root };
  return {
    status: "problem",
    summary: `The installation of agtmux ${version} is incomplete.`,
    evidence: `missing or not executable: ${missing.join(", ")}`,
    remedy: "Install it again.",
  };
};

const checkPath = async ({ env, root }: ClientFacts): Promise<Diagnosis> => {
  const own = join(root, "bin", "agtmux");
  const folders = (env["PATH"] ?? "").split(delimiter).filter(isAbsolute);
  const link = `ln -s ${quoteForPerson(own)} ~/.local/bin/agtmux`;
  for (const folder of folders) {
    const found = join(folder, "agtmux");
    if (!(await isExecutable(found))) continue;
    if ((await realpath(found)) === (await realpath(own)))
      return { status: "ok", summary: "A shell finds this agtmux.", evidence: found };
    return {
      status: "warning",
      summary: "A shell finds another agtmux than this one.",
      evidence: `${found}, not ${own}`,
      remedy: `Put this one first on PATH, e.g. '${link}'.`,
    };
  }
  return {
    status: "warning",
    summary: "A shell does not find agtmux: it is not on PATH.",
    evidence: own,
    remedy: `Run '${link}' (with ~/.local/bin on PATH).`,
  };
};

const checkTerminal = ({ env, isTerminal }: ClientFacts): Diagnosis[] => {
  if (!isTerminal) return [{ status: "skipped", summary: "The output is no terminal." }];
  const term = env["TERM"] ?? "";
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return [
    term === "" || term === "dumb"
      ? {
          status: "warning",
          summary: "The kind of terminal is not known, so tables are plain and tmux cannot attach.",
          evidence: `TERM=${term}`,
          remedy: "Set it, e.g. 'export TERM=xterm-256color'.",
        }
      : {
          status: "ok",
          summary: "The terminal is known; 'agtmux attach' opens panes in it.",
          evidence: `TERM=${term}`,
        },
    /utf-?8/i.test(locale)
      ? { status: "ok", summary: "The locale is UTF-8.", evidence: locale }
      : {
          status: "warning",
          summary: "The locale is not UTF-8, so tmux replaces other characters by underscores.",
          evidence: locale === "" ? "LC_ALL, LC_CTYPE and LANG are not set" : locale,
          remedy: "Set it, e.g. 'export LC_ALL=C.UTF-8'.",
        },
  ];
};

export const clientChecks = (facts: ClientFacts): Check[] => {
  const check = (name: string, run: Check["run"]): Check => ({
    name: `client.${name}`,
    place: { group: "client" },
    limitMs: LIMIT_MS,
    run,
  });
  return [
    check("node", () => checkNode(facts)),
    check("installation", () => checkInstallation(facts)),
    check("path", () => checkPath(facts)),
    check("terminal", () => checkTerminal(facts)),
  ];
};
