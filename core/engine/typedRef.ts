// Which pane a typed reference means (docs/adr/0017): what the text can mean, what it finds among the panes, and the one pane on
// which all findings agree. It never guesses: two meanings are refused with what they mean. References of scripts: ref.ts.
import { AgtmuxError } from "../model/errors.ts";
import type { WindowLink } from "./ref.ts";
import { refNameSchema } from "../model/runtime.ts";
import {
  BACKGROUND_SERVER,
  backgroundIdOf,
  DEFAULT_SERVER,
  formatShortRef,
  formatTarget,
} from "../model/shortRef.ts";

// Forms: what a text can mean, as tmux reads it, whether or not that exists.

/** `session` and `window` are names, ids (`$1`, `@1`) or, for a window, its index in that session. */
type TypedForm =
  | { kind: "here" }
  | { kind: "pane"; paneId: string }
  | { kind: "window"; windowId: string }
  | { kind: "session"; session: string }
  | { kind: "windowName"; name: string }
  | { kind: "windowOf"; session: string; window: string }
  | { kind: "paneOf"; session: string; window: string; pane: string }
  /** tmux takes what stands before the first dot for a window: where there is such a window, the text means it. */
  | { kind: "beforeDot"; session: string | null; window: string };

const FORMS = "'%12', 'session:window.pane', 'session:window', a session's or a window's name, or '.'";

const invalid = (text: string, why: string): AgtmuxError =>
  new AgtmuxError("E_REF_INVALID", `'${text.slice(0, 200)}' is not a reference: ${why}`, {
    remedy: `Type ${FORMS}; 'agtmux help references' has them all.`,
  });

/** tmux's words for "the last", "the next", "the marked": a moment later they mean something else. */
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
  if (backgroundIdOf(text) !== null)
    return [
      { kind: "pane", paneId: text },
      { kind: "session", session: text },
      { kind: "windowName", name: text },
    ];
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
const typedForms = (text: string): TypedForm[] => {
  const colon = text.indexOf(":");
  if (colon === -1) return formsOfName(text);
  const session = withoutSign(text.slice(0, colon));
  if (session === "") throw invalid(text, "the session is empty");
  return formsOfPlace(text, session, text.slice(colon + 1));
};

// Findings: every session, window and pane that the text can mean, as tmux would find them.

export interface TypedSubject {
  target: string;
  server: string;
  /** Everywhere its window is shown; empty where only its id is left, such as that of a crashed agent's pane. */
  links: readonly (WindowLink & { sessionId: string })[];
  windowId: string;
  windowName: string;
  paneId: string;
  paneIndex: number;
  isAgent: boolean;
}

/** Something that the text can mean: a session, a window or a pane. */
interface Thing<S> {
  panes: readonly S[];
  /** A session and a window mean their agent; a pane means itself. */
  fits: readonly S[];
}

const ofGroup = <S extends TypedSubject>(panes: readonly S[]): Thing<S> => ({
  panes,
  fits: panes.filter(({ isAgent }) => isAgent),
});

/** A pane at one of the places where a session shows it. */
interface Placed<S> {
  pane: S;
  link: TypedSubject["links"][number];
}

const keyOf = ({ target, server }: TypedSubject, id: string): string => JSON.stringify([target, server, id]);

const windowsOf = <S extends TypedSubject>(panes: readonly S[]): S[][] => [
  ...Map.groupBy(new Set(panes), (pane) => keyOf(pane, pane.windowId)).values(),
];

/** The places of each session that the text names by its id, which begins with `$` as in tmux, or by its name; null: of all. */
const sessionsNamed = <S extends TypedSubject>(
  panes: readonly S[],
  session: string | null,
): Placed<S>[][] => {
  const key = session?.startsWith("$") === true ? "sessionId" : "sessionName";
  const places = panes.flatMap((pane) =>
    pane.links.flatMap((link) => (session === null || link[key] === session ? [{ pane, link }] : [])),
  );
  return [...Map.groupBy(places, ({ pane, link }) => keyOf(pane, link.sessionId)).values()];
};

/** The windows of one session that the text names by id, else by index, else by name: tmux's own order. */
const windowsNamed = <S extends TypedSubject>(places: readonly Placed<S>[], window: string): S[][] => {
  const panesWhere = (isIt: (place: Placed<S>) => boolean): S[] =>
    places.filter(isIt).map(({ pane }) => pane);
  if (window.startsWith("@")) return windowsOf(panesWhere(({ pane }) => pane.windowId === window));
  const byIndex = /^\d+$/.test(window) ? panesWhere(({ link }) => link.windowIndex === Number(window)) : [];
  return windowsOf(byIndex.length > 0 ? byIndex : panesWhere(({ pane }) => pane.windowName === window));
};

