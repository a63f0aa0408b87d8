import { expect, it } from "vitest";
import { Wishes } from "./wishes.ts";

it("keeps the last wish until somebody follows, and gives it once", () => {
  const wishes = new Wishes();
  const seen: string[] = [];
  wishes.put("integrations");
  wishes.put("settings");
  const stop = wishes.follow((view) => seen.push(view));
  wishes.put("list");
  expect(seen).toEqual(["settings", "list"]);
  stop();
  wishes.put("integrations");
  wishes.follow((view) => seen.push(view));
  expect(seen).toEqual(["settings", "list", "integrations"]);
});
