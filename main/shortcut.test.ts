import { beforeEach, expect, it } from "vitest";
import { createShortcut } from "./desktopSettings.ts";

let registered: Map<string, () => void>;
let taken: Set<string>;
let remembered: (string | null)[];
let presses: number;
const registry: Parameters<typeof createShortcut>[0]["registry"] = {
  register: (accelerator, onPress) => {
    if (accelerator.endsWith("Nonsense")) throw new TypeError("conversion failure");
    if (taken.has(accelerator)) return false;
    registered.set(accelerator, onPress);
    return true;
  },
  unregister: (accelerator) => void registered.delete(accelerator),
};
const create = (initial: string | null) =>
  createShortcut(
    { registry, onPress: () => (presses += 1), remember: (accelerator) => remembered.push(accelerator) },
    initial,
  );

beforeEach(() => {
  registered = new Map();
  taken = new Set(["Control+Alt+T"]);
  remembered = [];
  presses = 0;
});

it("works from the start, is changed, and is given back", () => {
  const shortcut = create("Control+Alt+A");
  registered.get("Control+Alt+A")?.();
  shortcut.set("Control+Alt+B");
  expect([...registered.keys()]).toEqual(["Control+Alt+B"]);
  expect([presses, remembered]).toEqual([1, ["Control+Alt+B"]]);
  shortcut.set(null);
  expect(shortcut.state).toEqual({ accelerator: null, problem: null });
  expect(remembered).toEqual(["Control+Alt+B", null]);
  shortcut.set("Control+Alt+B");
  shortcut.close();
  expect(registered.size).toBe(0);
});

it.each(["Control+Alt+T", "Control+Nonsense"])("keeps the present one where %s cannot be had", (wanted) => {
  const shortcut = create("Control+Alt+A");
  shortcut.set(wanted);
  expect(shortcut.state.accelerator).toBe("Control+Alt+A");
  expect(shortcut.state.problem).toContain(wanted);
  expect(remembered).toEqual([]);
  shortcut.set("Control+Alt+A");
  expect(shortcut.state.problem).toBeNull();
});

it("says so when the remembered one is held by another program, and does not forget it", () => {
  expect(create("Control+Alt+T").state).toMatchObject({ accelerator: null, problem: expect.any(String) });
  expect(remembered).toEqual([]);
});
