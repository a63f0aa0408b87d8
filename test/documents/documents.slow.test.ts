// Every JSON document as the real command line prints it from a real daemon on real tmux, against the schema of its verb: no
// key is missing, and none is there that the schema does not name.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { createBareProgram } from "../../cli/grammar/run.ts";
import { flatten, toPage } from "../../cli/reference/pages.ts";
import { makeFakeHome } from "../../cli/testing/fakeHome.ts";
import { recordedLog } from "../../adapters/testkit/recordedLog.ts";
import { makePane } from "../factories/view.ts";
import { AnsweringDaemon } from "../fakes/answeringDaemon.ts";
import { documentSchemas, DOCUMENTS } from "../../core/model/documents.ts";
import { openAgent } from "../actions/agentPane.ts";
import { dialogOf, openDialogs } from "../actions/dialogPane.ts";
import { openHarness, type Harness } from "../actions/actionHarness.ts";
import { openCommandLine, serveDaemon, type CommandLine, type Finished } from "../harness/commandLine.ts";
import { until } from "../setup/realClock.ts";
import { git } from "../workspaces/hostileRepository.ts";

const SCHEMAS = fileURLToPath(new URL("../../resources/schemas", import.meta.url));
const ENDING = ".schema.json";

let scene: Harness;
let cli: CommandLine;
const closers: (() => Promise<void>)[] = [];
const ASKING = dialogOf("recordings/claude/waiting_approval", {
  options: ["Yes", "Yes, and always", "Yes, and switch to auto mode", "No"],
  digits: "too",
  escapes: "No",
});

/** Agents by the words that stand for them: one to act on, one in the middle of a turn, and one that may be killed. */
const refs = new Map<string, string>();
const WORKING = fileURLToPath(new URL("../fixtures/recordings/claude/running.txt", import.meta.url));

beforeAll(async () => {
  scene = await openHarness();
  closers.push(() => scene.close(), await serveDaemon(scene.daemon));
  const sessions = join(scene.daemon.home, ".copilot/session-state/4f8298d2-418e-4a80-b3af-93ac5d9530f5");
  mkdirSync(sessions, { recursive: true });
  writeFileSync(join(sessions, "events.jsonl"), recordedLog("copilot.jsonl"));
  const phone = { name: "phone", kind: "command", argv: ["true"] };
  writeFileSync(scene.daemon.paths.config, JSON.stringify({ channels: [phone] }));
  // oxlint-disable-next-line unicorn/no-thenable -- the word of a rules file
  const look = { name: "look", when: { commands: [["touch", "approved.txt"]] }, then: "approve" };
  writeFileSync(join(scene.daemon.paths.home, "rules.json"), JSON.stringify({ rules: [look] }));
  await scene.service.configGet(undefined);
  cli = openCommandLine(scene.daemon.paths.home);
  closers.push(() => cli.close());
  const open = async (word: string, options: { working?: string }) =>
    refs.set(word, (await openAgent(scene, options, word)).row.identity.pane_ref);
  await open("REF", {});
  await open("BUSY", { working: WORKING });
  await open("DOOMED", {});
  const asking = await openDialogs(scene, "claude", [ASKING], { name: "ASKING" });
  refs.set("ASKING", asking.row.identity.pane_ref);
  refs.set("PROMPT", asking.row.prompt_fingerprint ?? "");
  const repository = join(scene.tmux.folder, "repository");
  mkdirSync(repository);
  git(repository, "init", "-q", "-b", "main");
  git(repository, "commit", "-q", "--allow-empty", "-m", "one");
  git(repository, "worktree", "add", "-q", "-b", "done", `${repository}-done`);
  refs.set("REPOSITORY", repository);
  writeFileSync(join(repository, "new.txt"), "new\n");
  const { row, paneId } = await openAgent(scene, {}, "CHANGED", repository);
  refs.set("CHANGED", row.identity.pane_ref);
  await scene.daemon.until(paneId, ({ activity }) => (activity?.work_tree ?? null) !== null, 20_000);
}, 60_000);

afterAll(async () => {
  for (const close of closers.toReversed()) await close();
});

const parse = (text: string): unknown => JSON.parse(text);

/** Nothing but what the schema names: strict, as the type is, and unlike what is shipped, which lets new keys come. */
const strictly = (name: string): z.ZodType => {
  const schema = DOCUMENTS[name];
  if (schema === undefined) throw new Error(`no document '${name}'`);
  return z.fromJSONSchema(z.toJSONSchema(schema));
};
const asShipped = (name: string): z.ZodType =>
  z.fromJSONSchema(
    parse(readFileSync(join(SCHEMAS, `${name.replaceAll(" ", "_")}${ENDING}`), "utf8")) as Parameters<
      typeof z.fromJSONSchema
    >[0],
  );

