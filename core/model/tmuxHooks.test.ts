// On real tmux: what is asked is answered, and where a hook of a person would run with it, nothing is asked and nothing runs.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createPrivateTmux, type PrivateTmux } from "../../test/harness/privateTmux.ts";
import { printWords } from "./commandWords.ts";

let tmux: PrivateTmux;
let pane: string;
beforeEach(async () => {
  tmux = createPrivateTmux();
  pane = await tmux.newSession("work");
});
afterEach(() => tmux.close());

it("prints what the format is, of the server and of a pane", async () => {
  expect(await tmux.run(...printWords("#{pid} #{version}", null))).toMatch(/^\d+ \S+$/);
  expect(await tmux.run(...printWords("#{pane_id} #{session_name}", pane))).toBe(`${pane} work`);
});

it("prints nothing of a pane that is gone, and does not fail", async () => {
  expect(await tmux.run(...printWords("#{pane_id}", "%999"))).toBe("");
});

it.each([["-g"], ["-t", "work"]])("runs no hook that is set with %s", async (...where) => {
  const ran = join(tmux.folder, "ran");
  await tmux.run("set-hook", ...where, "after-display-message", `run-shell 'echo >>${ran}'`);
  expect(await tmux.run(...printWords("#{pid}", null))).toBe("");
  expect(await tmux.run(...printWords("#{pane_id}", pane))).toBe("");
  // The hook does run with what asks plainly.
  expect(existsSync(ran)).toBe(false);
  await tmux.run("display-message", "-p", "#{pid}");
  await expect.poll(() => existsSync(ran)).toBe(true);
});
