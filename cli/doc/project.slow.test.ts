// What a project tells its agents.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ok, useDocumentProject } from "../testing/documentProject.ts";

const project = useDocumentProject();

describe("a project", () => {
  it("gets the instructions, current and once", () => {
    expect(project.doc(["skill", "check"]).status).toBe(1);
    expect(project.doc(["skill", "install", "--reload", "compact"]).stdout).toMatch(
      /^Wrote .*\nSKILL_RELOAD=compact\n$/,
    );
    expect(project.doc(["skill", "check"]).status).toBe(0);
    expect(project.doc(["skill", "install"]).stdout).toContain("is current");
    expect(project.read(".claude/skills/agent-doc/SKILL.md")).toContain("\nagent-doc-version: 0.17.14\n");
    expect(project.doc(["skill", "install", "--folder", ".agents/skills"]).status).toBe(0);
    expect(existsSync(join(project.folder, ".agents/skills/agent-doc/SKILL.md"))).toBe(true);
  });

  it("has its documents for agents checked", () => {
    project.write("{}", "package.json");
    project.write("Run `make`.\n\n```\n.\n├── src/\n└── gone/\n```\n", "README.md");
    mkdirSync(join(project.folder, "src"));
    expect(project.doc(["audit-docs"])).toEqual({
      status: 1,
      stdout: "README.md:6: the tree names './gone', which is not there\n",
      stderr: "",
    });
    mkdirSync(join(project.folder, "gone"));
    expect(project.doc(["audit-docs", "--root", project.folder])).toEqual(
      ok("1 documents, nothing found.\n"),
    );
  });

  it("has trees checked that are indented, drawn with lines or by their indentation alone", () => {
    mkdirSync(join(project.folder, "src", "model"), { recursive: true });
    project.write("", "src/model/a.ts");
    project.write("", "src/b.ts");
    const tree = (more: string) =>
      `Run \`make\`.\n\n- the code\n\n  \`\`\`\n  src/\n  ├── model/\n  │   └── a.ts\n  └── ${more}.ts\n  \`\`\`\n\n\`\`\`text\nsrc/\n  model/     # pure\n    a.ts\n  ${more}.ts\n\`\`\`\n`;
    project.write(`${tree("b")}\n\`\`\`yaml\nsrc/\n  no: tree\n\`\`\`\n`, "README.md");
    expect(project.doc(["audit-docs", "--root", project.folder])).toEqual(
      ok("1 documents, nothing found.\n"),
    );
    project.write(tree("c"), "README.md");
    expect(project.doc(["audit-docs", "--root", project.folder]).stdout).toBe(
      "README.md:9: the tree names 'src/c.ts', which is not there\nREADME.md:16: the tree names 'src/c.ts', which is not there\n",
    );
  });

  it("is found from within it by what marks one, else by git, else it is the folder", () => {
    const inner = join(project.folder, "src", "deep");
    mkdirSync(inner, { recursive: true });
    project.write("Run `make`.\n", "README.md");
    const whole = project.folder;
    const count = (): string => {
      project.folder = inner;
      const { stdout } = project.doc(["audit-docs"]);
      project.folder = whole;
      return stdout.split(",")[0] ?? "";
    };
    expect(count()).toBe("0 documents");
    project.git("init", "-q");
    expect(count()).toBe("1 documents");
    project.write("Run `make`.\n", "src/README.md");
    expect(count()).toBe("2 documents");
    project.write("[package]\n", "src/Cargo.toml");
    expect(count()).toBe("1 documents");
  });
});
