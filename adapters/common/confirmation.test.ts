// What the memory of settings files may keep: the verdict on a file as it is, and no more of them than a machine has projects.
import { expect, it } from "vitest";
import type { TargetFiles } from "../../core/ports/targetExecutor.ts";
import { memoryFiles } from "../testkit/memoryFiles.ts";
import { createConfirmationReader } from "./hookSettings.ts";

const open = (texts: Record<string, string>) => {
  const reads: string[] = [];
  const memory = memoryFiles(texts);
  const files: TargetFiles = {
    ...memory,
    readText: (path, maxBytes) => {
      reads.push(path);
      return memory.readText(path, maxBytes);
    },
  };
  const mayAnswer = createConfirmationReader(
    (text) => text === "yes",
    (_home, cwd) => [`${cwd}/settings`],
  );
  const ask = (cwd: string) => mayAnswer({ files, configDir: "/home/dev", cwd });
  return { texts, reads, ask };
};

it("a file that went and came back is read again, though its time and size are those of before", async () => {
  const { texts, ask } = open({ "/p/settings": "yes" });
  expect(await ask("/p")).toBe(true);
  delete texts["/p/settings"];
  expect(await ask("/p")).toBe(false);
  texts["/p/settings"] = "no!";
  expect(await ask("/p")).toBe(false);
});

it("the verdicts on two hundred files are kept, those on more are made again", async () => {
  const projects = Array.from({ length: 201 }, (_, index) => `/p${index}`);
  const { reads, ask } = open(Object.fromEntries(projects.map((project) => [`${project}/settings`, "no"])));
  for (const project of projects.slice(0, 200)) await ask(project);
  await ask("/p0");
  expect(reads).toHaveLength(200);
  await ask("/p200");
  await ask("/p0");
  expect(reads).toHaveLength(202);
});
