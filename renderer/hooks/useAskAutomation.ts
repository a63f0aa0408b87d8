// The calls of automation, for what draws its answers.
import { useMemo } from "react";
import { askAutomation, type AskAutomation } from "../connection/askAutomation.ts";
import { usePopover } from "../state/popover.ts";

export const useAskAutomation = (): AskAutomation => {
  const { api } = usePopover().host;
  return useMemo(() => askAutomation(api), [api]);
};
