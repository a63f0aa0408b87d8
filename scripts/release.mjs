// `npm run release`: says whether this tree may be tagged, and with which two commands. `-- --dry-run` prints each step of the
// workflow that the tag starts, with its commands. For the workflow itself: `--tag <tag>` checks a tag, `--notes` prints the release
// notes. It changes nothing, and pushes nothing.
import "./checkNode.mjs";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

// Not imported above, because an older Node would load them before checkNode.mjs runs.
const { MIGRATIONS } = await import("../core/store/migrations.ts");
const { notesOf, RELEASE_STEPS, tagProblems } = await import("./releaseSteps.ts");

const ROOT = join(import.meta.dirname, "..");
const { values: options } = parseArgs({
  options: {
    "dry-run": { type: "boolean", default: false },
    tag: { type: "string" },
    notes: { type: "boolean", default: false },
  },
});
const read = (...path) => readFileSync(join(ROOT, ...path), "utf8");
const { version } = JSON.parse(read("package.json"));
const changelog = read("CHANGELOG.md");

const problemsOf = (tag) =>
  tagProblems({
    tag,
    version,
    lockedVersion: JSON.parse(read("package-lock.json")).version,
    changelog,
    schema: MIGRATIONS.at(-1).version,
    keptSchemas: readdirSync(join(ROOT, "test", "fixtures", "databases")).flatMap((file) => {
      const [, schema] = /^schema-(\d+)\.db\.gz$/.exec(file) ?? [];
      return schema === undefined ? [] : [Number(schema)];
    }),
  });

/** What only the person's clone can say. */
const treeProblems = (tag) => {
  if (!existsSync(join(ROOT, ".git"))) return ["this is no clone of the repository"];
  const git = (...args) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
  return [
    ...(git("status", "--porcelain") === "" ? [] : ["there are changes that are not committed"]),
    ...(git("tag", "--list", tag) === "" ? [] : [`the tag ${tag} is there already`]),
  ];
};

const report = (problems) => {
  for (const problem of problems) console.error(`agtmux: ${problem}.`);
  if (problems.length > 0) process.exitCode = 1;
  return problems.length === 0;
};

/** The rows of a job's matrix on which a step runs; one without values where the job has none. */
const rowsOf = ({ strategy, ["runs-on"]: runner }, { if: condition = "" }) => {
  const matrix = strategy?.matrix;
  const rows = matrix?.include ?? matrix?.runner.map((one) => ({ runner: one })) ?? [{ runner }];
  const [, system] = /^runner\.os == '(\w+)'$/.exec(condition) ?? [];
  return rows.filter(
    (row) => system === undefined || row.runner.startsWith(system === "macOS" ? "macos" : "ubuntu"),
  );
};

/** What the step does: the lines of its script, or the action and what it gets. */
const linesOf = ({ run, uses, with: input = {} }, row) =>
  (run ?? [uses, ...Object.entries(input).map(([key, value]) => `${key}: ${value}`)].join("\n"))
    .replaceAll(/\$\{\{ *matrix\.(\w+) *\}\}/g, (_all, name) => row[name])
    .trimEnd()
    .split("\n");

const printSteps = async () => {
  const { parse } = await import("yaml");
  const { jobs } = parse(read(".github", "workflows", "release.yml"));
  console.log(`What the tag v${version} starts (.github/workflows/release.yml). Nothing of it is done now.`);
  for (const [index, { job, name, what, secrets }] of RELEASE_STEPS.entries()) {
    const found = jobs[job].steps.find((one) => one.name === name);
    console.log(`\n${index + 1}. ${name}: ${what}`);
    if (secrets.length > 0) console.log(`   may see ${secrets.join(", ")}`);
    for (const row of rowsOf(jobs[job], found)) {
      console.log(`   on ${row.runner}:`);
      for (const line of linesOf(found, row)) console.log(`     ${line}`);
    }
  }
};

const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;
const address = GITHUB_REPOSITORY === undefined ? null : `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;
if (options.notes) process.stdout.write(notesOf(changelog, version, address));
else if (options.tag !== undefined) report(problemsOf(options.tag));
else {
  if (options["dry-run"]) await printSteps();
  const problems = [...problemsOf(`v${version}`), ...treeProblems(`v${version}`)];
  if (options["dry-run"]) {
    console.log(problems.length === 0 ? "\nThis tree may be tagged." : "\nThis tree may not be tagged yet:");
    for (const problem of problems) console.log(`- ${problem}`);
  } else if (report(problems))
    console.log(`git tag --annotate v${version} --message "agtmux ${version}"\ngit push origin v${version}`);
}
