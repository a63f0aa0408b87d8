// Keys of the sheet as caps; words between them are words.
import { Fragment } from "react";
import styles from "./Keys.module.css";

const WORDS = new Set(["or", "–"]);

export const Keys = ({ text }: { text: string }) => (
  <span className={styles.keys}>
    {text.split(/\s+/).map((part, index) => (
      // oxlint-disable-next-line react/no-array-index-key -- the text of a sheet never changes
      <Fragment key={index}>
        {index > 0 && " "}
        {WORDS.has(part) ? (
          <span className={styles.word}>{part}</span>
        ) : (
          <kbd className={styles.cap}>{part}</kbd>
        )}
      </Fragment>
    ))}
  </span>
);
