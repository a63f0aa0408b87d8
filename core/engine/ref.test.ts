import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AgtmuxError } from "../model/errors.ts";
import { formatPaneRef, parseRef, resolveRef, type RefSubject } from "./ref.ts";

const subject = (more: Partial<RefSubject> = {}): RefSubject => ({
  target: "host",
  server: "default",
  links: [{ sessionName: "main", windowIndex: 0 }],
  windowId: "@1",
  paneId: "%3",
  paneIndex: 1,
  runtimeId: "rt_1",
  ...more,
});
const codeOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof AgtmuxError) return error.code;
    throw error;
  }
  return "none";
};

describe("references", () => {
  it("round-trip for any session name and server", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 1 }),
        fc.constantFrom("default", "work", "a.b-c_1"),
        (sessionName, server) => {
          const ref = formatPaneRef({ target: "host", server, sessionName, windowId: "@12", paneId: "%345" });
          expect(parseRef(ref)).toEqual({
            kind: "pane",
            target: "host",
            server,
            session: sessionName,
            window: "@12",
            pane: "%345",
          });
          expect(ref).toMatch(/^[\w:/@%.~*'()-]+$/);
        },
      ),
    );
  });

  it("find the pane by ids, by indexes, by another session of its group and by runtime", () => {
    const main = { sessionName: "main", windowIndex: 0 };
    const all = [
      subject({ links: [main, { sessionName: "twin", windowIndex: 0 }] }),
      subject({
        windowId: "@2",
        links: [{ sessionName: "main", windowIndex: 1 }],
        paneId: "%4",
        runtimeId: null,
      }),
    ];
    for (const ref of ["pane:host/main/@1/%3", "pane:host/main/0/1", "pane:host/twin/@1/%3", "runtime:rt_1"])
      expect(resolveRef(ref, all).paneId).toBe("%3");
  });

  it("take an index only in the session that it is of", () => {
    const links = [
      { sessionName: "other", windowIndex: 7 },
      { sessionName: "work", windowIndex: 0 },
      { sessionName: "work", windowIndex: 5 },
    ];
    const all = [subject({ links })];
    for (const place of ["other/7", "work/0", "work/5", "work/@1"])
      expect(resolveRef(`pane:host/${place}/1`, all).paneId).toBe("%3");
    for (const place of ["work/7", "other/0", "other/5"])
      expect(codeOf(() => resolveRef(`pane:host/${place}/1`, all))).toBe("E_REF_NOT_FOUND");
  });

  it("never guess: nothing found, several found, another server", () => {
    const all = [subject(), subject({ windowId: "@9", paneId: "%9" })];
    expect(codeOf(() => resolveRef("pane:host/main/0/1", all))).toBe("E_REF_AMBIGUOUS");
    expect(codeOf(() => resolveRef("pane:host/other/0/1", all))).toBe("E_REF_NOT_FOUND");
    expect(codeOf(() => resolveRef("pane:host:work/main/@1/%3", all))).toBe("E_REF_NOT_FOUND");
  });

  it("that are malformed are refused with E_REF_INVALID, whatever they contain", () => {
    for (const text of [
      "",
      "host/main/0/1",
      "pane:host/main/0",
      "pane:ho st/m/0/1",
      "pane:host/%zz/0/1",
      "pane:host/m/x/1",
      "pane:host//0/1",
      "runtime:",
      "runtime:a;b",
      "pane:host:a:b/m/0/1",
    ])
      expect(codeOf(() => parseRef(text))).toBe("E_REF_INVALID");
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(["none", "E_REF_INVALID"]).toContain(codeOf(() => parseRef(text)));
      }),
    );
  });
});
