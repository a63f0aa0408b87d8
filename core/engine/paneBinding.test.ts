import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Envelope } from "../model/envelope.ts";
import type { Runtime } from "../model/runtime.ts";
import { bindEvent, placeEvent, PROMPT_DRAWN_MS, type PaneBindingInput, type Whereabouts } from "./bind.ts";

const NOW = 1_000_000;
const PROMPT = "explain the flaky test in detail";

const someRuntime = (paneId: string, more: Partial<Runtime> = {}): Runtime => ({
  targetId: "host",
  server: "default",
  paneId,
  runtimeId: `rt_${paneId}`,
  paneEpoch: 1,
  agentType: "codex",
  pid: Number(paneId.slice(1)) + 600,
  processStartedAt: NOW - 60_000,
  startedAt: NOW - 60_000,
  endedAt: null,
  agentSessionId: null,
  inside: null,
  mutedUntil: null,
  name: null,
  ...more,
});
/** As the background server leaves it: the environment of a pane that is long gone, and its own pid. */
const fromServer = (more: Partial<Envelope> = {}): Envelope => ({
  spoolName: "e1",
  agentType: "codex",
  eventName: "UserPromptSubmit",
  tmuxSocket: "/tmp/gone",
  tmuxServerPid: 7,
  paneId: "%99",
  parentPid: 21_841,
  eventTime: NOW,
  payload: {},
  payloadProblem: null,
  ...more,
});
const at = (
  processCwd: string | null,
  text: string | null = null,
  readAt = NOW + PROMPT_DRAWN_MS,
): Whereabouts => ({
  processCwd,
  screen: text === null ? null : { text, readAt },
});
const place = (
  runtimes: readonly Runtime[],
  where: Record<string, Whereabouts>,
  more: Partial<PaneBindingInput> = {},
) =>
  placeEvent({
    envelope: fromServer(),
    targetId: "host",
    sessionId: "s1",
    cwd: "/home/dev",
    promptText: PROMPT,
    outlivesPane: false,
    waitedMs: 0,
    runtimes,
    whereabouts: new Map(Object.entries(where)),
    ...more,
  });
const toPane = (paneId: string) => ({ kind: "bound", runtimeId: `rt_${paneId}` });

