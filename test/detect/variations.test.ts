import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadCorpus, type Frame } from "../../bench/detect/corpus.ts";
import { screenRows } from "../../bench/detect/reflow.ts";
import { dialogBlock, reword, VARIATION_KINDS, variationsOf } from "../../bench/detect/variations.ts";

const { frames } = loadCorpus(join(import.meta.dirname, "../fixtures/recordings"));
const frameOf = (key: string): Frame => {
  const found = frames.find(({ agent, name }) => `${agent}/${name}` === key);
  if (found === undefined) throw new Error(`no recording ${key}`);
  return found;
};
const variation = (key: string, name: string) => {
  const found = variationsOf(frameOf(key), frames).find((one) => one.name === name);
  if (found === undefined) throw new Error(`no variation ${name} of ${key}`);
  return { ...found, lines: screenRows(found.screen) };
};

describe("variations of a frame", () => {
  it("finds the block that asks, whether a rule, a box or a gap sets it off", () => {
    expect(dialogBlock(screenRows(frameOf("claude/waiting_approval").recording))[1]).toBe(" Bash command");
    expect(dialogBlock(screenRows(frameOf("gemini/waiting_approval").recording))[1]).toMatch(/^│ \? Shell/);
    expect(dialogBlock(screenRows(frameOf("opencode/waiting_approval").recording)).join("\n")).toMatch(
      /^ {2}┃\n {2}┃ {2}△ Permission required/,
    );
  });

  it("puts an old dialog above the present bottom", () => {
    const { lines, screen } = variation("claude/tool_running", "below old waiting_approval");
    const own = screenRows(frameOf("claude/tool_running").recording);
    expect(lines.findIndex((line) => line.includes("Do you want to proceed?"))).toBeGreaterThan(-1);
    expect(lines.slice(-8)).toEqual(own.slice(-8));
    expect(lines.length).toBeLessThanOrEqual(screen.height);
  });

  it("quotes a whole dialog inside the conversation, indented as its speaker is", () => {
    for (const speaker of ["agent", "person"]) {
      const { lines } = variation("claude/completed", `waiting_approval quoted by the ${speaker}`);
      const quoted = lines.filter((line) => line.includes("Do you want to proceed?"));
      expect(quoted).toEqual(["   Do you want to proceed?"]);
      expect(lines.slice(-4)).toEqual(screenRows(frameOf("claude/completed").recording).slice(-4));
    }
  });

  it("changes what is random and nothing else", () => {
    expect(reword("✻ Brewed for 0s · done 5:10 AM")).toBe("✻ Simmered for 4m 12s · done 11:47 PM");
    expect(reword(" ⠇ Thinking... (esc to cancel, 3s)")).toMatch(
      /^ [⠋⠙⠹⠸⠼⠴⠦⠧⠏] Thinking\.\.\. \(esc to cancel/,
    );
    expect(reword("✽ Brewing… (3s · esc to interrupt)")).toBe("✳ Pondering… (2m 41s · esc to interrupt)");
    expect(reword(" Do you want to proceed?\n ❯ 1. Yes")).toBe(" Do you want to proceed?\n ❯ 1. Yes");
  });

  it("says whether a cut screen still holds the dialog", () => {
    expect(variation("claude/waiting_approval", "scrolled to 20 rows").isDialogWhole).toBe(true);
    const frame = frameOf("claude/waiting_approval");
    const low = { ...frame, recording: { ...frame.recording, height: 8 } };
    expect(variationsOf(low, frames).find(({ name }) => name === "width 60")?.isDialogWhole).toBe(false);
  });

  it("varies no frame that the agent drew at another width, and quotes no dialog of one", () => {
    const other = frames.filter(({ recording }) => recording.width !== 120);
    expect(other.length).toBeGreaterThan(0);
    expect(other.flatMap((frame) => variationsOf(frame, frames))).toEqual([]);
    const names = variationsOf(frameOf("codex/completed"), frames).map(({ name }) => name);
    expect(names.filter((name) => /_\d+\b/.test(name))).toEqual([]);
  });

  it("makes every kind of each agent's frames, and none of a pane without an agent", () => {
    const agents = new Set(frames.map(({ agent }) => agent));
    for (const agent of agents) {
      const kinds = new Set<string>();
      for (const frame of frames) {
        if (frame.agent !== agent || kinds.size === VARIATION_KINDS.length) continue;
        for (const { kind } of variationsOf(frame, frames)) kinds.add(kind);
      }
      expect([...kinds].toSorted(), agent).toEqual([...VARIATION_KINDS].toSorted());
    }
    expect(variationsOf(frameOf("claude/exited"), frames)).toEqual([]);
  });
});
