// The references that people type (docs/adr/0017), as text: what a text can mean, as tmux reads it. Which of the meanings
// exists is not known here.
import { AgtmuxError } from "../model/errors.ts";

/** `session` and `window` are names, ids (`$1`, `@1`) or, for a window, its index in that session. */
export type TypedForm =
  | { kind: "here" }
  | { kind: "pane"; paneId: string }
  | { kind: "window"; windowId: string }
  | { kind: "session"; session: string }
  | { kind: "windowName"; name: string }
  | { kind: "windowOf"; session: string; window: string }
  | { kind: "paneOf"; session: string; window: string; pane: string }
  /** tmux takes what stands before the first dot for a window: where there is such a window, it is what the text is about. */
  | { kind: "beforeDot"; session: string | null; window: string };

const FORMS = "'%12', 'session:window.pane', 'session:window', a session's or a window's name, or '.'";

const invalid = (text: string, why: string): AgtmuxError =>
  new AgtmuxError("E_REF_INVALID", `'${text.slice(0, 200)}' is not a reference: ${why}`, {
    remedy: `Type ${FORMS}; 'agtmux help references' has them all.`,
  });

/** tmux's words for "the last", "the next", "the marked": whatever they mean now, a moment later it is something else. */
const RELATIVE = /^(?:[!^$~]|[+-]\d*)$/;
const BRACED = /^\{.*\}$/s;

/** tmux's sign for "this name and no other", which is how every name is read here. What it stands before is never relative. */
const hasSign = (name: string): boolean => name.startsWith("=");
const withoutSign = (name: string): string => (hasSign(name) ? name.slice(1) : name);

const checkName = (
  text: string,
  name: string,
  { what, isSigned }: { what: string; isSigned: boolean },
): string => {
  if (name === "") throw invalid(text, `${what} is empty`);
  if (BRACED.test(name) || (!isSigned && RELATIVE.test(name)))
    throw invalid(text, `'${name}' means something else from moment to moment`);
  return name;
};

const formsOfName = (text: string): TypedForm[] => {
  if (text === ".") return [{ kind: "here" }];
  if (/^%\d{1,9}$/.test(text)) return [{ kind: "pane", paneId: text }];
  if (/^@\d{1,9}$/.test(text)) return [{ kind: "window", windowId: text }];
  if (/^\$\d{1,9}$/.test(text)) return [{ kind: "session", session: text }];
  const name = checkName(text, withoutSign(text), { what: "the name", isSigned: hasSign(text) });
  if (/\.(?:%?\d+)?$/.test(name)) throw invalid(text, "a pane of a window is 'session:window.pane'");
  // tmux takes a bare number for a session, or for an index of the window that is in front just now.
  if (/^\d+$/.test(name)) return [{ kind: "session", session: name }];
  const dot = name.indexOf(".");
  return [
    { kind: "session", session: name },
    { kind: "windowName", name },
    ...(dot > 0 ? [{ kind: "beforeDot" as const, session: null, window: name.slice(0, dot) }] : []),
  ];
};

const formsOfPlace = (text: string, session: string, written: string): TypedForm[] => {
  const place = withoutSign(written);
  const check = (name: string): string =>
    checkName(text, name, { what: "the window", isSigned: hasSign(written) });
  const first = place.indexOf(".");
  const last = place.lastIndexOf(".");
  if (first === -1) return [{ kind: "windowOf", session, window: check(place) }];
  const beforeDot = check(place.slice(0, first));
  const [window, pane] = [check(place.slice(0, last)), place.slice(last + 1)];
  if (pane === "") throw invalid(text, "the pane is empty");
  return [
    { kind: "windowOf", session, window: place },
    ...(/^%?\d{1,9}$/.test(pane) ? [{ kind: "paneOf" as const, session, window, pane }] : []),
    { kind: "beforeDot", session, window: beforeDot },
  ];
};

/** Everything that the text can mean. Throws E_REF_INVALID, which says what is wrong and what can be typed. */
export const typedForms = (text: string): TypedForm[] => {
  const colon = text.indexOf(":");
  if (colon === -1) return formsOfName(text);
  const session = withoutSign(text.slice(0, colon));
  if (session === "") throw invalid(text, "the session is empty");
  return formsOfPlace(text, session, text.slice(colon + 1));
};
