// Tells the gate of answers where the cards are and what of them is in view: after each drawing of the list, when it is
// scrolled, and when the window is shown or gets the keyboard.
import { useEffect, useEffectEvent, useLayoutEffect } from "react";
import type { SeenCard } from "../state/readGate.ts";
import { usePopover } from "../state/popover.ts";

/** Positions between two pixels differ from drawing to drawing. */
const TOLERANCE = 1;

const isUncut = (text: Element): boolean =>
  text.scrollHeight <= text.clientHeight + TOLERANCE && text.scrollWidth <= text.clientWidth + TOLERANCE;

/** The part of the list that can be seen, from its top to its bottom. */
const viewOf = (list: Element): { top: number; bottom: number } => {
  const { top, bottom } = list.getBoundingClientRect();
  return { top: Math.max(top, 0) - TOLERANCE, bottom: Math.min(bottom, window.innerHeight) + TOLERANCE };
};

const readCard = (card: HTMLElement, view: { top: number; bottom: number }): SeenCard[] => {
  const head = card.querySelector<HTMLElement>("[data-ref]");
  const asked = card.querySelector<HTMLElement>("[data-asked]");
  if (head === null || asked === null) return [];
  const { top, bottom, left, height } = asked.getBoundingClientRect();
  const texts = [...asked.querySelectorAll("pre")];
  return [
    {
      key: head.dataset["ref"] ?? "",
      fingerprint: asked.dataset["asked"] ?? null,
      top: Math.round(top),
      left: Math.round(left),
      height: Math.round(height),
      isWhole: texts.every(isUncut),
      isStartInView: top >= view.top && top <= view.bottom,
      isEndInView: bottom <= view.bottom && bottom >= view.top,
    },
  ];
};

export const useReadCards = (list: HTMLElement | null, selectedKey: string | null): void => {
  const { gate, host } = usePopover();
  const look = useEffectEvent(() => {
    if (list === null) return;
    const view = viewOf(list);
    const cards = [...list.querySelectorAll<HTMLElement>("[data-card=true]")];
    gate.note(
      cards.flatMap((card) => readCard(card, view)),
      selectedKey,
    );
  });
  useLayoutEffect(() => {
    if (host.visibility.isVisible()) look();
  });
  useEffect(() => {
    if (list === null) return;
    const note = () => look();
    const restart = () => gate.restart();
    const stopGate = gate.watch(note);
    const stopVisibility = host.visibility.subscribe(() => {
      if (!host.visibility.isVisible()) return;
      note();
      gate.restart();
    });
    list.addEventListener("scroll", note, { passive: true });
    window.addEventListener("focus", restart);
    return () => {
      stopGate();
      stopVisibility();
      list.removeEventListener("scroll", note);
      window.removeEventListener("focus", restart);
    };
  }, [list, gate, host.visibility]);
};
