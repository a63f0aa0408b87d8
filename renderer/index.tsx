// The popover's entry: makes the stores, the connection, the clock and the browser's signs, starts and stops them with the page's
// visibility, and hands them to React.
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ErrorBoundary, Root } from "./Root.tsx";
import { connectHost, toFailure } from "./state/connectHost.ts";
import { FeedConnection, FeedStore } from "./state/feedStore.ts";
import { ActionStatusStore } from "./state/actionStatusStore.ts";
import { BrowserSigns, showCount } from "./state/browserSigns.ts";
import { CommentStore, DraftStore, findStorage, writeStored } from "./state/stored.ts";
import { KeyHold, openReadGate } from "./state/readGate.ts";
import { ListStore } from "./state/listStore.ts";
import { createActionSurface, PopoverContext } from "./state/popover.ts";
import { Store, TickingClock } from "./state/store.ts";
import type { FeedEntry } from "../core/model/view.ts";
import { NO_LIMITS } from "../ui/actions/disabledReasons.ts";
import { NO_TICKS, type Ticks } from "../ui/actions/ticks.ts";
import "./theme.css";

const host = connectHost(window);
const { isVisible } = host.visibility;
const clock = new TickingClock({ now: () => Date.now(), isVisible });
const feed = new FeedStore({
  now: () => Date.now(),
  isVisible,
  schedule: (callback) => {
    const frame = requestAnimationFrame(callback);
    return () => cancelAnimationFrame(frame);
  },
});
const connection = new FeedConnection<FeedEntry>({
  // After a pause only the present state matters, not every change in between.
  subscribe: (handlers) =>
    host.api.feed.subscribe({ since: feed.version, latest: true, shown: true }, handlers),
  onEntry: (entry) => {
    feed.push(entry);
    if (!isVisible()) rest();
  },
  onLost: (error, retryInMs) => {
    feed.lose(toFailure(error).message, isVisible() ? Date.now() + retryInMs : null);
    if (!isVisible()) rest();
  },
  setTimer: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
});

const list = new ListStore(findStorage());
const statuses = new ActionStatusStore({ toFailure });
const gate = openReadGate();
/** The page keeps its address, which the one-time address leads to when it is opened again. */
const createBrowserSigns = (): BrowserSigns => {
  writeStored(findStorage(), "agtmux.folder", location.pathname);
  return new BrowserSigns({
    permission: () => ("Notification" in window ? Notification.permission : "absent"),
    ask: () => Notification.requestPermission(),
    create: ({ id, title, body }, onClick) => {
      const notification = new Notification(title, { body, tag: id });
      notification.addEventListener("click", onClick);
      return notification;
    },
    subscribe: ({ onData, onEnd }) =>
      host.api.notices.subscribe(undefined, { onData, onError: onEnd, onComplete: onEnd }),
    count: async () => (await host.api.panes.query({})).summary.needs_action,
    onCount: (count) => showCount(document, count),
    onClick: ({ pane, count }) => {
      window.focus();
      if (count === 1) list.select(pane.identity.pane_ref);
    },
    isVisible,
    setTimer: (delayMs, callback) => void setTimeout(callback, delayMs),
  });
};

const ticks = new Store<Ticks>(NO_TICKS);
const drafts = new DraftStore({
  storage: findStorage(),
  makeKey: () => crypto.randomUUID(),
  now: () => Date.now(),
});

const limits = new Store(NO_LIMITS);

const popover = {
  host,
  feed,
  clock,
  list,
  statuses,
  drafts,
  comments: new CommentStore(findStorage()),
  hold: new KeyHold(),
  gate,
  pointing: new Store(false),
  signs: host.kind === "browser" ? createBrowserSigns() : null,
  limits,
  ticks,
  surface: createActionSurface({ host, list, statuses, gate, ticks, drafts, limits }),
  retry: () => connection.retryNow(),
};

/** Ends the connection and the clock, and draws what is known. */
const rest = () => {
  connection.close();
  clock.update();
  feed.flush();
};
host.visibility.subscribe(() => {
  if (!isVisible()) return rest();
  connection.open();
  clock.update();
  feed.flush();
});
window.addEventListener("online", () => connection.retryNow());
// A page that is loaded while hidden takes one snapshot, so that little is left to do when somebody opens it.
connection.open();

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no root element");
createRoot(root).render(
  <StrictMode>
    {/* The app allows its page no navigation, not even a reload. */}
    <ErrorBoundary reload={host.kind === "browser" ? () => location.reload() : null}>
      <PopoverContext value={popover}>
        <Root />
      </PopoverContext>
    </ErrorBoundary>
  </StrictMode>,
);
