// Asks before something is forgotten, removed or stopped. Nothing happens before the person confirms it. The safe button has
// the focus, unless the caller marks another element.
import type { ReactNode } from "react";
import { ActionButton } from "./ActionButton.tsx";
import { Dialog } from "./Dialog.tsx";

interface ConfirmDialogProps {
  title: string;
  confirmLabel: string;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}

export const ConfirmDialog = ({ title, confirmLabel, onConfirm, onClose, children }: ConfirmDialogProps) => (
  <Dialog
    title={title}
    onClose={onClose}
    buttons={
      <>
        <ActionButton hasFocus onClick={onClose}>
          Cancel
        </ActionButton>
        <ActionButton
          tone="stop"
          onClick={() => {
            onConfirm();
            onClose();
          }}
        >
          {confirmLabel}
        </ActionButton>
      </>
    }
  >
    {children}
  </Dialog>
);
