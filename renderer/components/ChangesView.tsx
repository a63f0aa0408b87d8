// What has changed in the worktree of an agent, on the whole window: files and their lines, and the comments that the person writes
// on lines. Only lines in view are drawn; their heights follow from their lengths. All names and lines are the repository's.
import {
  memo,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type KeyboardEvent,
} from "react";
import type { TreeDiff } from "../../core/model/treeDiff.ts";
import type { PaneView } from "../../core/model/view.ts";
import { isSettled, outcomeText, type ActionStatus } from "../../ui/actions/actionStatus.ts";
import { laterReason } from "../../ui/actions/disabledReasons.ts";
import { sendLater } from "../../ui/actions/paneActions.ts";
import {
  commentedLine,
  diffRows,
  isFileOpen,
  lineParts,
  moveFile,
  moveRow,
  type DiffRow,
  type DiffSide,
} from "../../ui/lists/diffRows.ts";
import { findWindow, rowTops, scrollToShow } from "../../ui/lists/rows.ts";
import {
  baseText,
  commentPlace,
  commentsMessage,
  countsText,
  fileCounts,
  fileNote,
  fileText,
  isSameLine,
  leftOutText,
  lineText,
  MAX_COMMENT,
  quotedLine,
  withComment,
  type LineComment,
} from "../../ui/text/changesText.ts";
import { displayLine, displaySentence } from "../../ui/text/displayText.ts";
import { rowTitle } from "../../core/model/words.ts";
import { useAsk } from "../hooks/useAsk.ts";
import { useActionContext, usePopover } from "../state/popover.ts";
import { useStore } from "../state/store.ts";
import { toggled as withToggled } from "../state/listStore.ts";
import { ActionButton } from "./Buttons.tsx";
import { Dialog } from "./Dialog.tsx";
import { FailureText } from "./fields.tsx";
import { useRem, useViewport } from "./RowList.tsx";
import styles from "./ChangesView.module.css";

const NO_COMMENTS: readonly LineComment[] = [];

// From this width on the two sides stand beside each other.
const SPLIT = window.matchMedia("(min-width: 900px)");
const followWidth = (callback: () => void): (() => void) => {
  SPLIT.addEventListener("change", callback);
  return () => SPLIT.removeEventListener("change", callback);
};

// Heights, in rem as in the style sheet.

const HEIGHTS = { file: 2, gap: 1.375, line: 1.125 } as const;
const OVERSCAN = 20;
/** Characters beside the text of one side: its number and its sign. */
const GUTTER = 8;

/** Columns that a text may take at most; what is not plain may be wide. */
const columnsOf = (text: string): number => {
  let columns = 0;
  for (const character of text) columns += character < "\u0250" ? 1 : 2;
  return columns;
};

const textOf = (side: DiffSide | null): string => (side === null ? "" : lineText(side.text));

/** How many characters of code fit beside each other; measured, because the font is the system's. */
const useColumns = (element: HTMLElement | null, isSplit: boolean): number => {
  const [columns, setColumns] = useState(80);
  useLayoutEffect(() => {
    if (element === null) return;
    const probe = document.createElement("span");
    probe.className = styles.probe ?? "";
    probe.textContent = "0".repeat(100);
    element.append(probe);
    const update = () => {
      const width = probe.getBoundingClientRect().width / 100;
      const room = element.clientWidth / (isSplit ? 2 : 1);
      // One less, for what is rounded.
      if (width > 0) setColumns(Math.max(10, Math.floor(room / width) - GUTTER - 1));
    };
    const observer = new ResizeObserver(update);
    observer.observe(element);
    // It grows with the text.
    observer.observe(probe);
    update();
    return () => {
      observer.disconnect();
      probe.remove();
    };
  }, [element, isSplit]);
  return columns;
};

const heightOf = (row: DiffRow, columns: number): number => {
  if (row.kind !== "line") return HEIGHTS[row.kind];
  const length = Math.max(columnsOf(textOf(row.old)), columnsOf(textOf(row.new)));
  return HEIGHTS.line * Math.max(1, Math.ceil(length / columns));
};

