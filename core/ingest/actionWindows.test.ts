import { afterEach, describe, expect, it } from "vitest";
import { createIngestFixture, somePane, type IngestFixture } from "../../test/factories/ingest.ts";
import { ActionWindows } from "./unitOfWork.ts";

const open: IngestFixture[] = [];
afterEach(() => {
  for (const made of open.splice(0)) made.store.close();
});
const atPrompt = (): { f: IngestFixture; runtimeId: string } => {
  const f = createIngestFixture();
  open.push(f);
  f.topology([somePane()]);
  f.agent();
  f.hook("SessionStart", { source: "startup" });
  f.clock.advance(1_000);
  return { f, runtimeId: f.ingest.rows(false)[0]?.identity.runtime_id ?? "" };
};
const followed = (f: IngestFixture, actionId: string): string[] =>
  f.store.listAftermath([actionId]).map(({ kind, what }) => `${kind} ${what}`);

describe("what a runtime does", () => {
  it("while an action runs and shortly after it names the action, nothing before or later does", () => {
    const { f, runtimeId } = atPrompt();
    const close = f.ingest.beginAction(runtimeId, "act_1");
    f.clock.advance(100);
    f.hook("UserPromptSubmit", { prompt: "go" });
    close(2_000);
    f.clock.advance(2_000);
    f.hook("Stop", { background_tasks: [] });
    f.clock.advance(1);
    f.hook("UserPromptSubmit", { prompt: "again" });
    expect(followed(f, "act_1")).toEqual([
      "event UserPromptSubmit",
      "transition running",
      "event Stop",
      "transition completed",
    ]);
    const named = f.store.listTransitionsOf(runtimeId, 10).map(({ actionId }) => actionId);
    expect(named.toReversed().slice(-3)).toEqual(["act_1", "act_1", null]);
  });

  it("is watched closely meanwhile: a turn may be shorter than the time between two ordinary looks", () => {
    const { f, runtimeId } = atPrompt();
    const attention = () => f.ingest.watchedRuntimes("host")[0]?.attention;
    expect(attention()).toBe("quiet");
    const close = f.ingest.beginAction(runtimeId, "act_1");
    f.clock.advance(10_000);
    expect(attention()).toBe("close");
    close(2_000);
    f.clock.advance(1_999);
    expect(attention()).toBe("close");
    f.clock.advance(1);
    expect(attention()).toBe("quiet");
  });

  it("includes how it ended", () => {
    const { f, runtimeId } = atPrompt();
    const close = f.ingest.beginAction(runtimeId, "act_1");
    f.ingest.markKilled(runtimeId, true);
    close(2_000);
    f.noAgent();
    expect(followed(f, "act_1")).toEqual(["transition killed"]);
  });

  it("is not put down to an action that was refused", () => {
    const { f, runtimeId } = atPrompt();
    f.ingest.beginAction(runtimeId, "act_1")(0);
    f.clock.advance(1);
    f.hook("UserPromptSubmit", { prompt: "go" });
    expect(followed(f, "act_1")).toEqual([]);
  });

  it("of another runtime names nothing", () => {
    const { f } = atPrompt();
    f.ingest.beginAction("rt_other", "act_1");
    f.hook("UserPromptSubmit", { prompt: "go" });
    expect(followed(f, "act_1")).toEqual([]);
  });
});

it("counts the action that began last, whichever ends first", () => {
  const windows = new ActionWindows();
  windows.begin("r1", "act_1");
  windows.begin("r1", "act_2");
  windows.close("r1", "act_1", 5);
  expect(windows.actionOf("r1", 1_000)).toBe("act_2");
  windows.close("r1", "act_2", 1_500);
  expect([windows.actionOf("r1", 1_500), windows.actionOf("r1", 1_501)]).toEqual(["act_2", null]);
});
