// What the picker shows beside cards: what a search finds, errors that are dismissed, no colours, a daemon that goes and comes back.
import { afterEach, expect, it, vi } from "vitest";
import { makePane, makeTarget } from "../factories/view.ts";
import { openPicker, type OpenPicker, type PickerOptions } from "./pickerHarness.ts";
import { someAgents } from "./pickerPanes.ts";

let picker: OpenPicker;
afterEach(() => picker.close());

const open = async (options: PickerOptions): Promise<void> => {
  picker = await openPicker(options);
  await picker.shows("need");
};

it.each([
  ["a prompt", "twice", "Refunds are rounded twice", "Two subnets"],
  ["a branch", "ledger-csv", "Ledger export to CSV", "Two subnets"],
  ["a folder", "infra", "Two subnets", "Ledger export"],
])("finds rows by %s, and shows all again with Esc", async (_what, text, found, other) => {
  await open({ panes: someAgents(), columns: 100 });
  await picker.shows(other);
  await picker.type("/", text);
  await picker.showsNot(other);
  expect(await picker.screen()).toContain(found);
  await picker.type("Enter");
  await picker.shows(`/${text}`);
  await picker.type("Escape");
  await picker.shows(other);
});

it("says that nothing matches, and takes letters of a search for no command", async () => {
  await open({ panes: someAgents() });
  await picker.type("/", "a", "d", "q", "1");
  await picker.shows("Nothing found.");
  expect(await picker.screen()).not.toContain("Nobody");
  expect(picker.asked("answer")).toEqual([]);
});

it("dismisses the error that is selected, and nothing else", async () => {
  const failed = makePane({
    pane: 30,
    window: 30,
    session: "alerts",
    state: "error",
    reason: "api_error",
    since: Date.now(),
  });
  await open({ panes: [...someAgents().slice(0, 1), failed] });
  await picker.type("j");
  await picker.type("e");
  await vi.waitFor(() =>
    expect(picker.asked("dismiss")).toMatchObject([{ ref: failed.identity.pane_ref, surface: "picker" }]),
  );
});

/** SGR parameters of the screen that are colours: all but bold, dim, underlined, reversed and their ends. */
const coloursOn = async (): Promise<string[]> =>
  (await picker.styled())
    .split("\u001B[")
    .slice(1)
    .flatMap((part) => (part.split("m", 1)[0] ?? "").split(";"))
    .filter((parameter) => Number(parameter) >= 30);

it("draws with colours, and without them where NO_COLOR is set", async () => {
  await open({ panes: someAgents() });
  expect(await coloursOn()).not.toEqual([]);
  await picker.close();
  await open({ panes: someAgents(), env: "NO_COLOR=1" });
  expect(await coloursOn()).toEqual([]);
});

it("says that the daemon is gone, answers nothing meanwhile, and goes on when it is back", async () => {
  await open({ panes: someAgents() });
  await picker.stopDaemon();
  await picker.shows("the daemon is gone");
  await picker.type("a");
  await picker.startDaemon();
  await picker.showsNot("the daemon is gone");
  await picker.shows("Refunds are rounded twice");
  expect(picker.asked("answer")).toEqual([]);
});

it("shows sessions across machines, the windows of one, and goes back to where it was", async () => {
  const far = { target: "vm1", session: "shop-api" };
  const panes = [
    ...someAgents(),
    makePane({ pane: 40, window: 40, windowName: "far away", state: "running", ...far }),
  ];
  const targets = [makeTarget(), makeTarget({ target: "vm1", kind: "ssh", connection_ref: "vm1" })];
  await open({ panes, targets, columns: 100 });
  await picker.type("s");
  await picker.shows("Sessions");
  await picker.shows(/▌payments/);
  expect(await picker.screen()).toMatch(
    /shop-api[^\n]*1 needs you · 2 working\n[^\n]*host[^\n]*3 windows, 3 agents/,
  );
  await picker.type("Tab");
  await picker.shows("Sessions, by name");
  await picker.shows("host 3, vm1 1");
  await picker.type("j", "Enter");
  await picker.shows("Session shop-api");
  await picker.shows("vm1 40 far away");
  // A card of it is answered there as well.
  await picker.shows("npm run migrate -- --env staging");
  await picker.type("Escape");
  await picker.shows(/▌shop-api/);
  await picker.type("Escape");
  await picker.shows("Needs you");
});

it("shows how each machine is, why, and what to do", async () => {
  const ill = makeTarget({
    target: "vm1",
    kind: "ssh",
    connection_ref: "vm1",
    health: "down",
    health_reason: "the host does not answer",
    remedy: "check the network",
  });
  await open({ panes: someAgents(), targets: [makeTarget(), ill], columns: 80 });
  await picker.type("m");
  await picker.shows("Machines");
  const screen = await picker.shows("Check the network.");
  expect(screen).toMatch(/▌vm1 {2}SSH · vm1[^\n]*unreachable\n[^\n]*the host does not answer/);
  expect(screen).toMatch(/host {2}this machine[^\n]*watched/);
  await picker.type("x", "a", "Enter");
  await picker.type("g");
  await picker.shows("Needs you");
  expect(picker.asked("answer")).toEqual([]);
});

it("marks a shared folder in the row, says with whom in the detail, and begins the output with the agent's last words", async () => {
  const workspace = {
    changes: null,
    not_looked_at: null,
    conflicts: [],
    pull_request: null,
    pull_request_problem: null,
    shares_with: [{ short_ref: "host/%2", place: "work:2.0" }],
  };
  const done = makePane({ state: "completed", activity: { prompt: "Write the notes" }, workspace });
  const words = `The notes are written. ${"Every change of the release is in them. ".repeat(8)}END`;
  picker = await openPicker({
    panes: [done],
    columns: 130,
    rows: 20,
    prepare: (daemon) => {
      const transcript = ["> write the notes", "", `  ${words}`];
      daemon.outputs.set(done.identity.pane_ref, { screen: ["─".repeat(120), "❯ "], transcript });
    },
  });
  await picker.shows("shares folder with work:2.0");
  const [row = ""] = (await picker.screen()).split("\n").filter((line) => line.includes("Claude Code"));
  expect(row).toContain("· shared");
  await picker.type("o");
  const shown = await picker.shows("END");
  expect(shown).toContain("Transcript");
  expect(shown).toContain("shares folder with work:2.0");
  expect(shown).not.toContain("…");
  // Nothing is lost where it wraps.
  expect(shown.replaceAll(/\s+/g, " ")).toContain(words.replaceAll(/\s+/g, " "));
  await picker.type("t");
  await picker.shows("❯");
  expect(await picker.screen()).toContain(" Screen ");
  await picker.type("t");
  await picker.shows("END");
});
