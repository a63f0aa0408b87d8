// The reference grammar (spec 7.5): `runtime:<id>` and `pane:<target>/<session>/<window>/<pane>`.
// Parsing and resolving are pure; a reference that fits nothing or several things never resolves.
import { AgtmuxError } from "../model/errors.ts";
import { refNameSchema } from "../model/runtime.ts";
import { backgroundIdOf, DEFAULT_SERVER, formatTarget } from "../model/shortRef.ts";

export type Ref =
  | { kind: "runtime"; runtimeId: string }
  | { kind: "pane"; target: string; server: string; session: string; window: string; pane: string };

/** A window where one session shows it: its index there says nothing about any other session. */
export interface WindowLink {
  sessionName: string;
  windowIndex: number;
}

/** What a reference can name. `links`: everywhere the pane's window is shown, the session that stands for it first. */
export interface RefSubject {
  target: string;
  server: string;
  links: readonly WindowLink[];
  windowId: string;
  paneId: string;
  paneIndex: number;
  runtimeId: string | null;
}

const invalid = (text: string, why: string): AgtmuxError =>
  new AgtmuxError("E_REF_INVALID", `'${text.slice(0, 200)}' is not a reference: ${why}`);

const decodeSession = (text: string, encoded: string): string => {
  try {
    return decodeURIComponent(encoded);
  } catch (cause) {
    throw new AgtmuxError(
      "E_REF_INVALID",
      `'${text.slice(0, 200)}' is not a reference: the session is not percent-encoded`,
      { cause },
    );
  }
};

/** Throws E_REF_INVALID naming what is wrong. */
export const parseRef = (text: string): Ref => {
  if (text.startsWith("runtime:")) {
    const runtimeId = text.slice("runtime:".length);
    if (!/^[A-Za-z0-9_-]{1,100}$/.test(runtimeId))
      throw invalid(text, "a runtime id has letters, digits, '_' and '-'");
    return { kind: "runtime", runtimeId };
  }
  if (!text.startsWith("pane:")) throw invalid(text, "it starts with neither 'runtime:' nor 'pane:'");
  const parts = text.slice("pane:".length).split("/");
  const [targetPart, session, window, pane] = parts;
  if (
    parts.length !== 4 ||
    targetPart === undefined ||
    session === undefined ||
    window === undefined ||
    pane === undefined
  )
    throw invalid(text, "a pane reference has four parts, <target>/<session>/<window>/<pane>");
  const [target, server = DEFAULT_SERVER, ...rest] = targetPart.split(":");
  if (rest.length > 0 || !refNameSchema.safeParse(target).success || !refNameSchema.safeParse(server).success)
    throw invalid(text, "the target is <name> or <name>:<tmux server>, in letters, digits, '.', '_' and '-'");
  if (session === "") throw invalid(text, "the session is empty");
  if (!/^(@?\d{1,9})$/.test(window)) throw invalid(text, "the window is an id like @3 or an index");
  if (!/^(%?\d{1,9})$/.test(pane) && backgroundIdOf(pane) === null)
    throw invalid(text, "the pane is an id like %5 or an index");
  return { kind: "pane", target: target ?? "", server, session: decodeSession(text, session), window, pane };
};

const encodeSession = (name: string): string =>
  encodeURIComponent(name).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** The canonical reference of a pane: ids, and the server left out when it is the default one. */
export const formatPaneRef = (subject: {
  target: string;
  server: string;
  sessionName: string;
  windowId: string;
  paneId: string;
}): string =>
  `pane:${formatTarget(subject.target, subject.server)}/${encodeSession(subject.sessionName)}/${subject.windowId}/${subject.paneId}`;

/** Whether it uses an index, which may name another window or pane a moment later. */
export const isByIndex = (ref: Extract<Ref, { kind: "pane" }>): boolean =>
  !ref.window.startsWith("@") || /^\d/.test(ref.pane);

const matches = (ref: Ref, subject: RefSubject): boolean => {
  if (ref.kind === "runtime") return subject.runtimeId === ref.runtimeId;
  const isWindow = subject.links.some(
    ({ sessionName, windowIndex }) =>
      sessionName === ref.session &&
      (ref.window.startsWith("@") ? subject.windowId === ref.window : windowIndex === Number(ref.window)),
  );
  const isPane = /^\d/.test(ref.pane) ? subject.paneIndex === Number(ref.pane) : subject.paneId === ref.pane;
  return subject.target === ref.target && subject.server === ref.server && isWindow && isPane;
};

/** The one subject that the reference names. Throws E_REF_NOT_FOUND or E_REF_AMBIGUOUS with the candidates; never guesses. */
export const resolveRef = <S extends RefSubject>(text: string, subjects: Iterable<S>): S => {
  const ref = parseRef(text);
  const found: S[] = [];
  for (const subject of subjects) if (matches(ref, subject)) found.push(subject);
  const [only] = found;
  if (only === undefined) throw new AgtmuxError("E_REF_NOT_FOUND", `nothing matches '${text.slice(0, 200)}'`);
  if (found.length > 1)
    throw new AgtmuxError("E_REF_AMBIGUOUS", `'${text.slice(0, 200)}' matches ${found.length} panes`, {
      details: found.map((subject) =>
        formatPaneRef({ ...subject, sessionName: subject.links[0]?.sessionName ?? "" }),
      ),
    });
  return only;
};
