// A release: the workflow has the steps of scripts/releaseSteps.ts in their order and gives each only its own secrets, the dry run
// prints them, and a tag that must not be pushed is refused. Also what docs/compatibility.md promises by its numbers.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { PROTOCOL_VERSION } from "../../core/api/protocol.ts";
import { SCHEMA_VERSION } from "../../core/model/schemaVersion.ts";
import { MIGRATIONS } from "../../core/store/migrations.ts";
import { notesOf, RELEASE_STEPS, tagProblems, type ReleaseFacts } from "../../scripts/releaseSteps.ts";
import { ROOT } from "./packageApp.ts";

const read = (...path: string[]): string => readFileSync(join(ROOT, ...path), "utf8");
const workflowSchema = z.object({
  jobs: z.record(
    z.string(),
    z.object({
      needs: z.string().optional(),
      steps: z.array(
        z.object({
          name: z.string().optional(),
          if: z.string().optional(),
          uses: z.string().optional(),
          run: z.string().optional(),
          env: z.record(z.string(), z.string()).optional(),
        }),
      ),
    }),
  ),
});
const { jobs } = workflowSchema.parse(parse(read(".github", "workflows", "release.yml")));
const stepOf = (job: string, name: string) => jobs[job]?.steps.find((step) => step.name === name);
const secretsIn = (text: string): string[] =>
  [...text.matchAll(/\b(?:secrets|vars)\.(\w+)/g)].map(([, name = ""]) => name);

