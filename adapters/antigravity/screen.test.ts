// Frames made by hand after captures that others published: which words stand where is theirs, the rest is ours.
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fixtureFolder, frameOf } from "../testkit/recordings.ts";
import { readAntigravityScreen } from "./screen.ts";

const FRAMES = readdirSync(fixtureFolder("antigravity", "published")).map((file) =>
  file.replace(/\.txt$/, ""),
);
const read = (name: string) => readAntigravityScreen(frameOf("antigravity", name, "published"));
const statusOf = (name: string): string | null => {
  const reading = read(name);
  return reading === null ? null : `${reading.status.state}/${reading.status.reasonCode}`;
};

describe("Antigravity's published screens", () => {
  it.each([
    ["command", "waiting_approval/permission_tool"],
    ["command_older", "waiting_approval/permission_tool"],
    ["read", "waiting_approval/permission_tool"],
    ["create", "waiting_approval/permission_edit"],
    ["edit", "waiting_approval/permission_edit"],
    ["trust", "waiting_approval/trust"],
    ["question", "waiting_input/question"],
    ["running", "running/thinking"],
    ["running_tool", "running/thinking"],
    ["background", "running/background_task"],
    ["fresh", "idle/fresh"],
    ["after_turn", "idle/fresh"],
    ["draft", "idle/fresh"],
    ["dialog_in_text", "idle/fresh"],
  ])("show %s", (name, expected) => {
    expect(statusOf(name)).toBe(expected);
  });

  it.each(["dialog_not_known", "dialog_without_refusal", "starting"])("say nothing: %s", (name) => {
    expect(statusOf(name)).toBeNull();
  });

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

  it("tell what is asked and what can be chosen", () => {
    expect(read("command")?.request).toMatchObject({
      kind: "command",
      title: "Run this command?",
      body: "   npm test -- --watch=false",
      options: [{ label: "Yes, run command" }, {}, {}, { label: "No, cancel" }],
    });
    expect(read("question")?.request).toMatchObject({
      title: "Which colour shall the button have?",
      options: [{ label: "Red" }, { label: "Blue" }],
    });
    expect(read("trust")?.request?.options).toHaveLength(2);
    expect(read("create")?.request?.body).toBeNull();
  });

  it("say no more once text follows the dialog", () => {
    const frame = frameOf("antigravity", "command", "published");
    for (const more of ["> ls", "done", "  ? for shortcuts"])
      expect(readAntigravityScreen({ ...frame, lines: [...frame.lines, more] })).toBeNull();
  });
});
