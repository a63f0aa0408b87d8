// What the picker keeps about a row for the person, by one key each, against a daemon with made-up panes.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { AgtmuxError } from "../../core/model/errors.ts";
import { fakeHandOver } from "../fakes/fakeHandOver.ts";
import { FakeAutomation } from "../fakes/fakeAutomation.ts";
import type { AnsweringDaemon } from "../fakes/answeringDaemon.ts";
import {
  makeAdapterView,
  makePane,
  makePullRequest,
  makeTarget,
  makeWorkspace,
  usedTo,
} from "../factories/view.ts";
import { openPicker, READING } from "./pickerHarness.ts";
import { someAgents } from "./pickerPanes.ts";

interface Test {
  onTestFinished(close: () => Promise<void>): void;
}

const open = async (test: Test, prepare?: (daemon: AnsweringDaemon) => void) => {
  const automation = new FakeAutomation();
  const pane = makePane({ state: "running", title: "Split the refund" });
  const picker = await openPicker({
    panes: [pane],
    features: [automation],
    ...(prepare === undefined ? {} : { prepare }),
  });
  test.onTestFinished(() => picker.close());
  await picker.shows("1 working");
  await wait(READING);
  return { picker, automation, pane };
};

it.concurrent("arms and ends a watch for the end of the turn; one that nobody would hear says so", async (test) => {
  const { picker, automation, pane } = await open(test);
  automation.failures.set(
    "watch",
    new AgtmuxError("E_UNSUPPORTED", "nobody would hear it; nothing was scheduled", {
      remedy: "Open the app or 'agtmux ui'.",
    }),
  );
  await picker.type("t");
  await picker.shows("Refused. Nobody would hear it; nothing was scheduled. Open the app or 'agtmux ui'.");
  await picker.type("t");
  await picker.shows("You'll be told when this turn is over.");
  expect(automation.items).toMatchObject([{ when: "done", runtime_id: "rt1", surface: "picker" }]);
  picker.daemon.refine(pane.identity.pane_ref, { armed: "tells when done" });
  await picker.shows("tells when done");
  await picker.type("t");
  await picker.shows("You won't be told");
  expect(automation.items).toMatchObject([{ state: "cancelled" }]);
  await picker.type("?");
  await picker.shows("Tell me when it's done; again: don't");
});

