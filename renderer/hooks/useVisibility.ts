// Whether the popover is seen, for what asks again and again.
import { createContext, useContext } from "react";
import type { Visibility } from "../state/visibility.ts";

export const VisibilityContext = createContext<Visibility | null>(null);

export const useVisibility = (): Visibility => {
  const visibility = useContext(VisibilityContext);
  if (visibility === null)
    throw new Error("something that asks is drawn outside of the visibility's context");
  return visibility;
};
