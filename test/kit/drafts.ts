// What a person types into the agent's box and does not send, at rest and while it works: kept with its colours, because a hint differs
// from a draft by them alone. In the layout of test/fixtures/drafts, which adapters/drafts.test.ts reads.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Scenario } from "../live/drive/scenario.ts";
import type { BareStage } from "../live/drive/stage.ts";
import { ask, completeTurn, endedAt } from "../live/drive/turns.ts";
import { cleanScreen, type Replacement } from "./clean.ts";
import { takeSnapshot } from "./recording.ts";

const DRAWN_MS = 1_200;
const LONG =
  "rewrite the parser so that it reads every line of the file only once, keeps the comments where they are, and says in one sentence what is wrong with a line that it cannot read at all";
const LINES = "first line\nsecond line\n\nfourth line";
const PASTE = Array.from({ length: 40 }, (_, index) => `line ${index} of a long paste`).join("\n");
/** As often as there are rows: each press clears one in some agents. */
const CLEARS = 6;

const clear = async ({ pane }: BareStage): Promise<void> => {
  for (let count = 0; count < CLEARS; count += 1) await pane.press(["C-u"]);
  await wait(DRAWN_MS);
};

const type = async ({ rig, pane }: BareStage, text: string): Promise<void> => {
  await rig.tmux("send-keys", "-t", pane.paneId, "-l", "--", text);
  await wait(DRAWN_MS);
};

/** As a terminal pastes: in brackets. */
const paste = async ({ rig, pane }: BareStage, text: string): Promise<void> => {
  await rig.tmux("set-buffer", "-b", "draft", text);
  await rig.tmux("paste-buffer", "-p", "-d", "-b", "draft", "-t", pane.paneId);
  await wait(DRAWN_MS);
};

/** `folder`: the agent's own. `kept` is told each name. */
export const createDraftScenario = (
  folder: string,
  replacements: readonly Replacement[],
  kept: (name: string) => void,
): Scenario<BareStage> => {
  const keep = async ({ rig, pane }: BareStage, name: string): Promise<void> => {
    const { styledRows } = await takeSnapshot(rig.tmux, pane.paneId, () => false);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name}.ansi`), `${cleanScreen(styledRows.join("\n"), replacements)}\n`);
    kept(name);
  };
  /** With the cursor at its end, and at its begin. */
  const both = async (stage: BareStage, name: string, text: string): Promise<void> => {
    await type(stage, text);
    await keep(stage, name);
    await stage.pane.press(["Home"]);
    await wait(DRAWN_MS);
    await keep(stage, `${name}_home`);
    await stage.pane.press(["End"]);
    await clear(stage);
  };
  const each = async (stage: BareStage, name: string, put: () => Promise<void>): Promise<void> => {
    await put();
    await keep(stage, name);
    await clear(stage);
  };
  return {
    name: "drafts",
    steps: ["drafts"],
    run: async (stage) => {
      await keep(stage, "none_fresh");
      await both(stage, "short", "fix the login page");
      await keep(stage, "none_cleared");
      await both(stage, "letter", "x");
      await each(stage, "long", () => type(stage, LONG));
      await each(stage, "lines", () => paste(stage, LINES));
      await each(stage, "paste", () => paste(stage, PASTE));
      await keep(stage, "none_after_paste");
      await each(stage, "slash", () => type(stage, "/"));
      await each(stage, "bang", () => type(stage, "!"));
      await stage.pane.press(["BSpace"]);
      await stage.pane.press(["Escape"]);
      await each(stage, "question_mark", () => type(stage, "? what"));
      await completeTurn(stage, "completed", `SAY hello n${stage.next()}`);
      await keep(stage, "none_completed");
      await both(stage, "completed", "and now the tests");
      const { said } = await ask(stage, `SLOW 60 n${stage.next()}`);
      await wait(DRAWN_MS);
      await keep(stage, "none_running");
      await type(stage, "typed while it works");
      await keep(stage, "running");
      await stage.pane.press(stage.rig.agent.keys.interrupt);
      await endedAt(stage, said.at);
    },
  };
};