describe("an event whose pane proves nothing", () => {
  it("goes to the runtime that has its session, whatever pane it names", () => {
    const runtimes = [someRuntime("%1", { agentSessionId: "s1" }), someRuntime("%2")];
    const where = { "rt_%1": at("/elsewhere"), "rt_%2": at("/home/dev", PROMPT) };
    expect(place(runtimes, where, { promptText: null })).toEqual(toPane("%1"));
    expect(place(runtimes, where, { envelope: fromServer({ paneId: "%2" }) })).toEqual(toPane("%1"));
  });

  it("goes to the runtime whose own process ran the hook", () => {
    const runtimes = [someRuntime("%1"), someRuntime("%2", { agentSessionId: "other" })];
    expect(
      place(runtimes, {}, { envelope: fromServer({ parentPid: 602 }), promptText: null, cwd: null }),
    ).toEqual(toPane("%2"));
  });

  it("goes to the only runtime in its folder", () => {
    const runtimes = [someRuntime("%1"), someRuntime("%2")];
    expect(place(runtimes, { "rt_%1": at("/home/dev"), "rt_%2": at("/other") })).toEqual(toPane("%1"));
  });

  it("waits while a folder is not known, and where the folder is nobody's", () => {
    const runtimes = [someRuntime("%1"), someRuntime("%2")];
    expect(place(runtimes, { "rt_%1": at("/home/dev"), "rt_%2": at(null) }).kind).toBe("pending");
    expect(place(runtimes, { "rt_%1": at("/other"), "rt_%2": at("/other") }).kind).toBe("pending");
  });

  it("does not tie a session to a pane by anything but a prompt", () => {
    expect(place([someRuntime("%1")], { "rt_%1": at("/home/dev") }, { promptText: null }).kind).toBe(
      "pending",
    );
  });

  it("goes to the one pane of several that shows its prompt, wrapped as it may be", () => {
    const runtimes = [someRuntime("%1"), someRuntime("%2", { agentSessionId: "other" })];
    const wrapped = "› explain the fla\n  ky test in\n  detail\n\n• On it";
    const where = { "rt_%1": at("/home/dev", wrapped), "rt_%2": at("/home/dev", "› something else") };
    expect(place(runtimes, where)).toEqual(toPane("%1"));
  });

  it("finds the pane of a session that a person began again in a window that had another", () => {
    const runtimes = [someRuntime("%1", { agentSessionId: "before" })];
    expect(place(runtimes, { "rt_%1": at("/home/dev") }).kind).toBe("pending");
    expect(place(runtimes, { "rt_%1": at("/home/dev", `› ${PROMPT}`) })).toEqual(toPane("%1"));
  });

  it.each([
    ["both show it", PROMPT, PROMPT, PROMPT],
    ["none shows it", "a", "b", PROMPT],
    ["it is too short", "› go on now", "", "go on now"],
  ])("waits where %s", (_what, first, second, promptText) => {
    const runtimes = [someRuntime("%1"), someRuntime("%2")];
    const where = { "rt_%1": at("/home/dev", first), "rt_%2": at("/home/dev", second) };
    expect(place(runtimes, where, { promptText }).kind).toBe("pending");
  });

  it("waits until every candidate's screen was read after the prompt had time to appear", () => {
    const runtimes = [someRuntime("%1"), someRuntime("%2")];
    const early = { "rt_%1": at("/home/dev", PROMPT, NOW + 10), "rt_%2": at("/home/dev", "x", NOW + 10) };
    expect(place(runtimes, early).kind).toBe("pending");
    expect(place(runtimes, { "rt_%1": at("/home/dev", PROMPT), "rt_%2": at("/home/dev") }).kind).toBe(
      "pending",
    );
  });

  it("is dropped when its session's runtime has ended, though another one is in the folder", () => {
    const ended = someRuntime("%1", { agentSessionId: "s1", endedAt: NOW - 10_000 });
    const where = { "rt_%2": at("/home/dev") };
    const dropped = { kind: "dropped", reason: "older_runtime" };
    expect(place([ended, someRuntime("%2")], where, { promptText: null })).toEqual(dropped);
    expect(
      place([{ ...ended, endedAt: NOW + 500 }, someRuntime("%2")], where),
      "prompted before the end",
    ).toEqual(dropped);
    expect(place([ended, someRuntime("%2")], where), "resumed").toEqual(toPane("%2"));
  });

  it("of a runtime that was killed before its session was known goes to no other in its folder", () => {
    const killed = someRuntime("%1", { endedAt: NOW + 300 });
    const where = { "rt_%2": at("/home/dev", `› ${PROMPT}`), "rt_%3": at("/home/dev") };
    // It began after the event, by less than start times may be wrong.
    const next = someRuntime("%2", { processStartedAt: NOW + 500 });
    expect(place([killed, next], where).kind).toBe("pending");
    // It was there already, and may have been prompted itself: its screen says so.
    expect(place([killed, someRuntime("%3")], where).kind).toBe("pending");
    expect(place([killed, someRuntime("%2")], where)).toEqual(toPane("%2"));
    // Others that ended are nothing to it.
    const before = someRuntime("%1", { endedAt: NOW - 1 });
    expect(place([before, someRuntime("%3")], where)).toEqual(toPane("%3"));
  });

  it("never goes to a process that began after it, to another target or to another agent", () => {
    const where = { "rt_%1": at("/home/dev", PROMPT) };
    for (const more of [{ processStartedAt: NOW + 5_000 }, { targetId: "vm" }, { agentType: "claude" }])
      expect(place([someRuntime("%1", more)], where).kind).toBe("pending");
  });

  it("is never given to another of two in the same folder, whatever is known of them", () => {
    const session = fc.constantFrom(null, "sA", "sB");
    const screen = fc.constantFrom(null, "› nothing", `› ${PROMPT}`);
    fc.assert(
      fc.property(
        fc.record({ sessionA: session, sessionB: session, screenB: screen, isShown: fc.boolean() }),
        fc.boolean(),
        fc.option(fc.constantFrom("%1", "%2", "%99"), { nil: null }),
        ({ sessionA, sessionB, screenB, isShown }, isPrompt, paneId) => {
          // The event is A's own; A's screen shows its prompt or not yet, B's shows what it shows.
          fc.pre(sessionB !== "sA" && !(screenB?.includes(PROMPT) === true && !isShown));
          const runtimes = [
            someRuntime("%1", { agentSessionId: sessionA }),
            someRuntime("%2", { agentSessionId: sessionB }),
          ];
          const where = {
            "rt_%1": at("/home/dev", isShown ? `› ${PROMPT}` : "› typing"),
            "rt_%2": at("/home/dev", screenB),
          };
          const placed = place(runtimes, where, {
            sessionId: "sA",
            promptText: isPrompt ? PROMPT : null,
            envelope: fromServer({ paneId }),
          });
          expect(placed).not.toEqual(toPane("%2"));
        },
      ),
    );
  });
});

describe("an agent that is known by its screen alone", () => {
  const inside = someRuntime("%1", { inside: "ssh", pid: 21_841, agentSessionId: "s1" });

  it("gets no event that was placed by process, session, folder or prompt", () => {
    const where = { "rt_%1": at("/home/dev", PROMPT) };
    expect(place([inside], where).kind).toBe("pending");
  });

  it("gets no event that names its pane", () => {
    const server = { server: "default", socketPath: "/tmp/s", pid: 7, startedAt: 0 };
    const envelope = fromServer({ tmuxSocket: "/tmp/s", paneId: "%1" });
    const bound = (one: Runtime): string =>
      bindEvent({
        envelope,
        sessionId: "s1",
        targetId: "host",
        beginsSession: false,
        servers: [server],
        runtimes: [one],
      }).kind;
    expect([bound({ ...inside, inside: null }), bound(inside)]).toEqual(["bound", "pending"]);
  });
});

