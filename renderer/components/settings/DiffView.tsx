// What would change in which files: the text of a diff, which may be hostile like any other text.
import type { IntegrationReport } from "../../../core/model/adapterView.ts";
import { displayLine, displayText } from "../../../ui/text/displayText.ts";
import styles from "./DiffView.module.css";
import shared from "../settings.module.css";

const kindOf = (line: string): string => {
  if (
    line.startsWith("+++") ||
    line.startsWith("---") ||
    line.startsWith("===") ||
    line.startsWith("Index: ")
  )
    return "head";
  if (line.startsWith("@@")) return "place";
  return line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "same";
};

/** The lines of a unified diff without its file header: the path stands above. */
const linesOf = (diff: string): string[] =>
  diff
    .trimEnd()
    .split("\n")
    .filter((line) => kindOf(line) !== "head");

export const DiffView = ({ changes }: { changes: IntegrationReport["changes"] }) => (
  <>
    {changes.map(({ path, diff }) => (
      <figure key={path} className={styles.diff}>
        <figcaption>{displayLine(path)}</figcaption>
        <pre
          className={`${shared.code} ${styles.text}`}
          tabIndex={0}
          role="group"
          aria-label={`Change of ${displayLine(path)}`}
        >
          {linesOf(diff).map((line, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- a diff never changes: another one is another list
            <span key={index} data-line={kindOf(line)}>
              {displayText(line)}
              {"\n"}
            </span>
          ))}
        </pre>
      </figure>
    ))}
  </>
);
