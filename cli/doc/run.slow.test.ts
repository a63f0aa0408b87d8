// `agtmux doc run`: agents without a pane, played by programs that answer as the real ones were recorded.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DOC, ok, useDocumentProject } from "../testing/documentProject.ts";

const project = useDocumentProject();

describe("run", () => {
  const asked = () =>
    JSON.parse(project.read("asked.json")) as { argv: string[]; stdin: string; claudecode: string | null };
  /** A program that answers as the print mode of Claude Code was recorded, and writes down what it was asked. */
  const standIn = (answer: object | string, name = "claude"): void => {
    const bin = join(project.home, "bin");
    mkdirSync(bin, { recursive: true });
    const script = `#!${process.execPath}
import { writeFileSync } from "node:fs";
let stdin = "";
process.stdin.on("data", (text) => (stdin += text)).on("end", () => {
  const claudecode = process.env.CLAUDECODE ?? null;
  writeFileSync("asked.json", JSON.stringify({ argv: process.argv.slice(2), stdin, claudecode }));
});
process.stdout.write(${JSON.stringify(typeof answer === "string" ? answer : JSON.stringify(answer))});
`;
    writeFileSync(join(bin, name), script, { mode: 0o755 });
    project.env["PATH"] = `${bin}:${process.env["PATH"]}`;
    project.env["CLAUDECODE"] = "1";
  };

  it("asks with the document first and the diff later, goes on with the conversation, and commits on its branch", () => {
    project.begin();
    project.commitAs("project", ".gitignore");
    const result = "<!-- patch:status -->\nhalf\n<!-- /patch:status -->\nThis way.";
    standIn({ type: "result", subtype: "success", is_error: false, result, session_id: "talk-1" });
    expect(project.doc(["run", "plan.md", "-b", "--model", "small"])).toEqual(
      ok("Answered in plan.md.\nCommitted plan.md.\n"),
    );
    expect(asked().argv.slice(0, -1)).toEqual(
      "-p --output-format json --permission-mode acceptEdits --model small --append-system-prompt".split(" "),
    );
    expect([
      asked().stdin.includes(`<document>\n${DOC}</document>`),
      asked().stdin.includes("<diff>"),
      asked().claudecode,
    ]).toEqual([true, false, null]);
    expect(project.git("branch", "--show-current").trim()).toBe("agent-doc/plan");
    const answered = DOC.replace("nothing yet", "half").replace("Which way?\n", "Which way?\nThis way.\n");
    expect(project.read()).toBe(answered.replace("0b1c\n", "0b1c\nresume: talk-1\n"));
    expect(project.doc(["run", "plan.md"])).toEqual(ok("plan.md has nothing new.\n"));

    project.write(project.read().replace("This way.\n", "This way.\nAnd then?\n"));
    const { stdout } = project.doc(["run", "plan.md", "--dry-run"]);
    expect(stdout).toContain("<diff>\n ---\n agent_doc_session: 0b1c\n resume: talk-1\n");
    expect(stdout).toContain("\n+And then?\n");
    project.doc(["run", "plan.md", "--no-git"]);
    expect([asked().argv.includes("--resume"), asked().argv.includes("talk-1"), asked().stdin]).toEqual([
      true,
      true,
      stdout,
    ]);
    expect(project.git("status", "--porcelain", "plan.md").trim()).toBe("M plan.md");
  });

  it("asks the agent of --agent, of the document, of config.toml, and one that it does not know not at all", () => {
    mkdirSync(join(project.home, ".config", "agent-doc"), { recursive: true });
    const config = (text: string) =>
      writeFileSync(join(project.home, ".config", "agent-doc", "config.toml"), text);
    standIn("Plain text is an answer.\n", "other-agent");
    config('default_agent = "other"\n[agents.other]\ncommand = "other-agent"\nargs = ["--ask"]\n');
    expect(project.doc(["run", "plan.md"]).stdout).toBe("Answered in plan.md.\n");
    expect([asked().argv, project.read().includes("Which way?\nPlain text is an answer.\n")]).toEqual([
      ["--ask"],
      true,
    ]);
    project.write(`${project.read()}more\n`);
    const unknown = project.doc(["run", "plan.md", "--agent", "nobody"]);
    expect([unknown.status, unknown.stderr]).toEqual([15, expect.stringContaining("[agents.nobody]")]);
    config("default_agent = 1\n");
    expect(project.doc(["run", "plan.md"])).toMatchObject({
      status: 11,
      stderr: expect.stringContaining("default_agent"),
    });
  });

  it("begins a copy of a conversation where that is asked, and says where the agent makes none", () => {
    standIn({ result: "This way.", session_id: "talk-2" });
    expect(project.doc(["run", "plan.md", "--fork"])).toEqual(ok("Answered in plan.md.\n"));
    expect(asked().argv).toEqual(expect.arrayContaining(["--continue", "--fork-session"]));
    project.write(`${project.read()}more\n`);
    project.doc(["run", "plan.md", "--fork"]);
    expect(asked().argv.join(" ")).toContain("--resume talk-2 --fork-session");
    standIn({ response: "That way.", session_id: "talk-3" }, "gemini");
    project.write(`${project.read()}and more\n`);
    const { stderr } = project.doc(["run", "plan.md", "--fork", "--agent", "gemini"]);
    expect(stderr).toBe("agtmux: note: gemini can copy no conversation; this is a new one.\n");
    expect([asked().argv.includes("--resume"), asked().stdin.includes("<diff>")]).toEqual([false, false]);
    expect(project.read()).toContain("resume: talk-3\n");
  });

  it("gives no agent what a document writes in the place of an id or a model as an option", () => {
    standIn({ result: "never", session_id: "x" });
    for (const line of ["model: --dangerously-skip-permissions", "resume: '-c'", 'model: "a b"']) {
      const text = DOC.replace("---\n", `---\n${line}\n`);
      project.write(text);
      const refused = project.doc(["run", "plan.md"]);
      expect([line, refused.status, project.read()]).toEqual([line, 65, text]);
    }
    expect(existsSync(join(project.folder, "asked.json"))).toBe(false);
  });

  it("asks nobody about a document that no answer could be put into", () => {
    standIn({ result: "never", session_id: "x" });
    for (const text of [
      DOC.replace("<!-- /agent:exchange -->", ""),
      DOC.replace("<!-- /agent:status -->", "<!-- agent:in -->\n<!-- /agent:in -->\n<!-- /agent:status -->"),
      "# A file of another kind\n",
    ]) {
      project.write(text);
      for (const more of [[], ["--dry-run"]])
        expect([text, project.doc(["run", "plan.md", ...more]).status]).toEqual([text, 65]);
      expect(project.read()).toBe(text);
    }
    expect(existsSync(join(project.folder, "asked.json"))).toBe(false);
  });

  it("prints an answer that does not fit into the document: it was worked and paid for", () => {
    const result = "<!-- patch:nowhere -->\nThis way.\n<!-- /patch:nowhere -->";
    standIn({ result, session_id: "x" });
    const failed = project.doc(["run", "plan.md"]);
    expect(failed).toMatchObject({ status: 65, stderr: expect.stringContaining("no component 'nowhere'") });
    expect([failed.stdout, project.read()]).toEqual([`${result}\n`, DOC]);
  });

  it("leaves the document as it is where the agent fails", () => {
    standIn({ type: "result", is_error: true, result: "no credit", session_id: "x" });
    const failed = project.doc(["run", "plan.md"]);
    expect([failed.status, failed.stderr, project.read()]).toEqual([
      15,
      expect.stringContaining("no credit"),
      DOC,
    ]);
  });
});
