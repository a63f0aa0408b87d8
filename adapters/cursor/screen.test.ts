// Frames made by hand after captures that others published: which words stand where is theirs, the rest is ours.
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fixtureFolder, frameOf } from "../testkit/recordings.ts";
import { readCursorScreen } from "./screen.ts";

const FRAMES = readdirSync(fixtureFolder("cursor", "published")).map((file) => file.replace(/\.txt$/, ""));
const read = (name: string) => readCursorScreen(frameOf("cursor", name, "published"));
const statusOf = (name: string): string | null => {
  const reading = read(name);
  return reading === null ? null : `${reading.status.state}/${reading.status.reasonCode}`;
};

describe("Cursor's published screens", () => {
  it.each([
    ["command", "waiting_approval/permission_tool"],
    ["command_boxed", "waiting_approval/permission_tool"],
    ["command_in_box", "waiting_approval/permission_tool"],
    ["command_other_chosen", "waiting_approval/permission_tool"],
    ["mcp_tool", "waiting_approval/permission_tool"],
    ["write", "waiting_approval/permission_edit"],
    ["delete", "waiting_approval/permission_edit"],
    ["plan", "waiting_approval/plan"],
    ["question", "waiting_input/question"],
    ["running", "running/thinking"],
  ])("show %s", (name, expected) => {
    expect(statusOf(name)).toBe(expected);
  });

  it.each(["input_line", "fresh", "dialog_in_text", "question_answered", "plan_answered"])(
    "prove no more than that no dialog is open: %s",
    (name) => {
      expect(statusOf(name)).toBe("unknown/unsupported_signal");
    },
  );

  it.each(["dialog_not_known", "dialog_without_refusal"])(
    "say nothing of a dialog that is not known: %s",
    (name) => {
      expect(statusOf(name)).toBeNull();
    },
  );

  it("are believed little, answered by no key, and never called whole", () => {
    expect(FRAMES).toHaveLength(17);
    for (const name of FRAMES) {
      const reading = read(name);
      if (reading === null) continue;
      expect(reading.confidence).toBe("low");
      expect(reading.request?.options.every(({ keys }) => keys === null) ?? true).toBe(true);
      expect(reading.request ?? {}).not.toHaveProperty("isWhole", true);
    }
  });

  it("tell what is asked, to the last line, and what can be chosen", () => {
    expect(read("command_boxed")?.request).toMatchObject({
      kind: "command",
      title: "Run this command?",
      body: " $  npm test -- --watch=false\n      && npm run lint in .",
      options: [
        { label: "Run (once) (y)" },
        { label: "Add Shell(npm) to allowlist? (tab)" },
        { label: "Auto-run everything (shift+tab)" },
        { label: "Skip (esc or n)" },
      ],
    });
    expect(read("mcp_tool")?.request?.body).toBe(' notes: search\n   {\n     "query": "lines"\n   }');
    expect(read("question")?.request).toMatchObject({
      title: "1. Which colour shall the button have?",
      options: [{ label: "Red" }, { label: "Blue" }],
    });
  });
});
