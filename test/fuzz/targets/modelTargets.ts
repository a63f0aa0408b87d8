// References, the window's own choices, and the texts that are cleaned of secrets.
import * as fc from "fast-check";
import { formatPaneRef, parseRef, resolveRef } from "../../../core/engine/ref.ts";
import { redactText } from "../../../core/store/redact.ts";
import { prefsSchema, readPrefs } from "../../../main/readPrefs.ts";
import { appearanceSchema } from "../../../renderer/state/stored.ts";
import { hold, holdLine, orRefused } from "../expectations.ts";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";
import { mutatedValue } from "../mutateJson.ts";
import { hostileText, mutatedText } from "../mutateText.ts";

const REFS = ["pane:host/work/@1/%3", "pane:box:other/a%20b/2/1", "runtime:rt_1", "pane:host/%25/@1/%3"];
const refTarget = defineTarget({
  name: "reference/parsed",
  weight: 2,
  open: () => ({
    arbitrary: fc.oneof(
      { weight: 3, arbitrary: mutatedText(REFS, 3) },
      { weight: 1, arbitrary: hostileText },
    ),
    check: (text) => {
      const ref = orRefused(() => parseRef(text));
      if (ref?.kind === "runtime") hold(text === `runtime:${ref.runtimeId}`, "another runtime");
      const found = orRefused(() => resolveRef(text, []));
      hold(found === null, "found among nothing");
    },
  }),
});

const namedRefTarget = defineTarget({
  name: "reference/printed and parsed",
  weight: 2,
  open: () => ({
    arbitrary: fc.record({
      target: fc.constantFrom("host", "box", "a.b-c_1"),
      server: fc.constantFrom("default", "other", "x.y"),
      // As the listing hands names over: whole characters, none of control.
      sessionName: hostileText
        .map((text) => text.replace(/\p{Cc}/gu, "").toWellFormed())
        .filter((name) => name !== ""),
      windowId: fc.nat(999_999_999).map((id) => `@${id}`),
      paneId: fc.nat(999_999_999).map((id) => `%${id}`),
    }),
    check: (subject) => {
      const text = formatPaneRef(subject);
      hold(/^[!-~]+$/.test(text), "a reference that is not of printable characters");
      const ref = parseRef(text);
      hold(
        ref.kind === "pane" &&
          ref.target === subject.target &&
          ref.server === subject.server &&
          ref.session === subject.sessionName &&
          ref.window === subject.windowId &&
          ref.pane === subject.paneId,
        `another pane: ${text}`,
      );
      const row = {
        ...subject,
        links: [{ sessionName: subject.sessionName, windowIndex: 0 }],
        paneIndex: 0,
        runtimeId: null,
      };
      hold(resolveRef(text, [row]) === row, "not found");
    },
  }),
});

const prefsTarget = defineTarget({
  name: "window choices",
  open: () => ({
    arbitrary: mutatedValue([
      { popoverHeight: 600, terminal: { kind: "known", id: "kitty" }, shortcut: "Control+Alt+A" },
      { terminal: { kind: "command", argv: ["xterm", "-e", "{}"] }, shortcut: null },
      { theme: "dark", textSize: 115 },
    ]),
    check: (value) => {
      const prefs = readPrefs(value, "linux");
      prefsSchema.parse(prefs);
      if (prefs.terminal.kind === "command")
        for (const word of prefs.terminal.argv) holdLine(word, 1_000, "a word");
      appearanceSchema.safeParse(value);
    },
  }),
});

const SECRETS = [
  "export API_KEY=sk-abcdefghijklmnopqrstuvwxyz0123456789",
  "Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x",
  "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----",
  "https://user:hunter2secret@example.org/x",
  "curl -u me:longpassword https://x",
  'password = "correct horse"',
];
const redactTarget = defineTarget({
  name: "secrets in texts",
  weight: 2,
  open: () => ({
    arbitrary: fc.tuple(mutatedText(SECRETS, 5), fc.constantFrom(40, 200, 500, 8_000)),
    check: ([text, max]) => {
      const once = redactText(text, max);
      hold(once.length <= max, `${once.length} characters`);
      hold(!redactText(`x ${SECRETS[0]} x`, 4_000).includes("abcdefgh"), "a secret is kept");
      hold(redactText(once, max).length <= max, "more the second time");
    },
  }),
});

export const modelTargets = (): FuzzTarget[] => [refTarget, namedRefTarget, prefsTarget, redactTarget];
