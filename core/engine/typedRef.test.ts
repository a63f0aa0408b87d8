import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AgtmuxError } from "../model/errors.ts";
import { formatShortRef } from "../model/shortRef.ts";
import { type TypedSubject, resolveTyped, type TypedFrom, type TypedAmong } from "./typedRef.ts";

const OUTSIDE: TypedFrom = { kind: "outside" };

/** A pane of `work:0 (main)` on this machine's default server, unless said otherwise. */
const subject = (more: Partial<TypedSubject> & { session?: string; index?: number } = {}): TypedSubject => {
  const { session = "work", index = 0, ...rest } = more;
  return {
    target: "host",
    server: "default",
    links: [{ sessionId: `$${session}`, sessionName: session, windowIndex: index }],
    windowId: `@${index}`,
    windowName: "main",
    paneId: "%0",
    paneIndex: 0,
    isAgent: true,
    ...rest,
  };
};

const outcome = (
  text: string,
  subjects: readonly TypedSubject[],
  { from = OUTSIDE, targets = ["host", "vm1"] }: Partial<Omit<TypedAmong<TypedSubject>, "subjects">> = {},
): string => {
  try {
    return formatShortRef(resolveTyped(text, { targets, from, subjects }));
  } catch (error) {
    if (error instanceof AgtmuxError) return error.code;
    throw error;
  }
};

describe("a typed reference", () => {
  it("takes a window by its index before its name, as tmux does", () => {
    const all = [
      subject({ index: 1, windowId: "@1", paneId: "%1", windowName: "a" }),
      subject({ index: 2, windowId: "@2", paneId: "%2", windowName: "1" }),
    ];
    expect(outcome("work:1", all)).toBe("host/%1");
    expect(outcome("work:2", all)).toBe("host/%2");
    expect(outcome("work:1", all.slice(1))).toBe("host/%2");
    // A bare number is a session's name and nothing else.
    expect(outcome("1", all)).toBe("E_REF_NOT_FOUND");
    expect(
      outcome("7", [subject({ session: "7" }), subject({ windowName: "7", windowId: "@9", paneId: "%9" })]),
    ).toBe("host/%0");
  });

  it("reaches a window whose name has a dot, unless tmux would read another window", () => {
    const dotted = subject({ windowName: "main.ts", windowId: "@5", paneId: "%5", index: 5 });
    expect([outcome("main.ts", [dotted]), outcome("work:main.ts", [dotted])]).toEqual(["host/%5", "host/%5"]);
    expect(outcome("work:main.ts.0", [dotted])).toBe("host/%5");
    for (const text of ["main.ts", "work:main.ts", "work:main.ts.0"])
      expect([text, outcome(text, [dotted, subject()])]).toEqual([text, "E_REF_AMBIGUOUS"]);
    const numbered = subject({ windowName: "main.0", windowId: "@5", paneId: "%5", index: 5 });
    expect(outcome("work:main.0", [numbered])).toBe("host/%5");
    expect(outcome("work:main.0", [numbered, subject()])).toBe("E_REF_AMBIGUOUS");
    expect(outcome("main.0", [numbered])).toBe("E_REF_INVALID");
  });

  it("reaches a window whose name begins with a dot, beside one without a name", () => {
    const hidden = subject({ windowName: ".env", windowId: "@5", paneId: "%5", index: 5 });
    const nameless = subject({ windowName: "", windowId: "@6", paneId: "%6", index: 6 });
    expect(outcome(".env", [hidden, nameless])).toBe("host/%5");
  });

  it("is not taken for another machine's while its own does not answer", () => {
    const named = subject({ session: "vm1/api" });
    // The machine is known and shows nothing just now: only the name would be found.
    expect(outcome("vm1/api", [named])).toBe("E_REF_AMBIGUOUS");
    expect(outcome("vm1/api", [named], { targets: ["host"] })).toBe("host/%0");
    expect(outcome("host/vm1/api", [named])).toBe("host/%0");
  });

  it("names a machine's default server like the long form, and lists what is on its others", () => {
    const all = [subject(), subject({ server: "work" }), subject({ target: "vm1", server: "work" })];
    expect(outcome("host/%0", all)).toBe("host/%0");
    expect(outcome("host:work/%0", all)).toBe("host:work/%0");
    expect(outcome("vm1:work/work", all)).toBe("vm1:work/%0");
    expect(() =>
      resolveTyped("vm1/work", { targets: ["host", "vm1"], from: OUTSIDE, subjects: all }),
    ).toThrow(expect.objectContaining({ code: "E_REF_NOT_FOUND", details: ["vm1:work/%0 in work:0.0"] }));
    const within: TypedFrom = { kind: "inside", target: "host", server: "work", paneId: null };
    expect(outcome("%0", all, { from: within })).toBe("host:work/%0");
    expect(outcome("host/%0", all, { from: within })).toBe("host/%0");
  });

  it("of a pane that is gone is its id alone", () => {
    const gone = subject({ links: [], windowId: "", windowName: "" });
    expect(outcome("%0", [gone])).toBe("host/%0");
    for (const text of ["@0", "work", "main", "work:0", "=x"])
      expect([text, outcome(text, [gone])]).toEqual([text, "E_REF_NOT_FOUND"]);
  });

  it("says what was there where a name has no agent", () => {
    const resolve = (): unknown =>
      resolveTyped("work", { targets: ["host"], from: OUTSIDE, subjects: [subject({ isAgent: false })] });
    expect(resolve).toThrow(
      expect.objectContaining({
        code: "E_REF_NOT_FOUND",
        message: "no agent is in 'work'",
        details: ["host/%0 in work:0.0, no agent"],
      }),
    );
  });

  it("that means something else from moment to moment is refused", () => {
    const sessions = ["!", "^", "$", "~", "+", "-", "-1", "+2", "{last}"].map((session) =>
      subject({ session }),
    );
    for (const text of ["!", "^", "~", "+", "-1", "{last}", "work:!", "work:+1", "work:{last}", "work:!.0"])
      expect([text, outcome(text, sessions)]).toEqual([text, "E_REF_INVALID"]);
    // With tmux's sign it is a name, as it is to tmux.
    const named = [subject({ windowName: "!" })];
    expect([outcome("work:=!", named), outcome("work:=!.0", named), outcome("=!", named)]).toEqual(
      named.flatMap(() => ["host/%0", "host/%0", "host/%0"]),
    );
    for (const text of [":0", "work:", "work:.1", "work:0.", "0.1", "=", "=:0", "host/.", "host/"])
      expect([text, outcome(text, [subject()])]).toEqual([text, "E_REF_INVALID"]);
  });
});

