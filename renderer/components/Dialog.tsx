// A native modal dialog, whose focus and Escape the browser handles, and one that asks before something is forgotten, removed or
// stopped.
import { useId, useLayoutEffect, useRef, type ReactNode } from "react";
import { usePopover } from "../state/popover.ts";
import styles from "./Dialog.module.css";
import { ActionButton } from "./Buttons.tsx";

interface DialogProps {
  title: string;
  onClose: () => void;
  /** Left out: one that closes it. */
  buttons?: ReactNode;
  children: ReactNode;
}

export const Dialog = ({ title, onClose, buttons, children }: DialogProps) => {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const { gate } = usePopover();
  // Closed before it leaves the document, because only then the focus goes back to where it was.
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>("[data-first-focus=true]")?.focus();
    return () => dialog?.close();
  }, []);
  // The cards behind it are out of view while it is open (readGate.ts), so no key answers them.
  useLayoutEffect(() => gate.cover(), [gate]);
  // Strict mode unmounts and mounts again before the first close event arrives.
  const handleClose = () => {
    if (ref.current?.open !== true) onClose();
  };
  return (
    <dialog ref={ref} className={styles.dialog} aria-labelledby={titleId} onClose={handleClose}>
      <h2 id={titleId}>{title}</h2>
      {children}
      <div className={styles.buttons}>
        {buttons ?? (
          <ActionButton hasFocus onClick={onClose}>
            Close
          </ActionButton>
        )}
      </div>
    </dialog>
  );
};

interface ConfirmDialogProps {
  title: string;
  confirmLabel: string;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}

/** Nothing happens before the person confirms. The safe button has the focus, unless the caller marks another element. */
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
