// The workflows that test pull requests, and that sign and publish: what they run of others is named by a commit, which nobody
// can move, nothing that another workflow left in a cache goes into a package, and what comes from a stranger runs with no right
// but to read. None of them runs here: so what they name has to be there.
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { AGENT_IDS } from "../live/agents/agentIds.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FOLDER = join(ROOT, ".github", "workflows");

const stepSchema = z.strictObject({
  name: z.string().optional(),
  if: z.string().optional(),
  uses: z.string().optional(),
  with: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  run: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
});
const permissionsSchema = z.record(z.string(), z.enum(["read", "write"]));
const jobSchema = z.strictObject({
  "runs-on": z.string(),
  "timeout-minutes": z.number(),
  steps: z.array(stepSchema),
  strategy: z.unknown().optional(),
  needs: z.string().optional(),
  if: z.string().optional(),
  permissions: permissionsSchema.optional(),
});
const workflowSchema = z.strictObject({
  name: z.string(),
  on: z.record(z.string(), z.unknown()),
  permissions: permissionsSchema,
  concurrency: z.unknown(),
  jobs: z.record(z.string(), jobSchema),
});
const manifestSchema = z.object({ scripts: z.record(z.string(), z.string()) });

const workflows = readdirSync(FOLDER).map((file) => {
  const text = readFileSync(join(FOLDER, file), "utf8");
  const workflow = workflowSchema.parse(parse(text));
  return { file, text, workflow, steps: Object.values(workflow.jobs).flatMap(({ steps }) => steps) };
});
const named = (file: string) => {
  const found = workflows.find((one) => one.file === file);
  if (found === undefined) throw new Error(`there is no ${file}`);
  return found;
};
const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, what = ""]) => what);

it("there are those for pull requests, for releases, for each night and for live agents", () => {
  expect(workflows.map(({ file }) => file).toSorted()).toEqual([
    "ci.yml",
    "live.yml",
    "night.yml",
    "release.yml",
  ]);
});

