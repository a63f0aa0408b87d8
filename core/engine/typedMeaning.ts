// What a typed reference finds among the panes: every session, window and pane that its text can mean, as tmux would find them.
// Which of them it is, is decided elsewhere.
import type { WindowLink } from "./ref.ts";
import { typedForms, type TypedForm } from "./typedForms.ts";

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
export interface Thing<S> {
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
export const meaningsOf = <S extends TypedSubject>(
  text: string,
  panes: readonly S[],
  here: string | null,
): Thing<S>[] => typedForms(text).flatMap((form) => thingsOf(form, panes, here));