/** The words of texts and names are few, so that much fits. */
const word = fc.constantFrom("a", "b", "1", "a.1", "a/b", "host", "vm1", "=a", "%1", "@1", "$a", "main");
const anySubject = fc
  .record({
    target: fc.constantFrom("host", "vm1"),
    server: fc.constantFrom("default", "b"),
    session: word,
    index: fc.nat(2),
    windowName: word,
    pane: fc.nat(2),
    isAgent: fc.boolean(),
  })
  .map(({ session, index, pane, ...rest }) =>
    subject({
      ...rest,
      session,
      index,
      windowId: `@${session}${index}`,
      paneId: `%${session.length}${index}${pane}`,
      paneIndex: pane,
    }),
  );
const text = fc.oneof(
  word,
  fc.tuple(word, word).map(([a, b]) => `${a}:${b}`),
  fc.tuple(word, word, fc.constantFrom("0", "1", "%1")).map(([a, b, c]) => `${a}:${b}.${c}`),
);
/** A text about one of the panes, or about none; `subjects`: 1 to 4. */
const among = fc
  .record({
    subjects: fc.array(anySubject, { minLength: 1, maxLength: 4 }),
    isAbout: fc.boolean(),
    form: fc.constantFrom("s", "w", "s:w", "s:w.p", "s:i.p", "%"),
    text,
    prefix: fc.constantFrom("", "", "", "host/", "vm1/", "host:b/", "x/"),
  })
  .map(({ subjects, isAbout, form, text: other, prefix }) => {
    const [one] = subjects;
    const parts: Readonly<Record<string, string>> = {
      s: one?.links[0]?.sessionName ?? "",
      w: one?.windowName ?? "",
      i: String(one?.links[0]?.windowIndex ?? 0),
      p: String(one?.paneIndex ?? 0),
      "%": one?.paneId ?? "",
    };
    const about = form.replaceAll(/[swip%]/g, (part) => parts[part] ?? "");
    return { subjects, typed: prefix + (isAbout ? about : other) };
  });

describe("whatever is there and whatever is typed", () => {
  it("a reference hits a pane that has every word of it, or nothing", () => {
    let hits = 0;
    fc.assert(
      fc.property(among, ({ subjects, typed }) => {
        const hit = outcome(typed, subjects);
        if (hit.startsWith("E_")) return;
        hits += 1;
        const found = subjects.filter((one) => formatShortRef(one) === hit);
        const places = found.flatMap((one) => {
          const [link] = one.links;
          const { sessionName = "", windowIndex = 0 } = link ?? {};
          const sessions = [sessionName, `=${sessionName}`, ...(sessionName === "a" ? ["$a"] : [])];
          const windows = [one.windowName, `=${one.windowName}`, String(windowIndex), one.windowId];
          const within = windows.flatMap((w) => [w, `${w}.${one.paneIndex}`, `${w}.${one.paneId}`]);
          const own = [
            one.paneId,
            ...sessions,
            ...windows,
            ...sessions.flatMap((s) => within.map((w) => `${s}:${w}`)),
          ];
          const machine = one.server === "default" ? one.target : `${one.target}:${one.server}`;
          return [...own, ...own.map((name) => `${machine}/${name}`)];
        });
        expect(places).toContain(typed);
      }),
      { numRuns: 3_000 },
    );
    expect(hits).toBeGreaterThan(300);
  });

  it("what more is there never moves a reference to another pane", () => {
    let hits = 0;
    fc.assert(
      fc.property(among, fc.array(anySubject, { maxLength: 3 }), ({ subjects, typed }, more) => {
        const [before, after] = [outcome(typed, subjects), outcome(typed, [...subjects, ...more])];
        if (before.startsWith("E_") || after.startsWith("E_")) return;
        hits += 1;
        // Only tmux's own rule, the index before the name, prefers something new.
        if (before !== after) expect(typed).toMatch(/:=?\d/);
      }),
      { numRuns: 3_000 },
    );
    expect(hits).toBeGreaterThan(300);
  });

  it("any text is a pane or a refusal that says why", () => {
    fc.assert(
      fc.property(fc.array(anySubject, { maxLength: 3 }), fc.string(), (subjects, typed) => {
        expect(outcome(typed, subjects)).toMatch(/^(host|vm1)|^E_REF_(INVALID|NOT_FOUND|AMBIGUOUS)$/);
      }),
    );
  });
});
