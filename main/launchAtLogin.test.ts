import { beforeEach, expect, it } from "vitest";
import { createLaunchAtLogin } from "./desktopSettings.ts";

let isOn: boolean;
let status: string;
let isKept: boolean;
let items: Parameters<typeof createLaunchAtLogin>[0];
beforeEach(() => {
  isOn = false;
  status = "enabled";
  isKept = true;
  items = {
    isPackaged: true,
    getLoginItemSettings: () => ({ openAtLogin: isOn, status }),
    setLoginItemSettings: ({ openAtLogin }) => {
      if (isKept) isOn = openAtLogin;
    },
  };
});

it("is what the system says, also when the person changes it there", () => {
  const login = createLaunchAtLogin(items, "darwin");
  login.set(true);
  expect(login.state).toEqual({ isSupported: true, isOn: true, problem: null });
  login.set(false);
  expect(login.state).toEqual({ isSupported: true, isOn: false, problem: null });
});

it("says so where the system did not keep it", () => {
  const login = createLaunchAtLogin(items, "darwin");
  expect(login.state.problem).toBeNull();
  isKept = false;
  login.set(true);
  expect(login.state).toMatchObject({ isOn: false, problem: expect.stringContaining("not notarised") });
  isOn = true;
  expect(login.state).toEqual({ isSupported: true, isOn: true, problem: null });
  login.set(false);
  expect(login.state).toMatchObject({
    isOn: true,
    problem: expect.stringContaining("did not keep it. Remove"),
  });
});

it("names the approval that macOS waits for", () => {
  const login = createLaunchAtLogin(items, "darwin");
  login.set(true);
  status = "requires-approval";
  expect(login.state.problem).toContain("Allow agtmux");
});

it("is not there for a clone, nor on other systems", () => {
  const clone = createLaunchAtLogin({ ...items, isPackaged: false }, "darwin");
  clone.set(true);
  expect([clone.state.isSupported, isOn]).toEqual([false, false]);
  expect(createLaunchAtLogin(items, "linux").state.isSupported).toBe(false);
});
