// What a page does by itself: timers, animation frames and the like, counted from its first script on.
import type { BrowserContext, Page } from "playwright";

export interface Activity {
  /** By kind: how often a callback ran since the page was loaded. */
  readonly fired: Readonly<Record<string, number>>;
  /** By kind: how many callbacks are still waiting to run. */
  readonly pending: Readonly<Record<string, number>>;
  /** CSS animations and transitions under way. */
  readonly animations: number;
}

const NAME = "__activity";

/** Runs in the page before everything else, and so holds nothing of this module. */
const count = (name: string): void => {
  const fired: Record<string, number> = {};
  const open: Record<string, Set<unknown>> = {};
  const note = (kind: string) => (fired[kind] = (fired[kind] ?? 0) + 1);
  const openOf = (kind: string) => (open[kind] ??= new Set());
  const patch = (owner: object, key: string, make: (original: Function) => Function) =>
    Reflect.set(owner, key, make(Reflect.get(owner, key)));

  const patchScheduler = (start: string, stop: string, isRepeated: boolean) => {
    patch(window, start, (original) => (callback: Function, ...rest: unknown[]) => {
      const id: unknown = Reflect.apply(original, window, [
        (...given: unknown[]) => {
          note(start);
          if (!isRepeated) openOf(start).delete(id);
          Reflect.apply(callback, undefined, given);
        },
        ...rest,
      ]);
      openOf(start).add(id);
      return id;
    });
    patch(window, stop, (original) => (id: unknown) => {
      openOf(start).delete(id);
      Reflect.apply(original, window, [id]);
    });
  };
  patchScheduler("setTimeout", "clearTimeout", false);
  patchScheduler("setInterval", "clearInterval", true);
  patchScheduler("requestAnimationFrame", "cancelAnimationFrame", false);
  patchScheduler("requestIdleCallback", "cancelIdleCallback", false);

  // React renders in tasks that it posts to itself.
  patch(
    MessagePort.prototype,
    "postMessage",
    (original) =>
      function postMessage(this: MessagePort, ...given: unknown[]) {
        note("postMessage");
        Reflect.apply(original, this, given);
      },
  );
  const Original = ResizeObserver;
  window.ResizeObserver = class extends Original {
    constructor(callback: ResizeObserverCallback) {
      super((entries, observer) => {
        note("ResizeObserver");
        callback(entries, observer);
      });
    }
  };
  Reflect.set(window, name, () => ({
    fired: { ...fired },
    pending: Object.fromEntries(
      Object.entries(open).flatMap(([kind, ids]) => (ids.size > 0 ? [[kind, ids.size]] : [])),
    ),
    animations: document.getAnimations().length,
  }));
};

/** Takes effect with the next load of the page. */
export const countActivity = (where: BrowserContext | Page): Promise<unknown> =>
  where.addInitScript(count, NAME);

export const readActivity = (page: Page): Promise<Activity> =>
  page.evaluate((name) => {
    const read: () => Activity = Reflect.get(window, name);
    return read();
  }, NAME);
