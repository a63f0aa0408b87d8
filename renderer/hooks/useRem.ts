// How many CSS pixels one rem is: rows of known height are measured in it, so that the list fits any text size.
import { useLayoutEffect, useState } from "react";

const read = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;

export const useRem = (): number => {
  const [rem, setRem] = useState(read);
  useLayoutEffect(() => {
    // Nothing tells of a changed text size but an element that grows with it.
    const probe = document.createElement("div");
    probe.setAttribute("aria-hidden", "true");
    Object.assign(probe.style, { position: "absolute", width: "1rem", height: "0", visibility: "hidden" });
    document.body.append(probe);
    const observer = new ResizeObserver(() => setRem(read()));
    observer.observe(probe);
    return () => {
      observer.disconnect();
      probe.remove();
    };
  }, []);
  return rem;
};
