import { expect, it } from "vitest";
import type { AttachPlan } from "../model/action.ts";
import { showPlan, type DesktopActions } from "./attach.ts";

const plan = (mode: AttachPlan["mode"], isNative = false): AttachPlan => ({
  snapshotId: "snap",
  paneRef: "pane:host/w/@1/%1",
  argv: [mode],
  mode,
  existingClient: mode === "attach" ? null : { tty: "/dev/pts/7", isNative },
});

const show = async (
  more: Partial<DesktopActions>,
  planFor: (may: { mayFocus: boolean; maySwitch: boolean }) => AttachPlan = ({ mayFocus }) =>
    plan(mayFocus ? "focus_client" : "attach"),
) => {
  const done: string[] = [];
  const desktop: DesktopActions = {
    run: ([word = ""]) => {
      done.push(`run ${word}`);
      return Promise.resolve(0);
    },
    openTerminal: ([word = ""]) => {
      done.push(`open ${word}`);
      return Promise.resolve();
    },
    focusTerminal: ({ tty }) => {
      done.push(`focus ${tty}`);
      return Promise.resolve(true);
    },
    ...more,
  };
  const shown = await showPlan(desktop, (may) => Promise.resolve(planFor(may)));
  return { done, mode: shown.mode };
};

it("selects the pane, then brings the terminal that shows it to the front", async () => {
  expect(await show({})).toEqual({ done: ["run focus_client", "focus /dev/pts/7"], mode: "focus_client" });
});

it("opens a window where the terminal is not found, and where none can be brought to the front", async () => {
  const lost = await show({ focusTerminal: () => Promise.resolve(false) });
  expect(lost).toEqual({ done: ["run focus_client", "open attach"], mode: "attach" });
  expect(await show({ focusTerminal: null })).toEqual({ done: ["open attach"], mode: "attach" });
});

it("opens none beside a terminal that shows the session natively", async () => {
  const native = () => plan("focus_client", true);
  expect((await show({ focusTerminal: null }, native)).done).toEqual(["run focus_client"]);
});

it("says that the pane has gone, and what to run where there is no desktop", async () => {
  await expect(show({ run: () => Promise.resolve(1) })).rejects.toMatchObject({ code: "E_STALE_SNAPSHOT" });
  await expect(show({ openTerminal: null, focusTerminal: null })).rejects.toMatchObject({
    code: "E_UNSUPPORTED",
    remedy: "Run 'agtmux attach pane:host/w/@1/%1' in a terminal.",
  });
});

it("switches the terminal that was used last where there is no desktop, and only there", async () => {
  const asked: boolean[] = [];
  const last = ({ maySwitch }: { maySwitch: boolean }) => {
    asked.push(maySwitch);
    return plan(maySwitch ? "switch_client" : "attach");
  };
  const headless = await show({ openTerminal: null, focusTerminal: null }, last);
  expect(headless).toEqual({ done: ["run switch_client"], mode: "switch_client" });
  expect((await show({ focusTerminal: null }, last)).done).toEqual(["open attach"]);
  expect(asked).toEqual([true, false]);
});
