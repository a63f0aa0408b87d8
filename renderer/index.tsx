// The popover's entry: makes the stores, the connection and the clock, and hands them to React. Nothing else happens here.
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { DrawGuard } from "./components/DrawGuard.tsx";
import { Root } from "./components/Root.tsx";
import { connectHost, toFailure } from "./connection/connectHost.ts";
import { FeedConnection } from "./connection/feedConnection.ts";
import { VisibilityContext } from "./hooks/useVisibility.ts";
import { ActionDesk } from "./state/actionDesk.ts";
import { DraftStore } from "./state/draftStore.ts";
import { FeedStore } from "./state/feedStore.ts";
import { TickingClock } from "./state/tickingClock.ts";
import type { FeedEntry } from "../core/model/view.ts";
import "./theme.css";

const host = connectHost(window);
const { isVisible } = host.visibility;
const clock = new TickingClock({ now: () => Date.now(), isVisible });
const store = new FeedStore({
  now: () => Date.now(),
  isVisible,
  schedule: (callback) => {
    const frame = requestAnimationFrame(callback);
    return () => cancelAnimationFrame(frame);
  },
});
const connection = new FeedConnection<FeedEntry>({
  // Whoever was away wants what is now, not what was.
  subscribe: (handlers) => host.api.feed.subscribe({ since: store.version, latest: true }, handlers),
  onEntry: (entry) => {
    store.push(entry);
    if (!isVisible()) rest();
  },
  onLost: (error, retryInMs) => {
    store.lose(toFailure(error).message, isVisible() ? Date.now() + retryInMs : null);
    if (!isVisible()) rest();
  },
  setTimer: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
});

const desk = new ActionDesk({ toFailure, now: () => performance.now() });
/** Reading the property alone fails where storage is switched off. */
const findStorage = (): Storage | null => {
  try {
    return localStorage;
  } catch {
    return null;
  }
};
const drafts = new DraftStore({
  storage: findStorage(),
  makeKey: () => crypto.randomUUID(),
  now: () => Date.now(),
});

/** Leaves nothing open or planned, and what is known drawn. */
const rest = () => {
  connection.close();
  clock.update();
  store.flush();
};
host.visibility.subscribe(() => {
  if (!isVisible()) return rest();
  connection.open();
  clock.update();
  store.flush();
});
window.addEventListener("online", () => connection.retryNow());
// A page that is loaded while hidden takes one snapshot, so that there is little left to do once somebody opens it.
connection.open();

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no root element");
createRoot(root).render(
  <StrictMode>
    <VisibilityContext value={host.visibility}>
      {/* The app lets its page go nowhere, not even to itself. */}
      <DrawGuard reload={host.kind === "browser" ? () => location.reload() : null}>
        <Root
          host={host}
          store={store}
          clock={clock}
          desk={desk}
          drafts={drafts}
          onRetry={() => connection.retryNow()}
        />
      </DrawGuard>
    </VisibilityContext>
  </StrictMode>,
);
