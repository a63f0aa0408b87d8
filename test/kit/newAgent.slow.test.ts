// What `new` writes compiles, for each kind of agent, is in every list that names agents, and its contract test fails until the agent
// was recorded.
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeNew, writeNew } from "./newAgent.ts";
import { FAMILIES, filesOf, type NewAgent } from "./templates.ts";

const execFileAsync = promisify(execFile);
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A copy of what `new` writes into, with the rest of the repository behind links. */
const openCopy = (): string => {
  const root = mkdtempSync(join(tmpdir(), "agtmux-new-"));
  for (const folder of ["adapters", "test/live", "test/harness", "test/setup", "docs"])
    cpSync(join(ROOT, folder), join(root, folder), { recursive: true });
  mkdirSync(join(root, "test/fixtures/recordings"), { recursive: true });
  cpSync(
    join(ROOT, "test/fixtures/recordings/labels.json"),
    join(root, "test/fixtures/recordings/labels.json"),
  );
  mkdirSync(join(root, "test/fixtures/variants"), { recursive: true });
  writeFileSync(join(root, "test/fixtures/variants/labels.json"), "{}");
  for (const name of ["core", "node_modules", "package.json", "tsconfig.base.json"])
    symlinkSync(join(ROOT, name), join(root, name));
  writeFileSync(
    join(root, "tsconfig.json"),
    JSON.stringify({
      extends: "./tsconfig.base.json",
      compilerOptions: {
        composite: false,
        noEmit: true,
        emitDeclarationOnly: false,
        preserveSymlinks: true,
        types: ["node"],
      },
      include: ["adapters/index.ts", "adapters/*/contract.test.ts", "test/live/agents/*.ts"],
    }),
  );
  return root;
};

const agentOf = (family: NewAgent["family"]): NewAgent => ({
  id: `made-${family}`,
  displayName: `Made ${family}`,
  command: "made",
  npm: "@made/made",
  version: "1.2.3",
  program: null,
  family,
});

describe("the files of a new agent", () => {
  let root: string;
  const todos = new Map<string, string[]>();
  beforeAll(() => {
    root = openCopy();
    for (const family of FAMILIES) todos.set(family, writeNew(root, agentOf(family)));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it("compile, for each kind", async () => {
    const run = execFileAsync(join(ROOT, "node_modules/.bin/tsc"), ["-p", root], { cwd: root });
    await expect(run.catch((error: { stdout: string }) => error.stdout)).resolves.toMatchObject({
      stdout: "",
    });
  });

  it("say what to fill in, by file and line", () => {
    for (const family of FAMILIES) {
      const said = todos.get(family) ?? [];
      expect(
        said.filter((line) => line.startsWith(`test/live/agents/made-${family}.ts:`)).length,
      ).toBeGreaterThan(2);
      expect(
        said.filter((line) => line.startsWith(`adapters/made-${family}/index.ts:`)).length,
      ).toBeGreaterThan(1);
    }
  });

  it("are in every list once, in the order of the alphabet", () => {
    const registry = readFileSync(join(root, "adapters/index.ts"), "utf8");
    const named = [...registry.matchAll(/^ {4}create(\w+)Adapter\(\),$/gm)].map(([, name = ""]) => name);
    expect(named).toEqual([...new Set(named)].toSorted((one, other) => (one < other ? -1 : 1)));
    expect(named).toContain("MadePi");
    expect(readFileSync(join(root, "test/live/agents/agentIds.ts"), "utf8")).toContain('"made-gemini"]');
    expect(readFileSync(join(root, "docs/agents.md"), "utf8")).toMatch(
      /^\| Made ink \| 1\.2\.3 \| screen \|$/m,
    );
  });

  it("fail their contract until there are recordings", async () => {
    const args = ["run", "--root", root, "adapters/made-ink/contract.test.ts"];
    const failed = await execFileAsync(join(ROOT, "node_modules/.bin/vitest"), args, { cwd: root }).then(
      () => "",
      ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
    );
    expect(failed).toContain("recordings/made-ink");
  });

  it("are not written over: an agent that is there stays as it is", () => {
    const [path = ""] = Object.keys(filesOf(agentOf("ink")));
    const before = readFileSync(join(root, path), "utf8");
    expect(() => writeNew(root, agentOf("ink"))).toThrow(`${path} is there already`);
    expect(readFileSync(join(root, path), "utf8")).toBe(before);
  });
});

describe("what cannot be an agent", () => {
  const asked = {
    id: "abc",
    npm: null,
    program: null,
    command: null,
    displayName: null,
    family: "ink",
  } as const;
  it("is named: another id, no program, both kinds", async () => {
    await expect(describeNew({ ...asked, id: "../x" })).rejects.toThrow("'../x' is no name");
    await expect(describeNew(asked)).rejects.toThrow("--npm PACKAGE and --program PATH");
    await expect(describeNew({ ...asked, program: "/no/such" })).rejects.toThrow("there is no /no/such");
  });
  it("a program of this machine needs no registry", async () => {
    await expect(describeNew({ ...asked, program: process.execPath })).resolves.toMatchObject({
      command: "node",
      program: process.execPath,
      npm: null,
    });
  });
});
