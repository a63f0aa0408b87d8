// Documents from their beginning: responses, patches, what is typed meanwhile.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DOC, ok, useDocumentProject } from "../testing/documentProject.ts";

const project = useDocumentProject();

describe("patches", () => {
  it("replace, append and prepend as the component says, from an argument or standard input", () => {
    expect(project.doc(["patch", "plan.md", "status", "3 of 5"])).toEqual(ok(""));
    expect(project.doc(["patch", "plan.md", "exchange"], "This way.\n")).toEqual(ok(""));
    const patched = DOC.replace("nothing yet", "3 of 5").replace("Which way?\n", "Which way?\nThis way.\n");
    expect(project.read()).toBe(patched);
    project.write(
      '[status]\nmode = "prepend"\ntimestamp = true\nmax_entries = 1\n',
      ".agent-doc/components.toml",
    );
    expect(project.doc(["patch", "plan.md", "status", "newest"])).toEqual(ok(""));
    expect(project.read()).toMatch(/<!-- agent:status -->\n\d{4}-[^\n]+Z newest\n<!-- \/agent:status -->/);
    project.write(
      '[status]\nmode = "append"\ntimestamp = true\nmax_entries = 2\n',
      ".agent-doc/components.toml",
    );
    for (const text of ["one", "two"]) project.doc(["patch", "plan.md", "status", text]);
    expect(project.read()).toMatch(
      /<!-- agent:status -->\n\d{4}-\d\d-\d\dT[\d:.]+Z one\n\d{4}-\d\d-\d\dT[\d:.]+Z two\n<!--/,
    );
    expect(project.doc(["diff", "plan.md"]).stdout).toBe("");
  });

  it("for a component that is not there leave the file as it is", () => {
    const { status, stderr } = project.doc(["patch", "plan.md", "none", "x"]);
    expect([status, stderr]).toEqual([
      65,
      "agtmux: the document has no component 'none' [E_DOCUMENT_INVALID]. It has status, exchange.\n",
    ]);
    expect(project.read()).toBe(DOC);
  });

  it("run the project's commands only after a yes, which ends when they change", () => {
    const hooks = (command: string) =>
      project.write(
        `[status]\npre_patch = '${command}'\npost_patch = 'touch "$COMPONENT"'\n`,
        ".agent-doc/components.toml",
      );
    hooks("tr a-z A-Z");
    const refused = project.doc(["patch", "plan.md", "status", "done"]);
    expect([refused.status, refused.stderr]).toEqual([6, expect.stringContaining("'tr a-z A-Z'")]);
    expect([project.read(), existsSync(join(project.folder, "status"))]).toEqual([DOC, false]);
    expect(project.doc(["patch", "plan.md", "status", "done", "--yes"])).toEqual(ok(""));
    expect(project.doc(["patch", "plan.md", "status", "again"])).toEqual(ok(""));
    expect(project.read()).toContain("AGAIN\n");
    hooks("cat /etc/hostname");
    expect(project.doc(["patch", "plan.md", "status", "x"]).status).toBe(6);
    hooks("exit 3");
    const failed = project.doc(["patch", "plan.md", "status", "x", "--yes"]);
    expect([failed.status, failed.stderr]).toEqual([11, expect.stringContaining("the hook 'exit 3' failed")]);
    expect(project.read()).toContain("AGAIN\n");
  });
});

describe("what was typed while the agent worked", () => {
  const typed = "Which way?\nTyped meanwhile.\n";
  const answer = (): void => {
    writeFileSync(join(project.folder, "seen"), DOC);
    project.write(DOC.replace("Which way?\n", typed));
    expect(project.doc(["write", "plan.md", "--baseline-file", "seen"], "This way.\n").status).toBe(0);
  };

  it("is in the next diff, as lines and as JSON", () => {
    answer();
    expect(project.doc(["diff", "plan.md"]).stdout).toContain("+Typed meanwhile.\n");
    const lines: { kind: string; text: string }[] = JSON.parse(
      project.doc(["diff", "plan.md", "--json"]).stdout,
    );
    expect(lines.filter(({ kind }) => kind !== "same")).toEqual([
      { kind: "added", text: "Typed meanwhile." },
    ]);
    expect(lines.map(({ text }) => `${text}\n`).join("")).toBe(project.read());
  });

  it("is not, where the person's settings say so", () => {
    mkdirSync(join(project.home, ".config", "agent-doc"), { recursive: true });
    writeFileSync(join(project.home, ".config", "agent-doc", "config.toml"), 'snapshot = "file"\n');
    answer();
    expect(project.read()).toContain("Typed meanwhile.\n");
    expect(project.doc(["diff", "plan.md"])).toEqual(ok(""));
    expect(project.doc(["diff", "plan.md", "--json"])).toEqual(ok("[]\n"));
  });
});