const check = (name: string, text: string): unknown => {
  const document = parse(text);
  for (const schema of [DOCUMENTS[name], strictly(name), asShipped(name)]) {
    const { error } = schema?.safeParse(document) ?? { error: "none" };
    expect(error, `${name}: ${text}`).toBeUndefined();
  }
  expect(document).toMatchObject({ schema_version: "1.0", generated_at: expect.stringMatching(/^\d{4}-/) });
  return document;
};

const run = (verb: string, ...more: string[]): Promise<Finished> =>
  cli.run([...verb.split(" "), ...more, "--json"]);

/** What all lists have in common. */
const listFrame = z.object({
  filters: z.object({}),
  summary: z.object({}),
  items: z.array(z.object({ identity: z.object({}) })).min(1),
});
const LISTS = [
  "list panes",
  "list windows",
  "list sessions",
  "audit",
  "target list",
  "adapters list",
  "channel list",
  "jobs list",
  "rule list",
  "history list",
  "history search",
  "history usage",
];

/** The rest of each command line; in this order, because some change what others see. */
const CALLS: readonly (readonly [verb: string, ...more: string[]])[] = [
  ["list panes", "--all"],
  ["list panes", "--sort", "state"],
  ["list windows"],
  ["list sessions"],
  ["list sessions", "--group-by", "session-name"],
  ["status"],
  ["explain", "REF"],
  ["wait", "REF", "--until", "idle", "--timeout", "20s"],
  ["view-output", "REF"],
  ["send", "REF", "--text", "hello"],
  ["interrupt", "BUSY"],
  ["answer", "ASKING", "--approve", "--if-prompt", "PROMPT"],
  ["kill", "DOOMED", "--yes"],
  ["audit"],
  ["adapters list"],
  ["adapters check"],
  ["adapters try", "REF"],
  ["adapters disable", "gemini"],
  ["adapters enable", "gemini"],
  ["config list"],
  ["config get", "idle_shutdown_ms"],
  ["config set", "notifications.completed", "true"],
  ["integrate"],
  ["integrate", "claude", "--dry-run"],
  ["integrate", "claude", "--verify"],
  ["setup", "--yes"],
  ["setup", "--remove", "--dry-run"],
  ["target add", "vm9", "--ssh-target", "none.invalid", "--no-wait"],
  ["target disable", "vm9"],
  ["target set", "vm9", "--transport", "openssh"],
  ["target enable", "vm9"],
  ["target remove", "vm9", "--yes"],
  ["target list"],
  ["tell", "REF", "--when", "gone"],
  ["jobs list"],
  ["jobs show", "JOB"],
  ["jobs hold", "JOB"],
  ["jobs release", "JOB"],
  ["jobs cancel", "JOB"],
  ["automation pause"],
  ["automation resume"],
  ["history list"],
  ["history search", "SAY one"],
  ["history show", "copilot:4f8298d2"],
  ["history usage", "--by", "session"],
  ["usage", "--since", "7d"],
  ["usage", "--limits"],
  ["history handoff", "copilot:4f8298d2"],
  ["history resume", "copilot:4f8298d2", "--cwd", "/tmp", "--dry-run"],
  ["changes", "CHANGED"],
  ["conflicts"],
  ["pulls"],
  ["loads", "/tmp"],
  ["rule list"],
  ["rule check"],
  ["rule test", "git status"],
  ["rule test", "--history"],
  ["rule log"],
  ["rule disarm", "look"],
  ["channel list"],
  ["channel test", "phone"],
  ["channel resume", "phone"],
  ["start", "claude", "--cwd", "REPOSITORY", "--worktree", "done", "--text", "go", "--dry-run"],
  ["worktree list", "--cwd", "REPOSITORY"],
  ["worktree remove", "done", "--cwd", "REPOSITORY"],
  ["restore", "--dry-run"],
  ["doctor"],
  ["daemon status"],
];

test.each(CALLS.map(([verb, ...words]) => ({ verb, words })))(
  "$verb $words prints its document",
  async ({ verb, words }) => {
    const given = words.map((word) => refs.get(word) ?? word);
    const { stdout, stderr, code } = await run(verb, ...given);
    expect(stdout, `${code}: ${stderr}`).not.toBe("");
    const document = check(verb, stdout);
    if (verb === "tell")
      refs.set("JOB", z.object({ job: z.object({ job_id: z.string() }) }).parse(document).job.job_id);
    if (LISTS.includes(verb)) listFrame.parse(document);
  },
);

test("one line per document into a pipe", async () => {
  const { stdout } = await run("list panes");
  expect(stdout.trimEnd().split("\n")).toHaveLength(1);
});