describe("the workflow", () => {
  it("has its jobs one after the other", () => {
    const order = [...new Set(RELEASE_STEPS.map(({ job }) => job))];
    expect(Object.keys(jobs)).toEqual(order);
    expect(order.map((job) => jobs[job]?.needs)).toEqual([undefined, ...order.slice(0, -1)]);
  });

  it("has every step of the list, in its order, and each is named once", () => {
    for (const job of Object.keys(jobs)) {
      const listed = RELEASE_STEPS.filter((step) => step.job === job).map(({ name }) => name);
      const found = (jobs[job]?.steps ?? []).flatMap(({ name }) =>
        name !== undefined && listed.includes(name) ? [name] : [],
      );
      expect(found).toEqual(listed);
    }
  });

  it("does nothing of its own beside the list but to prepare the machine and to hand files on", () => {
    const PREPARES = [
      /^actions\/(?:checkout|setup-node|upload-artifact|download-artifact)@/,
      /^npm (?:ci|run build)$/,
    ];
    const beside = Object.entries(jobs).flatMap(([job, { steps }]) =>
      steps.filter(
        ({ name = "", uses = "", run = "" }) =>
          !RELEASE_STEPS.some((step) => step.job === job && step.name === name) &&
          !PREPARES.some((pattern) => pattern.test(uses) || pattern.test(run)),
      ),
    );
    expect(beside.map(({ name }) => name)).toEqual([
      "What the suites need of the system",
      "The browser of the suites, and on macOS Electron",
      "tmux",
    ]);
  });

  it("goes in the order that is promised", () => {
    const at = (pattern: RegExp): number =>
      RELEASE_STEPS.findIndex(({ job, name }) => {
        const { run = "", uses = "" } = stepOf(job, name) ?? {};
        return pattern.test(run) || pattern.test(uses);
      });
    const order = [
      /npm run test:all/,
      /npm run archive/,
      /npm run pack /,
      /npm run package .*/,
      /sbom\.mjs/,
      /sha256sum/,
      /attest-build-provenance/,
      /makeTap\.mjs/,
      /gh release create/,
      /npm publish/,
      /git push/,
    ].map(at);
    expect(order).not.toContain(-1);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  it("gives a step its own secrets and no other", () => {
    const given = Object.entries(jobs).flatMap(([job, { steps }]) =>
      steps.flatMap(({ name = "", env = {} }) => {
        const secrets = [...new Set(secretsIn(Object.values(env).join(" ")))];
        return secrets.length === 0 ? [] : [{ job, name, secrets: secrets.toSorted() }];
      }),
    );
    const listed = RELEASE_STEPS.flatMap(({ job, name, secrets }) =>
      secrets.length === 0 ? [] : [{ job, name, secrets: secrets.toSorted() }],
    );
    expect(given).toEqual(listed);
    expect(secretsIn(read(".github", "workflows", "release.yml")).length).toBe(
      given.flatMap(({ secrets }) => secrets).length,
    );
  });

  it("publishes a candidate as one, and neither to the tap nor as npm's latest", () => {
    const isForReleases = (name: string) => stepOf("publish", name)?.if;
    expect([isForReleases("The tap's files"), isForReleases("The tap, where there is one")]).toEqual([
      "!contains(github.ref_name, '-')",
      "!contains(github.ref_name, '-')",
    ]);
    expect(stepOf("publish", "Release notes, and the release")?.run).toContain("*-*) kind=--prerelease");
    expect(stepOf("publish", "npm's registry, where there is a token")?.run).toContain("*-*) tag=next");
  });
});

describe("the documents", () => {
  const releasing = read("docs", "releasing.md");
  it("say of every secret and variable what it is for, and of no other", () => {
    const named = [...releasing.matchAll(/^\| `([A-Z_]+)` /gm)].map(([, name = ""]) => name);
    expect(named.toSorted()).toEqual(
      [...new Set(RELEASE_STEPS.flatMap(({ secrets }) => secrets))].toSorted(),
    );
  });

  it("name commands and files that are there", () => {
    const { scripts } = z
      .object({ scripts: z.record(z.string(), z.string()) })
      .parse(JSON.parse(read("package.json")));
    const commands = [...releasing.matchAll(/npm run ([\w:]+)/g)].map(([, name = ""]) => name);
    expect(commands.length).toBeGreaterThan(2);
    expect(commands.filter((name) => !(name in scripts))).toEqual([]);
  });

  it("leave no more than fifteen lines to a person with a Mac", () => {
    const lines = read("docs", "mac-checklist.md").split("\n");
    const asked = lines.filter((line) => line.startsWith("- [ ]"));
    expect(asked.length).toBeLessThanOrEqual(15);
    // A name, what to do, and what is seen then: in two minutes.
    expect(asked.filter((line) => !/^- \[ \] \*\*[\w ]+\.\*\* .+[:;] .+\.$/.test(line))).toEqual([]);
    expect(asked.filter((line) => line.split(" ").length > 50)).toEqual([]);
  });

  it("have the numbers of the code for what is promised, and name what holds each", () => {
    const page = read("docs", "compatibility.md");
    const numberOf = (what: string): string | undefined =>
      new RegExp(`^\\| ${what}[^|]*\\| ([^|]*?) *\\|`, "m").exec(page)?.[1];
    expect([numberOf("the database"), numberOf("the protocol"), numberOf("JSON documents")]).toEqual([
      `schema ${MIGRATIONS.at(-1)?.version}`,
      String(PROTOCOL_VERSION),
      SCHEMA_VERSION,
    ]);
    const files = [...page.matchAll(/`((?:core|cli|test|resources)\/[\w./-]+)`/g)].map(
      ([, path = ""]) => path,
    );
    expect(files.length).toBeGreaterThan(4);
    expect(files.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

describe("a tag", () => {
  const FACTS: ReleaseFacts = {
    tag: "v1.2.3",
    version: "1.2.3",
    lockedVersion: "1.2.3",
    changelog: "# Changelog\n\n## 1.2.3 (2027-01-02)\n\n- New.\n\n## 1.2.2 (2026-12-01)\n\n- Old.\n",
    schema: 2,
    keptSchemas: [1, 2],
  };

  it("may be pushed where everything agrees, for a candidate also without a date", () => {
    expect(tagProblems(FACTS)).toEqual([]);
    const changelog = FACTS.changelog.replace("(2027-01-02)", "(not released)");
    const candidate = { tag: "v1.2.3-rc.1", version: "1.2.3-rc.1", lockedVersion: "1.2.3-rc.1", changelog };
    expect(tagProblems({ ...FACTS, ...candidate })).toEqual([]);
  });

  it.each([
    ["the tag is v1.2.4, but package.json has 1.2.3", { tag: "v1.2.4" }],
    ["package.json has the version 1.2", { tag: "v1.2", version: "1.2", lockedVersion: "1.2" }],
    ["package-lock.json has 1.2.2", { lockedVersion: "1.2.2" }],
    ["is not that of 1.2.3: write it", { changelog: FACTS.changelog.replace("1.2.3", "1.3.0") }],
    ["is not that of 1.2.3: write it", { changelog: FACTS.changelog.replace("- New.\n", "") }],
    ["has no date", { changelog: FACTS.changelog.replace("2027-01-02", "not released") }],
    ["no database of schema 2 is kept", { keptSchemas: [1] }],
  ])("is refused where %s", (problem, change) => {
    expect(tagProblems({ ...FACTS, ...change }).join("\n")).toContain(problem);
  });

  it("has the words of its section as notes, with links that lead to that version", () => {
    const linked = "## 1.2.3 (2027-01-02)\n\n[Here](docs/a.md#b), [there](https://example.org).\n";
    expect(notesOf(linked, "1.2.3", "https://github.com/o/r")).toBe(
      "[Here](https://github.com/o/r/blob/v1.2.3/docs/a.md#b), [there](https://example.org).\n",
    );
    expect(notesOf(FACTS.changelog, "1.2.3", null)).toBe("- New.\n");
    expect(notesOf(FACTS.changelog, "1.2.2-rc.3", null)).toBe("- Old.\n");
    expect(() => notesOf(FACTS.changelog, "9.9.9", null)).toThrow("CHANGELOG.md says nothing of 9.9.9");
  });
});

it("the dry run prints every step with its commands, and does nothing", () => {
  const script = join(ROOT, "scripts", "release.mjs");
  const printed = execFileSync(process.execPath, [script, "--dry-run"], { cwd: ROOT, encoding: "utf8" });
  for (const [index, { job, name }] of RELEASE_STEPS.entries()) {
    expect(printed).toContain(`\n${index + 1}. ${name}: `);
    const [line = ""] = (stepOf(job, name)?.run ?? "").split("\n");
    expect(printed).toContain(line.replace(/\$\{\{.*$/, ""));
  }
  expect(printed).toContain("Nothing of it is done now.");
  expect(printed).not.toContain("matrix.");
});