it.each(["patches", "pending", "snapshots"])(
  "a file in the place of the folder %s is named; what is in the document is there once afterwards",
  (name) => {
    const inTheWay = join(project.folder, ".agent-doc", name);
    project.write("not mine\n", `.agent-doc/${name}`);
    const { status, stderr } = project.doc(["write", "plan.md"], "This way.\n");
    expect([status === 0, stderr.includes(inTheWay), stderr.includes("Look at that file")]).toEqual([
      false,
      true,
      true,
    ]);
    expect(project.read(`.agent-doc/${name}`)).toBe("not mine\n");
    rmSync(inTheWay);
    expect(project.doc(["write", "plan.md"], "This way.\n").status).toBe(0);
    expect(project.read()).toBe(DOC.replace("Which way?\n", "Which way?\nThis way.\n"));
  },
);

it("a file that another program holds locked is left for later, with status 75", async () => {
  const { default: Database } = await import("better-sqlite3");
  const lock = new Database(join(project.folder, ".agent-doc", "agtmux.lock.db"));
  lock.exec("BEGIN EXCLUSIVE");
  try {
    const { status, stderr } = project.doc(["write", "plan.md"], "This way.\n");
    expect([status, stderr]).toEqual([75, expect.stringContaining("[E_DOCUMENT_BUSY]")]);
    expect(project.read()).toBe(DOC);
  } finally {
    lock.close();
  }
  expect(project.doc(["recover", "plan.md"])).toEqual(ok("An earlier response was written in.\n"));
  expect(project.read()).toContain("Which way?\nThis way.\n");
});

it("an editor's plugin is asked where one was there, or where that is said; the disk is written past it", () => {
  const patches = join(project.folder, ".agent-doc", "patches");
  const pending = () => readdirSync(join(project.folder, ".agent-doc", "pending"));
  expect(project.doc(["write", "plan.md", "--ipc", "--force-disk"], "No way.\n").status).toBe(2);
  expect(project.doc(["write", "plan.md", "--stream"], "At once.\n")).toEqual(ok("Written into plan.md.\n"));
  expect(existsSync(patches)).toBe(false);
  // Where no editor lives, it goes to the disk, and no later one is kept from it.
  expect(project.doc(["write", "plan.md", "--ipc"], "Nobody.\n").status).toBe(0);
  expect([project.read().includes("Nobody."), existsSync(patches)]).toEqual([true, false]);
  // One that took a response a moment ago does not take these.
  const seen = join(project.folder, ".agent-doc", "agtmux-seen.json");
  writeFileSync(seen, JSON.stringify({ takenAt: Date.now() }));
  for (const [more, count] of [
    [["--ipc"], 1],
    [[], 2],
  ] as const) {
    const before = project.read();
    const busy = project.doc(["write", "plan.md", ...more], `Later ${count}.\n`);
    expect([busy.status, busy.stderr]).toEqual([75, expect.stringContaining("it is kept")]);
    expect([project.read(), readdirSync(patches), pending().length]).toEqual([before, [], count]);
  }
  expect(project.doc(["write", "plan.md", "--force-disk"], "Past it.\n").status).toBe(0);
  const answers = project.read().match(/^(?:At once|Later \d|Past it)\.$/gm);
  expect([answers?.toSorted(), pending()]).toEqual([["At once.", "Later 1.", "Later 2.", "Past it."], []]);
});

describe("a document", () => {
  it("whose id is none is refused before a pane is looked for, and an agent started or told", () => {
    for (const id of ["../../x", "__proto__", "a b"]) {
      const text = DOC.replace("0b1c", `"${id}"`);
      project.write(text);
      for (const args of [["route"], ["focus"], ["claim", "--pane", "%1"]]) {
        const { status, stderr } = project.doc([...args, "plan.md"]);
        expect([id, args, status, stderr]).toEqual([id, args, 65, expect.stringContaining("isn't an id")]);
      }
      expect(project.read()).toBe(text);
    }
  });

  it("whose snapshot cannot be read is helped by a reset, as the error says", () => {
    project.doc(["write", "plan.md"], "This way.\n");
    const name = `${createHash("sha256").update(join(project.folder, "plan.md")).digest("hex")}.md`;
    expect(readdirSync(join(project.folder, ".agent-doc", "snapshots"))).toEqual([name]);
    writeFileSync(join(project.folder, ".agent-doc", "snapshots", name), Buffer.from([0xff]));
    const broken = project.doc(["diff", "plan.md"]);
    expect([broken.status, broken.stderr]).toEqual([65, expect.stringContaining("agtmux doc reset")]);
    expect(project.doc(["reset", "plan.md"]).status).toBe(0);
    expect(project.doc(["diff", "plan.md"]).status).toBe(0);
  });
});