describe("beside sessions that no pane shows, all of which the background server runs", () => {
  const inBackground = (session: string, more: Partial<Runtime> = {}): Runtime =>
    someRuntime("%0", {
      server: "background",
      paneId: `bg-${session}`,
      runtimeId: `rt_${session}`,
      pid: 21_841,
      agentSessionId: session,
      ...more,
    });
  const both = [inBackground("b1"), inBackground("b2")];
  const bound = (runtimeId: string) => ({ kind: "bound", runtimeId });

  it("goes to the one of its session, never to another because of their common process", () => {
    expect(place(both, {}, { sessionId: "b2", promptText: null })).toEqual(bound("rt_b2"));
    expect(place(both, {}, { sessionId: "s1", promptText: null }).kind).toBe("pending");
    expect(place([inBackground("b1")], {}, { sessionId: "s1", promptText: null }).kind).toBe("pending");
    expect(place(both, {}, { sessionId: null }).kind).toBe("pending");
  });

  it("finds its pane by folder and prompt as without them: they have no screen to wait for", () => {
    const folder = { rt_b1: at("/home/dev"), rt_b2: at("/home/dev") };
    expect(place([...both, someRuntime("%1")], { ...folder, "rt_%1": at("/home/dev") })).toEqual(
      toPane("%1"),
    );
    const where = { ...folder, "rt_%1": at("/home/dev", `› ${PROMPT}`), "rt_%2": at("/home/dev", "a") };
    expect(place([...both, someRuntime("%1"), someRuntime("%2")], where)).toEqual(toPane("%1"));
  });

  describe("that goes on in a terminal in which somebody chose it", () => {
    const prompt = { sessionId: "b1" };
    const shown = at("/elsewhere", `› ${PROMPT}`);
    const early = NOW + PROMPT_DRAWN_MS - 1;

    it("is that terminal's, once that alone of those without a session shows its prompt", () => {
      const runtimes = [...both, someRuntime("%1"), someRuntime("%2")];
      expect(place(runtimes, { "rt_%1": shown, "rt_%2": at("/home/dev", "a") }, prompt)).toEqual(
        toPane("%1"),
      );
      expect(
        place(runtimes, { "rt_%1": shown, "rt_%2": at("/home/dev", "a", early) }, prompt).kind,
        "not read since",
      ).toBe("pending");
      const unread = { "rt_%1": shown, "rt_%2": at("/home/dev") };
      expect(place(runtimes, unread, { ...prompt, waitedMs: 4_999 }).kind).toBe("pending");
      expect(place(runtimes, unread, { ...prompt, waitedMs: 5_000 }), "never read").toEqual(bound("rt_b1"));
    });

    it.each([
      ["shows it", [someRuntime("%1")], { "rt_%1": at("/home/dev", "a") }, {}],
      [
        "alone shows it",
        [someRuntime("%1"), someRuntime("%2")],
        { "rt_%1": shown, "rt_%2": at(null, PROMPT) },
        {},
      ],
      [
        "of those without a session of their own shows it",
        [someRuntime("%1", { agentSessionId: "s2" })],
        { "rt_%1": shown },
        {},
      ],
      ["of its machine shows it", [someRuntime("%1", { targetId: "vm" })], { "rt_%1": shown }, {}],
      ["of its agent shows it", [someRuntime("%1", { agentType: "opencode" })], { "rt_%1": shown }, {}],
      [
        "that was there shows it",
        [someRuntime("%1", { processStartedAt: NOW + 5_000 })],
        { "rt_%1": shown },
        {},
      ],
      [
        "can be told by so short a prompt",
        [someRuntime("%1")],
        { "rt_%1": at(null, "go on") },
        { promptText: "go on" },
      ],
      ["is told by what is no prompt", [someRuntime("%1")], { "rt_%1": shown }, { promptText: null }],
    ] as const)("stays its own where no terminal %s", (_what, terminals, where, more) => {
      expect(place([...both, ...terminals], where, { ...prompt, ...more })).toEqual(bound("rt_b1"));
    });
  });

  it("waits for the row of its session where that may go on without its pane, which has gone", () => {
    const ended = someRuntime("%1", { agentSessionId: "s1", endedAt: NOW - 300 });
    const asked = { promptText: null, outlivesPane: true };
    expect(place([ended], {}, asked).kind).toBe("pending");
    expect(place([{ ...ended, endedAt: NOW + 300 }], {}, asked).kind, "told before the end").toBe("pending");
    expect(place([ended, someRuntime("%2")], { "rt_%2": at("/home/dev") }, asked).kind).toBe("pending");
    expect(place([ended, inBackground("s1")], {}, asked)).toEqual(bound("rt_s1"));
  });
});