const windowsIn = <S extends TypedSubject>(
  panes: readonly S[],
  session: string | null,
  window: string,
): S[][] => sessionsNamed(panes, session).flatMap((places) => windowsNamed(places, window));

const thingsOf = <S extends TypedSubject>(
  form: TypedForm,
  panes: readonly S[],
  here: string | null,
): Thing<S>[] => {
  const panesWhere = (isIt: (pane: S) => boolean): Thing<S>[] =>
    panes.filter(isIt).map((pane) => ({ panes: [pane], fits: [pane] }));
  switch (form.kind) {
    case "here":
      return panesWhere(({ paneId }) => paneId === here);
    case "pane":
      return panesWhere(({ paneId }) => paneId === form.paneId);
    case "window":
      return windowsOf(panes.filter(({ windowId }) => windowId === form.windowId)).map(ofGroup);
    case "windowName":
      return windowsOf(panes.filter(({ windowName }) => windowName === form.name)).map(ofGroup);
    case "session":
      return sessionsNamed(panes, form.session).map((places) => ofGroup(places.map(({ pane }) => pane)));
    case "windowOf":
      return windowsIn(panes, form.session, form.window).map(ofGroup);
    case "paneOf": {
      const { pane: wanted } = form;
      const inWindow = new Set(windowsIn(panes, form.session, form.window).flat());
      const isIt = ({ paneId, paneIndex }: S): boolean =>
        wanted.startsWith("%") ? paneId === wanted : paneIndex === Number(wanted);
      return panesWhere((pane) => inWindow.has(pane) && isIt(pane));
    }
    case "beforeDot":
      return windowsIn(panes, form.session, form.window).map((window) => ({ panes: window, fits: [] }));
  }
};

/** Throws E_REF_INVALID. `here`: the pane that `.` means. */
const meaningsOf = <S extends TypedSubject>(
  text: string,
  panes: readonly S[],
  here: string | null,
): Thing<S>[] => typedForms(text).flatMap((form) => thingsOf(form, panes, here));

// Resolution: the one pane that is meant.

/** Where the text was typed. `elsewhere`: in a tmux server that nothing is known of. */
export type TypedFrom =
  | { kind: "outside" }
  | { kind: "elsewhere" }
  | { kind: "inside"; target: string; server: string; paneId: string | null };

export interface TypedAmong<S extends TypedSubject> {
  /** The names of all targets, connected or not. */
  targets: readonly string[];
  from: TypedFrom;
  subjects: readonly S[];
}

type Server = Pick<TypedSubject, "target" | "server">;
/** Sessions that no pane shows belong to the machine, whichever tmux server is named. */
const isOn =
  ({ target, server }: Server) =>
  (subject: TypedSubject): boolean =>
    subject.target === target && (subject.server === server || subject.server === BACKGROUND_SERVER);

const quote = (text: string): string => `'${text.slice(0, 200)}'`;

/** At most this many are listed: more is nothing to choose from. */
const MAX_CANDIDATES = 30;

/** `host/%12  work:1.0`, for a person to choose from. */
const describe = (pane: TypedSubject): string => {
  const [link] = pane.links;
  const place = link === undefined ? "" : ` in ${link.sessionName}:${link.windowIndex}.${pane.paneIndex}`;
  return `${formatShortRef(pane)}${place}${pane.isAgent ? "" : ", no agent"}`;
};

const candidatesOf = (panes: Iterable<TypedSubject>): string[] => {
  const all = [...new Set(panes)].map((pane) => describe(pane)).toSorted();
  const more = all.length - MAX_CANDIDATES;
  return more > 0 ? [...all.slice(0, MAX_CANDIDATES), `and ${more} more`] : all;
};

/**
 * Whether nothing else is meant. A window without an agent in a session that has only this one is no other meaning: sessions
 * often have the name of one of their windows.
 */
const isSettled = <S>(pane: S, things: readonly Thing<S>[]): boolean => {
  const around = things.filter(({ panes }) => panes.includes(pane));
  return things.every(
    (thing) =>
      around.includes(thing) ||
      around.some(({ panes }) => thing.panes.every((other) => panes.includes(other))),
  );
};

