// The frame of a settings page: the way back, its name, and its content. The heading takes the focus when the page opens, so
// that the tab key continues from there and a screen reader names the page.
import { useEffect, useRef, type ReactNode } from "react";
import { BackButton } from "../BackButton.tsx";
import styles from "./settings.module.css";

interface PageProps {
  title: string;
  /** Where the way back leads. */
  backLabel: string;
  onBack: () => void;
  /** Shown beside the title. */
  aside?: ReactNode;
  /** The page holds text rather than controls: then the text itself can be focused, so that the keyboard can scroll it. */
  isText?: boolean;
  children: ReactNode;
}

export const Page = ({ title, backLabel, onBack, aside, isText = false, children }: PageProps) => {
  const headingRef = useRef<HTMLHeadingElement>(null);
  useEffect(() => headingRef.current?.focus(), []);
  return (
    <main className={styles.page} aria-label={title}>
      <header className={styles.bar}>
        <BackButton label={backLabel} onClick={onBack} />
        <h1 ref={headingRef} className={styles.title} tabIndex={-1}>
          {title}
        </h1>
        {aside}
      </header>
      <div
        className={styles.body}
        {...(isText ? { tabIndex: 0, role: "region", "aria-label": `${title}, text` } : {})}
      >
        {children}
      </div>
    </main>
  );
};
