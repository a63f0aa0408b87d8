import { EventEmitter } from "node:events";
import { beforeEach, describe, expect, it } from "vitest";
import type { Notice } from "../core/api/service.ts";
import { makePane } from "../test/factories/view.ts";
import { NoticePresenter } from "./noticePresenter.ts";

class FakeNotification extends EventEmitter {
  isShown = false;
  show(): void {
    this.isShown = true;
  }
  close(): void {
    this.isShown = false;
  }
}

let made: FakeNotification[];
let clicked: string[];
let failures: string[];
let presenter: NoticePresenter;
const notice = (id: string): Notice => ({
  id,
  title: "Claude Code needs a permission",
  body: "",
  pane: makePane(),
});

beforeEach(() => {
  made = [];
  clicked = [];
  failures = [];
  presenter = new NoticePresenter({
    create: () => {
      const native = new FakeNotification();
      made.push(native);
      return native;
    },
    onClick: ({ id }) => clicked.push(id),
    onFailed: (error) => failures.push(error),
  });
});

describe("native notifications", () => {
  it("show a notice once, also after it was withdrawn", () => {
    presenter.handle({ kind: "show", notice: notice("a") });
    presenter.handle({ kind: "show", notice: notice("a") });
    presenter.handle({ kind: "withdraw", id: "a" });
    presenter.handle({ kind: "show", notice: notice("a") });
    expect(made.map(({ isShown }) => isShown)).toEqual([false]);
  });

  it("are taken back one by one, and all at once", () => {
    for (const id of ["a", "b", "c"]) presenter.handle({ kind: "show", notice: notice(id) });
    presenter.handle({ kind: "withdraw", id: "b" });
    expect(made.map(({ isShown }) => isShown)).toEqual([true, false, true]);
    presenter.clear();
    expect(made.some(({ isShown }) => isShown)).toBe(false);
  });

  it("lead to their pane when clicked", () => {
    for (const id of ["a", "b"]) presenter.handle({ kind: "show", notice: notice(id) });
    made[1]?.emit("click", {});
    expect(clicked).toEqual(["b"]);
  });

  it("say why the system did not show them", () => {
    presenter.handle({ kind: "show", notice: notice("a") });
    made[0]?.emit("failed", {}, "not permitted");
    expect(failures).toEqual(["not permitted"]);
  });
});