test("watch prints lines of its schema, in every scope", async () => {
  for (const scope of ["panes", "windows", "sessions"]) {
    const { stdout } = await cli.run(["watch", "--scope", scope, "--format", "jsonl", "--once"]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) check("watch", line);
  }
});

test("a failure prints its document on stderr", async () => {
  const { stdout, stderr, code } = await run("explain", "runtime:none");
  expect([stdout, code]).toEqual(["", 3]);
  check("error", stderr);
});

test("ui prints its document while it serves", async () => {
  const running = cli.start(["ui", "--json"]);
  const built = await Promise.race([
    until(() => running.lines().length > 0, "an address", 20_000).then(() => true),
    running.finished.then(() => false),
  ]);
  if (built) check("ui", running.stdout());
  // Without a built page there is nothing to serve, and that is told as every failure is.
  else check("error", (await running.finished).stderr);
  running.child.kill("SIGINT");
  await running.finished;
});

test("daemon status prints its document where none runs", async () => {
  const home = join(scene.daemon.home, "none");
  mkdirSync(home, { mode: 0o700 });
  const other = openCommandLine(home);
  const { stdout, code } = await other.run(["daemon", "status", "--json"]);
  expect(code).toBe(8);
  check("daemon status", stdout);
});

test("dismiss, mute, rename and packs print theirs; no daemon at hand has such a row or pack, so a played one answers", async () => {
  const home = makeFakeHome();
  await home.serve(new AnsweringDaemon([makePane({ state: "error" })]));
  try {
    check("mute", (await home.run(["mute", "runtime:rt1", "--json"])).stdout);
    check("rename", (await home.run(["rename", "runtime:rt1", "another name", "--json"])).stdout);
    check("dismiss", (await home.run(["dismiss", "runtime:rt1", "--json"])).stdout);
    const file = join(home.paths.home, "a.agtmux-pack");
    writeFileSync(file, "a pack");
    check("adapters show", (await home.run(["adapters", "show", "--json"])).stdout);
    check("adapters show", (await home.run(["adapters", "show", "--file", file, "--json"])).stdout);
    check("adapters update", (await home.run(["adapters", "update", "--file", file, "--json"])).stdout);
    check("adapters rollback", (await home.run(["adapters", "rollback", "one", "--json"])).stdout);
  } finally {
    await home.close();
  }
});

test("every verb with --json was asked for its document", () => {
  const asked = new Set<string>(CALLS.map(([verb]) => verb));
  // Below, and where there is a machine to connect to: its document is that of the other verbs that change a target.
  const packs = ["adapters show", "adapters update", "adapters rollback"];
  const others = new Set(["watch", "error", "ui", "dismiss", "mute", "rename", "target connect", ...packs]);
  expect(DOCUMENTS["target connect"]).toBe(DOCUMENTS["target set"]);
  expect(Object.keys(DOCUMENTS).filter((name) => !asked.has(name) && !others.has(name))).toEqual([]);
});

// What `doc` prints is agent-doc's, which has no stamp.
test("every verb with --json has a schema, and every schema a verb", () => {
  const verbs = flatten(toPage(createBareProgram()))
    .filter(({ path, options }) => path[0] !== "doc" && options.some(({ names }) => names.includes("--json")))
    .map(({ path }) => path.join(" "));
  const documents = Object.keys(DOCUMENTS).filter((name) => name !== "watch" && name !== "error");
  expect(new Set(documents), "name the verb in core/model/documents.ts").toEqual(new Set(verbs));
});

test("the shipped schemas are current; if not, run 'npm run docs'", () => {
  const made = documentSchemas();
  const files = readdirSync(SCHEMAS).filter((file) => file.endsWith(ENDING));
  expect(new Set(files.map((file) => file.slice(0, -ENDING.length)))).toEqual(
    new Set(["adapter", ...made.keys()]),
  );
  for (const [name, schema] of made) {
    const { $comment: _comment, ...shipped } = parse(
      readFileSync(join(SCHEMAS, `${name}${ENDING}`), "utf8"),
    ) as Record<string, unknown>;
    expect(shipped, name).toEqual(JSON.parse(JSON.stringify(schema)));
  }
});

test("schema prints what is shipped, and names what there is", async () => {
  const { stdout } = await cli.run(["schema", "list", "panes"]);
  expect(stdout).toBe(readFileSync(join(SCHEMAS, `list_panes${ENDING}`), "utf8"));
  const listed = (await cli.run(["schema", "--list"])).stdout.trimEnd().split("\n");
  expect(listed).toEqual(expect.arrayContaining([...Object.keys(DOCUMENTS), "adapter", "config"]));
  const refused = await cli.run(["schema", "nothing"]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("'agtmux schema --list'")]);
});