// Rows.

const SIGNS = { same: " ", added: "+", removed: "−" } as const;

const Side = ({ side }: { side: DiffSide | null }) =>
  side === null ? (
    <span className={styles.side} data-kind="none" />
  ) : (
    <span className={styles.side} data-kind={side.kind}>
      <span className={styles.number}>{side.line}</span>
      <span className={styles.sign}>{SIGNS[side.kind]}</span>
      <span className={styles.code}>
        {lineParts(side).map(({ text, isChanged }, index) =>
          // oxlint-disable-next-line react/no-array-index-key -- parts have no identity but their place
          isChanged ? <mark key={index}>{text}</mark> : text,
        )}
      </span>
    </span>
  );

/** What a screen reader says of a line before its text. */
const lineLabel = (row: Extract<DiffRow, { kind: "line" }>, hasComment: boolean): string => {
  const said = [row.old, row.new].flatMap((side, index) => {
    if (side === null || (side.kind === "same" && index === 0)) return [];
    const words = side.kind === "same" ? "" : ` ${side.kind}`;
    return [`Line ${side.line}${words}: ${lineText(side.text)}`];
  });
  return [...said, ...(hasComment ? ["has a comment"] : [])].join(", ");
};

interface RowProps {
  row: DiffRow;
  isSelected: boolean;
  isSplit: boolean;
  hasComment: boolean;
  onSelect: (row: DiffRow) => void;
  onToggle: (path: string) => void;
}

const Row = memo(({ row, isSelected, isSplit, hasComment, onSelect, onToggle }: RowProps) => {
  switch (row.kind) {
    case "file": {
      const { file, isOpen } = row;
      const note = fileNote(file);
      return (
        <button
          type="button"
          className={styles.file}
          data-stop={isSelected}
          data-selected={isSelected}
          tabIndex={isSelected ? 0 : -1}
          aria-expanded={file.hunks.length > 0 ? isOpen : undefined}
          onClick={() => {
            onSelect(row);
            onToggle(file.identity.path);
          }}
        >
          <span className={styles.chevron} aria-hidden="true">
            {file.hunks.length === 0 ? "" : isOpen ? "▾" : "▸"}
          </span>
          <span className={styles.path} title={fileText(file)}>
            <bdi>{fileText(file)}</bdi>
          </span>
          {note !== "" && (
            <span className={styles.note} title={note}>
              {note}
            </span>
          )}
          {file.is_binary ? (
            <span className={styles.note}>{fileCounts(file)}</span>
          ) : (
            <span className={styles.counts}>
              <span data-kind="added">+{file.added ?? 0}</span>{" "}
              <span data-kind="removed">−{file.removed ?? 0}</span>
            </span>
          )}
        </button>
      );
    }
    case "gap":
      return <div className={styles.gap}>{row.text === "" ? "…" : row.text}</div>;
    case "line":
      return (
        <div
          className={styles.line}
          role="group"
          aria-label={lineLabel(row, hasComment)}
          data-stop={isSelected}
          data-selected={isSelected}
          data-commented={hasComment}
          tabIndex={isSelected ? 0 : -1}
          onPointerDown={() => onSelect(row)}
        >
          {isSplit ? (
            <>
              <Side side={row.old} />
              <Side side={row.new} />
            </>
          ) : (
            <Side side={row.new ?? row.old} />
          )}
        </div>
      );
  }
});

interface LinesProps {
  rows: readonly DiffRow[];
  selected: number;
  isSplit: boolean;
  /** Grows when the keyboard moved the selection. */
  focusRequest: number;
  comments: readonly LineComment[];
  onSelect: (row: DiffRow) => void;
  onToggle: (path: string) => void;
}

