import { beforeEach, describe, expect, it } from "vitest";
import type { AgentNotification, NotificationEvent } from "../../core/model/notifications.ts";
import { BrowserSigns, type Permission, type WebNotification } from "./browserSigns.ts";

const notice = { id: "n1", title: "Refunds are rounded twice" } as AgentNotification;

const createSigns = (permission: Permission) => {
  const made: (WebNotification & { click: () => void; isClosed: boolean })[] = [];
  const told: number[] = [];
  const opened: string[] = [];
  const page = { isVisible: false, subscriptions: 0 };
  let put: (event: NotificationEvent) => void = () => {};
  let end: () => void = () => {};
  let again: () => void = () => {};
  const signs = new BrowserSigns({
    permission: () => permission,
    ask: () => Promise.resolve("granted"),
    create: (_notice, onClick) => {
      const one = { click: onClick, isClosed: false, close: () => void (one.isClosed = true) };
      made.push(one);
      return one;
    },
    subscribe: ({ onData, onEnd }) => {
      page.subscriptions += 1;
      put = onData;
      end = onEnd;
      return { unsubscribe: () => {} };
    },
    count: () => Promise.resolve(3),
    onCount: (count) => told.push(count),
    onClick: ({ id }) => opened.push(id),
    isVisible: () => page.isVisible,
    setTimer: (_delayMs, callback) => void (again = callback),
  });
  return {
    signs,
    page,
    made,
    told,
    opened,
    put: (event: NotificationEvent) => put(event),
    end: () => end(),
    again: () => again(),
  };
};

let set: ReturnType<typeof createSigns>;
beforeEach(() => {
  set = createSigns("granted");
});

describe("notifications of a browser", () => {
  it("are not asked for before the person clicks", async () => {
    const asked = createSigns("default");
    expect([asked.page.subscriptions, asked.signs.getState()]).toEqual([0, "default"]);
    await asked.signs.askPermission();
    expect([asked.page.subscriptions, asked.signs.getState()]).toEqual([1, "granted"]);
  });

  it("come once, not while the person looks, and are withdrawn", async () => {
    set.page.isVisible = true;
    set.put({ kind: "show", notice });
    expect(set.made).toEqual([]);
    set.page.isVisible = false;
    set.put({ kind: "show", notice });
    set.put({ kind: "show", notice });
    expect(set.made).toHaveLength(1);
    await Promise.resolve();
    expect(set.told).toContain(3);
    set.put({ kind: "withdraw", id: "n1" });
    expect(set.made[0]?.isClosed).toBe(true);
  });

  it("tell what a watch tells also while the person looks: it stands on no page", () => {
    set.page.isVisible = true;
    set.put({ kind: "show", notice: { ...notice, kind: "watch" } });
    expect(set.made).toHaveLength(1);
  });

  it("lead to the page, and are followed again when the daemon went away", () => {
    set.put({ kind: "show", notice });
    set.made[0]?.click();
    expect(set.opened).toEqual(["n1"]);
    set.end();
    set.again();
    expect(set.page.subscriptions).toBe(2);
  });
});
