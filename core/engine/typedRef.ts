// Which pane a typed reference means: every meaning of the text is looked for, and only where all that is found agree on one
// pane is it that pane. It never guesses: two meanings are refused with what they mean.
import { AgtmuxError } from "../model/errors.ts";
import { refNameSchema } from "../model/runtime.ts";
import { DEFAULT_SERVER, formatShortRef, formatTarget } from "../model/shortRef.ts";
import { meaningsOf, type Thing, type TypedSubject } from "./typedMeaning.ts";

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
const isOn =
  ({ target, server }: Server) =>
  (subject: TypedSubject): boolean =>
    subject.target === target && subject.server === server;

const quote = (text: string): string => `'${text.slice(0, 200)}'`;

/** At most so many are listed: more is nothing to choose from. */
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
 * Whether nothing else is meant. A window without an agent inside of a session that has just this one is no other
 * meaning: sessions are often called like one of their windows.
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
  const what = fits.length > 1 ? `fits ${fits.length} panes` : "means more than one thing";
  throw new AgtmuxError("E_REF_AMBIGUOUS", `${quote(text)} ${what}`, {
    details: candidatesOf(fits.length > 1 ? fits : panes),
  });
};

export interface Prefixed extends Server {
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
  // The machine may not answer just now: then only the name that begins like it would be found.
  const asName = meaningsIfAny(text, inReach);
  if (asName.length > 0)
    throw new AgtmuxError(
      "E_REF_AMBIGUOUS",
      `${quote(text)} is a name here, and begins like the target ${target}`,
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
 * The one pane that the text means. In tmux an unprefixed one means the server that one is in, as it does to tmux; outside of
 * tmux all that are watched.
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
  if (from.kind === "outside") throw new AgtmuxError("E_REF_NOT_FOUND", `nothing fits ${quote(text)}`);
  const elsewhere = text === "." ? [] : meaningsOf(text, subjects, null);
  const where =
    from.kind === "inside" ? "the tmux server that you are in" : "a tmux server that is not watched";
  throw new AgtmuxError("E_REF_NOT_FOUND", `nothing in ${where} fits ${quote(text)}`, {
    details: candidatesOf(elsewhere.flatMap(({ panes }) => panes)),
    remedy: "For another server or machine put its name before it, as in 'host/%12'.",
  });
};
