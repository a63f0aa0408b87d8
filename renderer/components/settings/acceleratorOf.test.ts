import { describe, expect, it } from "vitest";
import { acceleratorSchema } from "../../../core/model/desktop.ts";
import { acceleratorOf, acceleratorText } from "./DesktopPages.tsx";

const press = (code: string, ...held: ("ctrlKey" | "metaKey" | "altKey" | "shiftKey")[]) => ({
  code,
  ctrlKey: held.includes("ctrlKey"),
  metaKey: held.includes("metaKey"),
  altKey: held.includes("altKey"),
  shiftKey: held.includes("shiftKey"),
});

describe("keys as a shortcut", () => {
  it.each([
    [press("KeyA", "ctrlKey", "altKey"), "linux", "Control+Alt+A"],
    [press("Digit7", "metaKey", "shiftKey"), "darwin", "Command+Shift+7"],
    [press("Space", "metaKey"), "linux", "Super+Space"],
    [press("F12", "altKey"), "darwin", "Alt+F12"],
    [press("ArrowUp", "ctrlKey"), "linux", "Control+Up"],
  ])("is what the app takes", (pressed, platform, expected) => {
    expect(acceleratorOf(pressed, platform)).toBe(expected);
    expect(acceleratorSchema.safeParse(expected).success).toBe(true);
  });

  it.each([
    press("ControlLeft", "ctrlKey"),
    press("KeyA"),
    press("KeyA", "shiftKey"),
    press("Quote", "ctrlKey"),
  ])("is none while it could not be one", (pressed) => expect(acceleratorOf(pressed, "linux")).toBeNull());

  it("is written as the platform's menus write it", () => {
    expect(acceleratorText("Control+Alt+Shift+A", "darwin")).toBe("⌃⌥⇧A");
    expect(acceleratorText("Command+Space", "darwin")).toBe("⌘Space");
    expect(acceleratorText("Control+Alt+A", "linux")).toBe("Control+Alt+A");
  });
});