it("a pull request is tested whole: every folder of long tests is in one of the jobs", () => {
  const { strategy } = named("ci.yml").workflow.jobs["rest"] ?? {};
  const { parts } = z
    .looseObject({ matrix: z.object({ parts: z.array(z.string()) }) })
    .parse(strategy).matrix;
  const names = parts.flatMap((words) => words.split(" "));
  const long = globSync("*/**/*.slow.{test,e2e}.{ts,tsx}", { cwd: ROOT, exclude: ["node_modules"] });
  const folders = new Set(
    long.map((path) => {
      const [top = "", second = ""] = path.split("/");
      return top === "test" ? second : top;
    }),
  );
  expect(folders.size).toBeGreaterThan(10);
  expect([...folders].filter((folder) => !names.includes(folder))).toEqual([]);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

describe.each(workflows)("$file", ({ file, text, workflow, steps }) => {
  it("names every action by its commit, with the version beside it", () => {
    const used = matches(text, /^ *-? *uses: *(.*)$/gm);
    expect(used.length).toBe(steps.filter(({ uses }) => uses !== undefined).length);
    expect(used.length).toBeGreaterThan(4);
    const PINNED = /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
    expect(used.filter((what) => !PINNED.test(what))).toEqual([]);
  });

  it("may do no more than read, but where a tag is published", () => {
    expect(workflow.permissions).toEqual({ contents: "read" });
    const jobs = Object.entries(workflow.jobs).filter(([, { permissions }]) => permissions !== undefined);
    const found = jobs.map(([name, job]) => [name, job.permissions, job.if]);
    // Of the nightly jobs those two alone, which run no code of an agent or of a package.
    const nightly = [
      ["before", { actions: "read" }, undefined],
      ["issues", { issues: "write" }, "always()"],
    ];
    const publishing = [
      [
        "publish",
        { contents: "write", "id-token": "write", attestations: "write" },
        "github.ref_type == 'tag'",
      ],
    ];
    const allowed: Readonly<Record<string, unknown>> = { "live.yml": nightly, "release.yml": publishing };
    expect(found).toEqual(allowed[file] ?? []);
  });

  it("takes nothing out of a cache", () => {
    expect(text).not.toMatch(/^ *(cache|cache-dependency-path|restore-keys):/m);
    expect(text).not.toContain("actions/cache");
    // This action keeps one by itself where it is not told otherwise.
    const setups = steps.filter(({ uses }) => uses?.startsWith("actions/setup-node@"));
    expect(setups.length).toBeGreaterThan(0);
    for (const setup of setups)
      expect(setup.with).toEqual({ "node-version": 24, "package-manager-cache": false });
  });

  it("names scripts and files that are there", () => {
    const { scripts } = manifestSchema.parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));
    const runs = steps.flatMap(({ run }) => run ?? []).join("\n");
    const asked = matches(runs, /\bnpm (?:run )?(?:-s )?([\w:]+)/g).filter(
      // 'npm run ${{ matrix.run }}' is looked up below.
      (name) => !["ci", "install", "publish", "run"].includes(name),
    );
    expect(asked.length).toBeGreaterThan(2);
    const runsOf = ({ strategy }: z.infer<typeof jobSchema>) =>
      z.looseObject({ matrix: z.looseObject({ run: z.array(z.string()) }) }).safeParse(strategy).data?.matrix
        .run;
    asked.push(...Object.values(workflow.jobs).flatMap((job) => runsOf(job) ?? []));
    expect(asked.filter((name) => !(name in scripts))).toEqual([]);
    const files = matches(runs, /\b(?:node|sh) ([\w./-]+\.\w+)/g);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it("puts nothing that a stranger wrote into a script, and runs nothing that it downloads unseen", () => {
    for (const { run = "" } of steps) {
      expect(matches(run, /\$\{\{ *([\w.]+)/g).filter((name) => !name.startsWith("matrix."))).toEqual([]);
      if (/\bcurl\b|\bwget\b/.test(run)) expect(run).toMatch(/sha256sum --check\n/);
    }
  });
});

it("one version of each action is used everywhere", () => {
  const used = new Set(workflows.flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? [])));
  const byAction = Map.groupBy(used, (what) => what.split("@")[0]);
  expect([...byAction.values()].filter((versions) => versions.length > 1)).toEqual([]);
});

it("a pull request's own code sees no secret and no credentials", () => {
  const { text, workflow, steps } = named("ci.yml");
  expect(Object.keys(workflow.on).toSorted()).toEqual(["pull_request", "workflow_dispatch"]);
  expect(text).not.toMatch(/secrets\.|github\.token|GITHUB_TOKEN/);
  const checkouts = steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"));
  expect(checkouts.map((step) => step.with)).toEqual(checkouts.map(() => ({ "persist-credentials": false })));
});

it("the newest version of every agent is driven each night, without a secret, and its table is kept", () => {
  const { text, workflow, steps } = named("live.yml");
  expect(Object.keys(workflow.on).toSorted()).toEqual(["schedule", "workflow_dispatch"]);
  expect(text).not.toMatch(/secrets\.|GITHUB_TOKEN/);
  // What runs agents or packages has no token; what has one starts nothing but gh and what every system has.
  for (const [name, job] of Object.entries(workflow.jobs)) {
    const isTrusted = name === "before" || name === "issues";
    expect([name, JSON.stringify(job).includes("github.token")]).toEqual([name, isTrusted]);
    const ran = job.steps.map(({ run = "" }) => run).join("\n");
    if (isTrusted) expect(ran).not.toMatch(/\b(npm|npx|node|sh|bash|eval|curl|wget)\b/);
  }
  expect(z.looseObject({ matrix: z.unknown() }).parse(workflow.jobs["drive"]?.strategy).matrix).toEqual({
    agent: [...AGENT_IDS],
  });
  expect(steps.flatMap(({ run }) => run ?? []).join("\n")).toContain("--versions latest");
  // Also when something was wrong: then it is worth most.
  const uploads = steps.filter(({ uses }) => uses?.startsWith("actions/upload-artifact@"));
  expect(uploads.length).toBe(4);
  expect(uploads.filter((step) => step.if !== "always()")).toEqual([]);
});

it("a release is published by a tag alone, with every kind of file", () => {
  const { workflow } = named("release.yml");
  expect(workflow.jobs["publish"]?.needs).toBe("package");
  const uploads = (workflow.jobs["package"]?.steps ?? []).flatMap((step) =>
    step.uses?.startsWith("actions/upload-artifact@") === true
      ? String(step.with?.["path"]).trim().split("\n")
      : [],
  );
  expect(uploads).toEqual(
    [
      "agtmux-*.tar.gz",
      "install.sh",
      "agtmux-*.tgz",
      "*.dmg",
      "*.zip",
      "*.AppImage",
      "*.deb",
      "*.blockmap",
      "latest*.yml",
      "*.agtmux-pack",
    ].map((file) => `release/${file}`),
  );
});