it.concurrent("opens the page of a pull request by one key, and says what it is where no browser can be opened", async (test) => {
  const folder = mkdtempSync(join(tmpdir(), "agtmux-page-"));
  for (const name of ["xdg-open", "open"]) {
    writeFileSync(join(folder, name), `#!/bin/sh\nprintf '%s' "$*" >'${folder}/said'\n`);
    chmodSync(join(folder, name), 0o755);
  }
  const workspace = makeWorkspace({ pull_request: makePullRequest() });
  const panes = [
    makePane({ pane: 1, title: "Split the refund", workspace }),
    makePane({ pane: 2, title: "Another one", workspace: makeWorkspace() }),
  ];
  const picker = await openPicker({ panes, env: `DISPLAY=:99 PATH='${folder}':"$PATH"` });
  test.onTestFinished(async () => {
    await picker.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await picker.shows("#12 checks passed");
  await wait(READING);
  await picker.type("O");
  await picker.shows("Opened https://github.com/acme/shop/pull/12");
  expect(readFileSync(join(folder, "said"), "utf8")).toBe("https://github.com/acme/shop/pull/12");
  await picker.type("Down");
  await wait(READING);
  await picker.type("O");
  await picker.shows("Refused. No pull request of its branch is known.");
});

it.concurrent("mutes, and names a row in its foot", async (test) => {
  const { picker } = await open(test);
  await picker.type("z");
  await picker.shows("z again mutes it until it ends.");
  await picker.shows("· muted");
  await wait(READING);
  await picker.type("z");
  await picker.shows("Muted until it ends; z again unmutes it.");
  // The row follows a moment after the receipt.
  await wait(READING);
  await picker.type("z");
  await picker.shows("No longer muted.");
  await picker.showsNot("· muted");
  expect(picker.asked("mute")).toMatchObject([{ forMs: 3_600_000 }, { forMs: "end" }, { forMs: null }]);
  await picker.type("F2");
  await picker.shows("Empty: the title again.");
  await picker.type("-l", "refunds, again");
  await picker.type("Escape");
  await picker.showsNot("Empty: the title again.");
  expect(picker.asked("rename")).toEqual([]);
  await picker.type("F2");
  await picker.shows("Empty: the title again.");
  await picker.type("-l", "second try");
  await picker.shows("› second try");
  await picker.type("Enter");
  await picker.untilAsked("rename", 1);
  expect(picker.asked("rename")).toMatchObject([{ name: "second try", surface: "picker" }]);
  await picker.shows("▸ second try");
});

it.concurrent("names the agent's own session, too, once that is ticked", async (test) => {
  const capabilities = { supports_session_name: true };
  const { picker } = await open(test, (daemon) => {
    const list = daemon.adapters();
    daemon.adapters = () => ({
      ...list,
      items: [makeAdapterView("claude", "Claude Code", [], { capabilities })],
    });
  });
  await picker.type("F2");
  await picker.shows("[ ] Also name the session in Claude Code");
  await picker.type("Tab");
  await picker.shows("[x] Also name the session in Claude Code");
  await picker.type("-l", "refunds");
  await picker.type("Enter");
  await picker.shows("The session has the name, too.");
  expect(picker.asked("rename")).toMatchObject([{ name: "refunds", session: true }]);
});

it.concurrent("denies with a reason that is typed in its foot", async (test) => {
  const automation = new FakeAutomation();
  const picker = await openPicker({ panes: someAgents(), features: [automation] });
  test.onTestFinished(() => picker.close());
  await picker.shows("b Deny with a reason…");
  await wait(READING);
  await picker.type("b");
  await picker.shows("Denies it, then sends this as the next message");
  // Enter alone denies nothing, and neither does Escape.
  await picker.type("Enter");
  await picker.type("-l", "1 use staging");
  await picker.shows("› 1 use staging");
  expect(picker.asked("answer")).toEqual([]);
  await picker.type("Enter");
  await picker.untilAsked("answer", 1);
  expect(picker.asked("answer")).toMatchObject([
    { choice: { kind: "deny" }, guards: { ifPrompt: "print-12", ifRuntime: "rt12" }, surface: "picker" },
  ]);
  await picker.shows("The reason follows when it is idle");
  expect(automation.items).toMatchObject([{ text: "1 use staging", runtime_id: "rt12", surface: "picker" }]);
});

it.concurrent("hands a session over once what is handed over was read to its end", async (test) => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1} of the work`);
  const handOver = fakeHandOver(lines.join("\n"));
  const activity = { work_tree: "/home/ann/src/shop" };
  const pane = { ...makePane({ state: "idle", title: "api", activity }), agent_session_id: "s-1" };
  const picker = await openPicker({ panes: [pane], features: handOver.features });
  test.onTestFinished(() => picker.close());
  await picker.shows("window-1");
  await wait(READING);
  await picker.type("p");
  await picker.shows("Hand over “window-1”");
  await picker.shows("❯ Agent    codex");
  await picker.shows("Folder   /home/ann/src/shop");
  await picker.shows("line 8 of the work");
  expect(await picker.screen()).not.toContain("line 9 of the work");
  await picker.type("Enter");
  await picker.shows("Read it to the end first: press PgDn.");
  // It is read, not written.
  await picker.type("Up");
  await picker.type("-l", "xyz");
  for (const last of [15, 20]) {
    await picker.type("PageDown");
    await picker.shows(`line ${last} of the work`);
  }
  expect(await picker.screen()).not.toContain("xyz");
  expect(handOver.started).toEqual([]);
  await picker.type("Enter");
  await picker.shows("codex runs in session shop");
  expect(handOver.started).toMatchObject([
    {
      agent: "codex",
      target: "host",
      folder: "/home/ann/src/shop",
      text: lines.join("\n"),
      surface: "picker",
    },
  ]);
});

it.concurrent("hands a session that stopped at a limit over to the account that has room", async (test) => {
  const in2h = new Date(Date.now() + 2 * 3_600_000 + 60_000).toISOString();
  const handOver = fakeHandOver("short work", {}, [usedTo(100, "home", in2h), usedTo(12, "work", in2h)]);
  const error = { state: "error", reason: "usage_limit" } as const;
  const pane = { ...makePane({ agent: "codex", ...error }), account: "home", agent_session_id: "s-1" };
  const picker = await openPicker({ panes: [pane], features: handOver.features });
  test.onTestFinished(() => picker.close());
  await picker.shows("window-1");
  await wait(READING);
  await picker.type("p");
  await picker.shows("❯ Agent    codex work, 12 % used");
  await picker.shows("short work");
  await picker.type("Left");
  await picker.shows("❯ Agent    codex home, 100 % of 5 hours used, resets in 2h");
  await picker.type("Right");
  await picker.type("Enter");
  await picker.shows("codex runs in session shop");
  expect(handOver.started).toMatchObject([{ agent: "codex", account: "work", text: "short work" }]);
});

it.concurrent("says quietly that an account is nearly used up, and with its machine how much", async (test) => {
  const in2h = new Date(Date.now() + 2 * 3_600_000 + 60_000).toISOString();
  const target = makeTarget({ limits: [usedTo(86, null, in2h)] });
  const picker = await openPicker({ panes: [makePane()], targets: [target], columns: 120 });
  test.onTestFinished(() => picker.close());
  await picker.shows("Codex: 86 % of 5 hours used, resets in 2h");
  await wait(READING);
  await picker.type("m");
  await picker.shows("(as of");
});

it.concurrent("says with this machine that there is a newer agtmux", async (test) => {
  const target = makeTarget({ newer_release: "9.9.9" });
  const picker = await openPicker({ panes: [makePane()], targets: [target], columns: 120 });
  test.onTestFinished(() => picker.close());
  await picker.shows("window-1");
  await wait(READING);
  await picker.type("m");
  await picker.shows("A newer agtmux, 9.9.9, is there: 'agtmux upgrade'");
});