const Lines = ({ rows, selected, isSplit, focusRequest, comments, ...actions }: LinesProps) => {
  const [element, setElement] = useState<HTMLDivElement | null>(null);
  const view = useViewport(element);
  const columns = useColumns(element, isSplit);
  const rem = useRem();
  const tops = useMemo(() => rowTops(rows.map((row) => heightOf(row, columns) * rem)), [rows, columns, rem]);
  // Also when the box for a comment takes room.
  useLayoutEffect(() => {
    if (element === null) return;
    const top = scrollToShow(tops, selected, element.scrollTop, view.height);
    if (top !== element.scrollTop) element.scrollTo({ top });
  }, [element, tops, selected, view.height]);
  useLayoutEffect(() => {
    if (focusRequest >= 0)
      element?.querySelector<HTMLElement>("[data-stop=true]")?.focus({ preventScroll: true });
  }, [element, focusRequest]);
  const { first, last } = findWindow(tops, view.top, view.height, OVERSCAN);
  const indices = new Set(Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index));
  if (rows[selected] !== undefined) indices.add(selected);
  return (
    <div ref={setElement} className={styles.scroll}>
      <div
        role="list"
        aria-label="Changed lines"
        className={styles.rows}
        style={{ height: tops.at(-1) ?? 0 }}
      >
        {[...indices]
          .toSorted((left, right) => left - right)
          .map((index) => {
            const row = rows[index];
            if (row === undefined) return null;
            const place = commentedLine(row);
            return (
              <div
                key={row.key}
                role="listitem"
                className={styles.slot}
                data-diff-row=""
                aria-setsize={rows.length}
                aria-posinset={index + 1}
                style={{
                  transform: `translateY(${tops[index] ?? 0}px)`,
                  height: (tops[index + 1] ?? 0) - (tops[index] ?? 0),
                }}
              >
                <Row
                  row={row}
                  isSelected={index === selected}
                  isSplit={isSplit}
                  hasComment={place !== null && comments.some((one) => isSameLine(one, place))}
                  {...actions}
                />
              </div>
            );
          })}
      </div>
    </div>
  );
};

// Comments: the box for one, and the message that they become.

interface CommentBoxProps {
  place: Omit<LineComment, "words">;
  words: string;
  onWords: (words: string) => void;
  onSave: () => void;
  onLeave: () => void;
}

