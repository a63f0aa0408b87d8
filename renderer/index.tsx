// The popover's entry: makes the stores, the connection and the clock, and hands them to React. Nothing else happens here.
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Root } from "./components/Root.tsx";
import { connectHost, toFailure } from "./connection/connectHost.ts";
import { FeedConnection } from "./connection/feedConnection.ts";
import { ActionDesk } from "./state/actionDesk.ts";
import { DraftStore } from "./state/draftStore.ts";
import { FeedStore } from "./state/feedStore.ts";
import { TickingClock } from "./state/tickingClock.ts";
import type { FeedEntry } from "../core/model/view.ts";
import "./theme.css";

const isVisible = () => document.visibilityState === "visible";
const host = connectHost(window);
const clock = new TickingClock({ now: () => Date.now(), isVisible });
const store = new FeedStore({
  now: () => Date.now(),
  isVisible,
  schedule: (callback) => requestAnimationFrame(callback),
});
const connection = new FeedConnection<FeedEntry>({
  subscribe: (handlers) => host.api.feed.subscribe({}, handlers),
  onEntry: (entry) => store.push(entry),
  onLost: (error, retryInMs) =>
    store.lose(toFailure(error).message, retryInMs === null ? null : Date.now() + retryInMs),
  setTimer: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
  isVisible,
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

document.addEventListener("visibilitychange", () => {
  clock.update();
  if (!isVisible()) return;
  connection.retryNow();
  store.flush();
});
window.addEventListener("online", () => connection.retryNow());
connection.open();

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no root element");
createRoot(root).render(
  <StrictMode>
    <Root
      host={host}
      store={store}
      clock={clock}
      desk={desk}
      drafts={drafts}
      onRetry={() => connection.retryNow()}
    />
  </StrictMode>,
);
