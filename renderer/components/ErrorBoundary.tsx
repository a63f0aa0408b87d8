// What is shown when drawing fails: without it one value that this page does not understand, as from a newer daemon, would
// leave the window empty for good.
import { Component, type ReactNode } from "react";
import { displaySentence } from "../../ui/text/displayText.ts";
import { ActionButton } from "./ActionButton.tsx";
import styles from "./Message.module.css";

interface ErrorBoundaryProps {
  /** Reloads the page; null where that is not allowed: then it is drawn again from what is known. */
  reload: (() => void) | null;
  children: ReactNode;
}

interface ErrorBoundaryState {
  /** Null while all is well. */
  failure: string | null;
}

export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override readonly state: ErrorBoundaryState = { failure: null };

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { failure: error instanceof Error && error.message !== "" ? error.message : "Unknown error" };
  }

  override render(): ReactNode {
    const { failure } = this.state;
    if (failure === null) return this.props.children;
    return (
      <main className={styles.page} aria-label="agtmux">
        <div className={styles.empty} role="alert">
          <p className={styles.title}>This cannot be shown</p>
          <p>Your agents are still watched. After an update, quit agtmux and start it again.</p>
          <p className={styles.detail}>{displaySentence(failure)}</p>
          <ActionButton
            tone="primary"
            onClick={() =>
              this.props.reload === null ? this.setState({ failure: null }) : this.props.reload()
            }
          >
            Show it again
          </ActionButton>
        </div>
      </main>
    );
  }
}