const CommentBox = ({ place, words, onWords, onSave, onLeave }: CommentBoxProps) => {
  const ref = useRef<HTMLTextAreaElement>(null);
  useEffect(() => ref.current?.focus(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.nativeEvent.isComposing) return;
    const isEnd = event.key === "Escape" || (event.key === "Enter" && !event.shiftKey);
    if (!isEnd) return;
    // Else Escape would close the dialog.
    event.preventDefault();
    if (event.key === "Enter" && words.trim() !== "") onSave();
    else onLeave();
  };
  return (
    <section className={styles.panel} aria-label="Comment">
      <p className={styles.place}>{commentPlace(place)}</p>
      <pre className={styles.quoted}>{quotedLine(place.quoted)}</pre>
      <textarea
        ref={ref}
        className={styles.box}
        aria-label={`Comment on ${commentPlace(place)}`}
        aria-describedby="comment-hint"
        rows={2}
        maxLength={MAX_COMMENT}
        value={words}
        onChange={(event) => onWords(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <p id="comment-hint" className={styles.hint}>
        Enter: add the comment · Shift+Enter: new line · Esc: close, keep the words
      </p>
    </section>
  );
};

/** The number stands in a part of its own that is always there, so that a screen reader says when it changes. */
const MessageToSend = ({ comments }: { comments: readonly LineComment[] }) => (
  <section className={styles.panel} aria-label="Message to send" data-empty={comments.length === 0}>
    <p className={styles.place} role="status">
      {comments.length > 0 &&
        `${comments.length === 1 ? "1 comment" : `${comments.length} comments`}, sent as this message when the agent is idle:`}
    </p>
    {comments.length > 0 && (
      <pre className={styles.message} tabIndex={0} aria-label="Message">
        {commentsMessage(comments)}
      </pre>
    )}
  </section>
);

/** The comments on this agent's changes, and sending them through the queue. */
const useComments = (pane: PaneView) => {
  const { comments: store, surface } = usePopover();
  const runtimeId = pane.identity.runtime_id ?? "";
  const comments = useStore(store, (all) => all.get(runtimeId) ?? NO_COMMENTS);
  const [status, setStatus] = useState<ActionStatus | null>(null);
  const [isSending, setSending] = useState(false);
  const whyNot = laterReason(pane, useActionContext(pane));
  const write = (next: readonly LineComment[]) => {
    store.write(runtimeId, next);
    setStatus(null);
  };
  const send = async () => {
    if (comments.length === 0 || isSending || whyNot !== null) return;
    setSending(true);
    const ended = await sendLater(pane, commentsMessage(comments), surface);
    setSending(false);
    // What was written meanwhile is kept.
    if (ended !== null && isSettled(ended) && store.getState().get(runtimeId) === comments)
      store.write(runtimeId, []);
    setStatus(ended);
  };
  return { comments, write, send, status, isSending, whyNot };
};

// The view.

const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  j: 1,
  ArrowUp: -1,
  k: -1,
  PageDown: 20,
  PageUp: -20,
};

/** As long a letter may be the rest of a text. */
const TYPED_ON_MS = 700;

interface ReadyProps {
  diff: TreeDiff;
  pane: PaneView;
  onClose: () => void;
  onReload: () => void;
  title: string;
}

const Ready = ({ diff, pane, onClose, onReload, title }: ReadyProps) => {
  const isSplit = useSyncExternalStore(followWidth, () => SPLIT.matches);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [selectedKey, setSelectedKey] = useState<string | null>(null);
  const [focusRequest, setFocusRequest] = useState(0);
  const [writing, setWriting] = useState<{ place: Omit<LineComment, "words">; words: string } | null>(null);
  const [isOpen, setOpen] = useState(false);
  const savedAtRef = useRef(-Infinity);
  const { comments, write, send, status, isSending, whyNot } = useComments(pane);
  const rows = useMemo(() => diffRows(diff, { toggled, isSplit }), [diff, toggled, isSplit]);
  const found = rows.findIndex(({ key }) => key === selectedKey);
  // A file that is folded, or the other arrangement, takes the line away: its file has it then.
  const file = selectedKey === null ? -1 : rows.findIndex(({ key }) => key === selectedKey.split("\0")[0]);
  const selected = found >= 0 ? found : Math.max(0, file);
  const row = rows[selected];

  const select = (index: number) => {
    setSelectedKey(rows[index]?.key ?? null);
    setFocusRequest((count) => count + 1);
  };
  const toggle = (path: string) => {
    setToggled((before) => withToggled(before, path));
    setSelectedKey(path);
    setFocusRequest((count) => count + 1);
  };
  const toggleAll = () => {
    const opened = diff.items.filter((one) => isFileOpen(one, toggled));
    const wanted = opened.length > 0 ? opened : diff.items;
    setToggled((before) => wanted.reduce((all, one) => withToggled(all, one.identity.path), before));
    setSelectedKey(row?.kind === "file" || row?.kind === "line" ? row.file.identity.path : null);
    setFocusRequest((count) => count + 1);
  };
  // Without an agent there is nobody to read it.
  const place = pane.identity.runtime_id === null ? null : commentedLine(row);
  const comment = () => {
    if (place === null) return;
    const before = comments.find((one) => isSameLine(one, place));
    const kept = writing !== null && isSameLine(writing.place, place) ? writing.words : null;
    setWriting({ place, words: kept ?? before?.words ?? "" });
    setOpen(true);
  };
  const leave = () => {
    setOpen(false);
    setFocusRequest((count) => count + 1);
  };
  /** Whoever goes on typing after Enter sends and removes nothing. */
  const afterTyping = (run: () => void) => () => {
    if (performance.now() - savedAtRef.current > TYPED_ON_MS) run();
  };
  const remove = () => {
    if (place !== null) write(comments.filter((one) => !isSameLine(one, place)));
  };
  const keys: Readonly<Record<string, () => void>> = {
    n: () => select(moveFile(rows, selected, 1)),
    p: () => select(moveFile(rows, selected, -1)),
    f: toggleAll,
    c: comment,
    x: afterTyping(remove),
    s: afterTyping(() => void send()),
    r: onReload,
    ...(row?.kind === "file" || row?.kind === "line" ? { " ": () => toggle(row.file.identity.path) } : {}),
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.nativeEvent.isComposing) return;
    const { target, key } = event;
    const isOnButton = target instanceof HTMLButtonElement && target.dataset["stop"] === undefined;
    if (isOnButton && (key === " " || key === "Enter")) return;
    // Boxes that scroll keep their arrows.
    if (target instanceof HTMLPreElement && (key.startsWith("Arrow") || key.startsWith("Page"))) return;
    const step = STEPS[key];
    const run = step === undefined ? keys[key] : () => select(moveRow(rows, selected, step));
    if (run === undefined) return;
    event.preventDefault();
    if (!event.repeat || step !== undefined) run();
  };
  const said = status === null ? "" : Object.values(outcomeText(status)).join(" ").trim();
  const leftOut = leftOutText(diff);
  return (
    <Dialog
      title={title}
      isWhole
      onClose={onClose}
      onKeyDown={onKeyDown}
      buttons={
        <>
          <p className={styles.said} role="status">
            {said}
            {comments.length > 0 && whyNot !== null && `Can't be sent: ${displaySentence(whyNot)}`}
          </p>
          {place !== null && !isOpen && (
            <ActionButton shortcut="c" onClick={comment}>
              Comment
            </ActionButton>
          )}
          {comments.length > 0 && !isOpen && (
            <ActionButton
              tone="primary"
              shortcut="s"
              isDisabled={isSending || whyNot !== null}
              onClick={() => void send()}
            >
              Send when idle
            </ActionButton>
          )}
          <ActionButton shortcut="Esc" onClick={onClose}>
            Close
          </ActionButton>
        </>
      }
    >
      <p className={styles.summary}>
        {countsText(diff.summary)} {baseText(diff)}
        {leftOut !== "" && ` · ${displayLine(leftOut)}`}
      </p>
      {rows.length === 0 ? (
        <p className={styles.empty}>Nothing has changed {baseText(diff)}.</p>
      ) : (
        <Lines
          rows={rows}
          selected={selected}
          isSplit={isSplit}
          focusRequest={focusRequest}
          comments={comments}
          onSelect={(one) => setSelectedKey(one.key)}
          onToggle={toggle}
        />
      )}
      {isOpen && writing !== null ? (
        <CommentBox
          place={writing.place}
          words={writing.words}
          onWords={(words) => setWriting({ ...writing, words })}
          onSave={() => {
            savedAtRef.current = performance.now();
            write(withComment(comments, { ...writing.place, words: writing.words.trim() }));
            setWriting(null);
            leave();
          }}
          onLeave={leave}
        />
      ) : (
        <MessageToSend comments={comments} />
      )}
    </Dialog>
  );
};

export const ChangesView = ({ pane: opened, onClose }: { pane: PaneView; onClose: () => void }) => {
  const { host, feed } = usePopover();
  const { pane_ref: ref, runtime_id: runtimeId } = opened.identity;
  const now = useStore(feed, ({ panes }) => panes.get(ref));
  // Another agent that took the pane over has other changes.
  const pane = now?.identity.runtime_id === runtimeId ? now : opened;
  const asked = useAsk(ref, () => host.api.workspaces.changes.mutate({ ref }));
  const title = `Changes: ${rowTitle(opened).text}`;
  if (asked.value !== null)
    return <Ready diff={asked.value} pane={pane} title={title} onClose={onClose} onReload={asked.reload} />;
  return (
    <Dialog title={title} isWhole onClose={onClose}>
      <div className={styles.empty}>
        <FailureText failure={asked.failure} />
        {asked.failure === null && <p role="status">Reading…</p>}
      </div>
    </Dialog>
  );
};
