// A native modal dialog, whose focus and Escape the browser handles, and one that asks before something is forgotten, removed or
// stopped.
import { useId, useLayoutEffect, useRef, type KeyboardEventHandler, type ReactNode } from "react";
import { usePopover } from "../state/popover.ts";
import styles from "./Dialog.module.css";
import { ActionButton } from "./Buttons.tsx";

interface DialogProps {
  title: string;
  onClose: () => void;
  onKeyDown?: KeyboardEventHandler | undefined;
  /** It takes the whole window. */
  isWhole?: true;
  /** Left out: one that closes it. */
  buttons?: ReactNode;
  children: ReactNode;
}

export const Dialog = ({ title, onClose, onKeyDown, isWhole, buttons, children }: DialogProps) => {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const { gate } = usePopover();
  // Closed before it leaves the document, because only then the focus goes back to where it was.
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>("[data-first-focus=true]")?.focus();
    // A long text begins at its top, whatever has the focus.
    if (dialog !== null) dialog.scrollTop = 0;
    return () => dialog?.close();
  }, []);
  // The cards behind it are out of view while it is open (readGate.ts), so no key answers them.
  useLayoutEffect(() => gate.cover(), [gate]);
  // Strict mode unmounts and mounts again before the first close event arrives.
  const handleClose = () => {
    if (ref.current?.open !== true) onClose();
  };
  return (
    <dialog
      ref={ref}
      className={styles.dialog}
      data-whole={isWhole}
      aria-labelledby={titleId}
      onKeyDown={onKeyDown}
      onClose={handleClose}
    >
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
  /** `stop`: something is destroyed. */
  tone: "primary" | "stop";
  /** The confirming button has the focus instead of the safe one. */
  isReady?: true;
  onKeyDown?: KeyboardEventHandler;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}

/** Nothing happens before the person confirms. */
export const ConfirmDialog = ({ title, confirmLabel, tone, isReady, ...props }: ConfirmDialogProps) => (
  <Dialog
    title={title}
    onClose={props.onClose}
    onKeyDown={props.onKeyDown}
    buttons={
      <>
        <ActionButton hasFocus={isReady !== true} onClick={props.onClose}>
          Cancel
        </ActionButton>
        <ActionButton
          tone={tone}
          hasFocus={isReady === true}
          onClick={() => {
            props.onConfirm();
            props.onClose();
          }}
        >
          {confirmLabel}
        </ActionButton>
      </>
    }
  >
    {props.children}
  </Dialog>
);
