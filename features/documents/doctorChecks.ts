// What the doctor says of the original program, agent-doc, where agtmux answers in documents too: neither waits for the other's writes.
// It only looks; what lies in a project is hostile.
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, delimiter, join } from "node:path";
import { readPlain } from "../../core/files/plainFile.ts";
import type { Check, Diagnosis } from "../../core/model/doctorCheck.ts";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import { quoteWord } from "../../core/model/shellWord.ts";
import { isMissing } from "../../core/model/systemError.ts";
import type { FeatureContext } from "../../core/ports/feature.ts";
import { projectOf } from "./files/documentPaths.ts";
import { readRegistry } from "./files/registry.ts";

const LIMIT_MS = 5_000;
const MAX_BYTES = 1024 * 1024;
const MAX_PROJECTS = 100;
const MAX_FOLDERS = 200;
const OURS = "agtmux";

type Env = Readonly<Record<string, string | undefined>>;
type Watched = Pick<FeatureContext, "env" | "homePath"> & {
  readonly rows: Pick<FeatureContext["rows"], "all">;
};

/** Null for what is not there, is no file, or is no size for what it should be. In a home, it may be a link. */
const readSmall = async (path: string): Promise<string | null> => {
  try {
    return (
      (await readPlain({ path: await realpath(path) }, { maxBytes: MAX_BYTES }))?.toString("utf8") ?? null
    );
  } catch {
    // Nothing is said of what cannot be read.
    return null;
  }
};

const isThere = async (path: string): Promise<boolean> => {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
};

/** Programs of that name that are not links to agtmux, where editors' plugins look for one. */
const findPrograms = async (env: Env): Promise<string[]> => {
  const home = env["HOME"] ?? "/";
  const usual = [join(home, "bin"), join(home, ".local/bin"), join(home, ".cargo/bin"), "/usr/local/bin"];
  const folders = new Set([
    ...usual,
    ...(env["PATH"] ?? "").split(delimiter).filter((one) => one.startsWith("/")),
  ]);
  const found: string[] = [];
  for (const folder of folders) {
    const path = join(folder, "agent-doc");
    // Most folders of PATH have none.
    const real = await realpath(path).catch(() => null);
    if (real !== null && basename(real) !== OURS) found.push(path);
  }
  return found;
};

/** The hidden folders in which agents keep their settings. */
const settingsIn = async (folder: string): Promise<string[]> => {
  try {
    const names = (await readdir(folder)).filter((name) => name.startsWith("."));
    return names.slice(0, MAX_FOLDERS).map((name) => join(folder, name));
  } catch {
    // Nothing is said of what cannot be read.
    return [];
  }
};

/** The skill as agtmux writes it names its own command. */
const isOtherSkill = async (folder: string): Promise<boolean> =>
  (await readSmall(join(folder, "skills", "agent-doc", "SKILL.md")))?.includes("agtmux doc") === false;

/** Hooks are commands somewhere in the settings of an agent. */
const hasHooks = async (folder: string): Promise<boolean> => {
  const texts = await Promise.all(
    ["settings.json", "hooks.json"].map((name) => readSmall(join(folder, name))),
  );
  return texts.some((text) => text !== null && /"command"\s*:\s*"[^"]*\bagent-doc\b/.test(text));
};

/** What another program has left in a project that agtmux writes in. */
const findTraces = async (
  root: string,
  project: Awaited<ReturnType<typeof projectOf>>,
  home: string,
): Promise<string[]> => {
  const traces: string[] = [];
  if (await isThere(join(project.folder, "locks"))) traces.push("its locks");
  for (const folder of await settingsIn(root))
    if (await isOtherSkill(folder)) traces.push(`its skill in ${basename(folder)}`);
  try {
    const { entries, own } = await readRegistry(project, home);
    const others = Object.keys(entries).filter((id) => !Object.hasOwn(own, id)).length;
    if (others > 0) traces.push(`its claims in sessions.json (${others})`);
  } catch {
    // The verbs say what is wrong with the registry.
  }
  return traces;
};

/** Projects that agents work in now, and that agtmux has written in. */
const findProjects = async ({ rows }: Watched) => {
  const folders = new Set(
    rows
      .all()
      .flatMap(({ identity, activity }) =>
        identity.target === HOST_TARGET && activity?.folder ? [activity.folder] : [],
      ),
  );
  const projects = new Map<string, Awaited<ReturnType<typeof projectOf>>>();
  for (const folder of [...folders].slice(0, MAX_PROJECTS)) {
    // What is another user's, or cannot be read, is no project of ours; each command on it says why.
    const project = await projectOf(folder).catch(() => null);
    if (project === null) continue;
    const own = await Promise.all(
      ["agtmux.json", "agtmux.lock.db"].map((name) => isThere(join(project.folder, name))),
    );
    if (own.includes(true)) projects.set(project.root, project);
  }
  return projects;
};

const REMEDY =
  "Use one of the two in a project. For agtmux: end the other one there, run 'agtmux doc skill install', and claim the documents again.";

const examine = async (context: Watched): Promise<Diagnosis[] | null> => {
  const projects = await findProjects(context);
  if (projects.size === 0) return null;
  const found: Diagnosis[] = [];
  for (const [root, project] of projects) {
    const traces = await findTraces(root, project, context.homePath);
    if (traces.length > 0)
      found.push({
        status: "warning",
        summary: `Another agent-doc answers in the documents of ${root} too, and neither waits for the other's writes.`,
        evidence: `found: ${traces.join(", ")}`,
        remedy: REMEDY,
      });
  }
  for (const program of await findPrograms(context.env))
    found.push({
      status: "warning",
      summary: `${program} is another program than agtmux, and editors and skills that call it write beside agtmux.`,
      remedy: `Put a link to agtmux in its place: ln -sf "$(command -v agtmux)" ${quoteWord(program)}`,
    });
  for (const folder of await settingsIn(context.env["HOME"] ?? "/")) {
    const has = [
      ...((await isOtherSkill(folder)) ? ["skill"] : []),
      ...((await hasHooks(folder)) ? ["hooks"] : []),
    ];
    if (has.length > 0)
      found.push({
        status: "warning",
        summary: `${folder} has the ${has.join(" and the ")} of another agent-doc, for all projects, also for those of agtmux.`,
        remedy: "Take it out there, or answer in documents with that program alone.",
      });
  }
  return found;
};

export const documentChecks = (context: Watched): Check[] => [
  { name: "documents.other", place: { group: "agent" }, limitMs: LIMIT_MS, run: () => examine(context) },
];