const settle = <S extends TypedSubject>(text: string, things: readonly Thing<S>[]): S | null => {
  const fits = [...new Set(things.flatMap((thing) => thing.fits))];
  const [only] = fits;
  if (only === undefined && things.length === 0) return null;
  const panes = things.flatMap((thing) => thing.panes);
  if (only === undefined)
    throw new AgtmuxError("E_REF_NOT_FOUND", `no agent is in ${quote(text)}`, {
      details: candidatesOf(panes),
      remedy: "Name the pane itself, as listed.",
    });
  if (fits.length === 1 && isSettled(only, things)) return only;
  const what = fits.length > 1 ? `matches ${fits.length} panes` : "means more than one thing";
  throw new AgtmuxError("E_REF_AMBIGUOUS", `${quote(text)} ${what}`, {
    details: candidatesOf(fits.length > 1 ? fits : panes),
  });
};

interface Prefixed extends Server {
  rest: string;
}

/** The machine before the first slash, if there is one of that name; `vm1:work` names one of its tmux servers. */
export const splitTarget = (text: string, targets: readonly string[]): Prefixed | null => {
  const slash = text.indexOf("/");
  const [target = "", server = DEFAULT_SERVER, ...others] = text.slice(0, Math.max(0, slash)).split(":");
  if (slash < 1 || others.length > 0 || !targets.includes(target)) return null;
  return refNameSchema.safeParse(server).success ? { target, server, rest: text.slice(slash + 1) } : null;
};

/** As `meaningsOf`, for a text that need not be a reference at all. */
const meaningsIfAny = <S extends TypedSubject>(text: string, panes: readonly S[]): Thing<S>[] => {
  try {
    return meaningsOf(text, panes, null);
  } catch (error) {
    if (error instanceof AgtmuxError && error.code === "E_REF_INVALID") return [];
    throw error;
  }
};

const resolveOn = <S extends TypedSubject>(
  text: string,
  { target, server, rest }: Prefixed,
  { subjects, inReach }: { subjects: readonly S[]; inReach: readonly S[] },
): S => {
  if (rest === ".")
    throw new AgtmuxError(
      "E_REF_INVALID",
      `${quote(text)} is not a reference: '.' is the pane that you are in`,
    );
  const things = meaningsOf(rest, subjects.filter(isOn({ target, server })), null);
  // The machine may not answer just now: then only a name that begins like it would be found.
  const asName = meaningsIfAny(text, inReach);
  if (asName.length > 0)
    throw new AgtmuxError(
      "E_REF_AMBIGUOUS",
      `${quote(text)} is a name here, and begins like the machine ${target}`,
      {
        details: candidatesOf([...things, ...asName].flatMap(({ panes }) => panes)),
      },
    );
  const found = settle(text, things);
  if (found !== null) return found;
  const elsewhere = meaningsOf(
    rest,
    subjects.filter((pane) => pane.target === target),
    null,
  );
  throw new AgtmuxError("E_REF_NOT_FOUND", `nothing on ${formatTarget(target, server)} fits ${quote(rest)}`, {
    details: candidatesOf(elsewhere.flatMap(({ panes }) => panes)),
  });
};

/**
 * The one pane that the text means. Without a prefix it means the tmux server in which it was typed, as it does to tmux; outside
 * of tmux all watched servers.
 * @throws AgtmuxError E_REF_INVALID, E_REF_NOT_FOUND (with what there is elsewhere), E_REF_AMBIGUOUS with the candidates.
 */
export const resolveTyped = <S extends TypedSubject>(text: string, among: TypedAmong<S>): S => {
  const { from, subjects, targets } = among;
  const inReach =
    from.kind === "inside" ? subjects.filter(isOn(from)) : from.kind === "outside" ? subjects : [];
  const prefixed = splitTarget(text, targets);
  if (prefixed !== null) return resolveOn(text, prefixed, { subjects, inReach });
  if (text === "." && from.kind === "outside")
    throw new AgtmuxError("E_REF_NOT_FOUND", "'.' is the pane that you are in, and this is outside of tmux");
  const things = meaningsOf(text, inReach, from.kind === "inside" ? from.paneId : null);
  const found = settle(text, things);
  if (found !== null) return found;
  if (from.kind === "outside") throw new AgtmuxError("E_REF_NOT_FOUND", `nothing matches ${quote(text)}`);
  const elsewhere = text === "." ? [] : meaningsOf(text, subjects, null);
  const where =
    from.kind === "inside" ? "the tmux server that you are in" : "a tmux server that is not watched";
  throw new AgtmuxError("E_REF_NOT_FOUND", `nothing in ${where} fits ${quote(text)}`, {
    details: candidatesOf(elsewhere.flatMap(({ panes }) => panes)),
    remedy: "For another server or machine put its name before it, as in 'host/%12'.",
  });
};
