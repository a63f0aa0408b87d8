// Connects the held keys with what refuses and what lets go: every refusal of the desk, every press of the pointer, and the
// popover that is shown anew.
import { useEffect, useState } from "react";
import type { ActionDesk } from "../state/actionDesk.ts";
import type { ActionStatus } from "../../ui/actions/actionStatus.ts";
import { KeyHold } from "../state/keyHold.ts";
import { useVisibility } from "./useVisibility.ts";

const isRefusal = ({ kind }: ActionStatus): boolean => kind === "refused" || kind === "lost";

export const useKeyHold = (desk: ActionDesk): KeyHold => {
  const [hold] = useState(() => new KeyHold());
  const visibility = useVisibility();
  useEffect(() => {
    let before = desk.getStatuses();
    return desk.subscribe(() => {
      const now = desk.getStatuses();
      for (const [ref, status] of now) if (isRefusal(status) && before.get(ref) !== status) hold.hold();
      before = now;
    });
  }, [desk, hold]);
  useEffect(() => {
    window.addEventListener("pointerdown", hold.release, true);
    const stop = visibility.subscribe(() => {
      if (visibility.isVisible()) hold.release();
    });
    return () => {
      window.removeEventListener("pointerdown", hold.release, true);
      stop();
    };
  }, [hold, visibility]);
  return hold;
};
