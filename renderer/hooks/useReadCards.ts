// Reports to the gate of answers (readGate.ts) where the cards are and what of them is in view: after each drawing of the list,
// when it is scrolled, and when the window is shown or gets the keyboard.
import { useEffect, useEffectEvent, useLayoutEffect } from "react";
import type { SeenCard } from "../state/readGate.ts";
import { usePopover } from "../state/popover.ts";

/** Positions between two pixels differ from drawing to drawing. */
const TOLERANCE = 1;

const isUncut = (text: Element): boolean =>
  text.scrollHeight <= text.clientHeight + TOLERANCE && text.scrollWidth <= text.clientWidth + TOLERANCE;

/** The part of the list that can be seen, from its top to its bottom. */
export const viewOf = (list: Element): { top: number; bottom: number } => {
  const { top, bottom } = list.getBoundingClientRect();
  // A page that is enlarged by two fingers shows a part of the window.
  const { offsetTop = 0, height = window.innerHeight } = window.visualViewport ?? {};
  return {
    top: Math.max(top, offsetTop, 0),
    bottom: Math.min(bottom, offsetTop + height, window.innerHeight),
  };
};

/** What says who asks; the age and what it does now change by themselves. */
const HEAD =
  "[data-badge], [data-source] > bdi, [data-part=agent], [data-part=machine], [data-part=place], [data-part=branch]";

const readCard = (card: HTMLElement, view: { top: number; bottom: number }): SeenCard[] => {
  const head = card.querySelector<HTMLElement>("[data-ref]");
  if (head === null) return [];
  const asked = card.querySelector<HTMLElement>("[data-asked]");
  const { top, left } = head.getBoundingClientRect();
  const { bottom } = (asked ?? head).getBoundingClientRect();
  const height = Math.round(bottom - top);
  return [
    {
      key: head.dataset["ref"] ?? "",
      fingerprint: asked?.dataset["asked"] ?? null,
      head: [...head.querySelectorAll(HEAD)].map(({ textContent }) => textContent).join("\n"),
      top: Math.round(top),
      left: Math.round(left),
      height,
      isWhole: [...(asked?.querySelectorAll("pre") ?? [])].every(isUncut),
      view: {
        from: top >= view.top - TOLERANCE ? 0 : view.top - top,
        to: bottom <= view.bottom + TOLERANCE ? height : view.bottom - top,
      },
    },
  ];
};

/** Whether a pointer acts, and when it moved: events that only say what is below it now are no movement. */
const useMeans = (): void => {
  const { gate } = usePopover();
  useEffect(() => {
    let place = "";
    const move = ({ clientX, clientY, timeStamp }: PointerEvent) => {
      const next = `${clientX} ${clientY}`;
      if (next !== place) gate.notePointer(timeStamp);
      place = next;
    };
    // A finger touches without a movement before.
    const touch = ({ pointerType, timeStamp }: PointerEvent) => {
      if (pointerType !== "mouse") gate.notePointer(timeStamp);
    };
    const wheel = ({ timeStamp }: WheelEvent) => gate.noteWheel(timeStamp);
    const click = ({ detail, timeStamp }: MouseEvent) => gate.noteMeans(detail > 0, timeStamp);
    const key = ({ timeStamp }: KeyboardEvent) => gate.noteKey(timeStamp);
    const aborter = new AbortController();
    const options = { capture: true, passive: true, signal: aborter.signal };
    window.addEventListener("pointermove", move, options);
    window.addEventListener("pointerdown", touch, options);
    window.addEventListener("wheel", wheel, options);
    window.addEventListener("click", click, options);
    window.addEventListener("keydown", key, options);
    return () => aborter.abort();
  }, [gate]);
};

export const useReadCards = (list: HTMLElement | null, selectedKey: string | null): void => {
  const { gate, host } = usePopover();
  useMeans();
  const look = useEffectEvent(() => {
    if (list === null) return;
    const view = viewOf(list);
    const cards = [...list.querySelectorAll<HTMLElement>("[data-card=true]")];
    gate.note(
      cards.flatMap((card) => readCard(card, view)),
      selectedKey,
      view.bottom - view.top,
    );
  });
  useLayoutEffect(() => {
    if (host.visibility.isVisible()) look();
  });
  useEffect(() => {
    if (list === null) return;
    // What nobody sees is not read, however long it lies there.
    const note = () => {
      if (host.visibility.isVisible()) look();
    };
    const stopGate = gate.watch(note);
    const stopVisibility = host.visibility.subscribe(() => {
      gate.restart();
      note();
    });
    // In a low window all of the popover is scrolled, and not only the list.
    const aborter = new AbortController();
    const { signal } = aborter;
    window.addEventListener("scroll", note, { capture: true, passive: true, signal });
    window.addEventListener("resize", note, { signal });
    window.visualViewport?.addEventListener("scroll", note, { signal });
    window.visualViewport?.addEventListener("resize", note, { signal });
    window.addEventListener("focus", () => gate.restart(), { signal });
    return () => {
      stopGate();
      stopVisibility();
      aborter.abort();
    };
  }, [list, gate, host.visibility]);
};
