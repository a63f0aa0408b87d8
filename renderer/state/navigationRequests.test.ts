import { expect, it } from "vitest";
import { NavigationRequests } from "./navigationRequests.ts";

it("keeps the last request until somebody follows, and gives it once", () => {
  const requests = new NavigationRequests();
  const seen: string[] = [];
  requests.put("integrations");
  requests.put("settings");
  const stop = requests.follow((view) => seen.push(view));
  requests.put("list");
  expect(seen).toEqual(["settings", "list"]);
  stop();
  requests.put("integrations");
  requests.follow((view) => seen.push(view));
  expect(seen).toEqual(["settings", "list", "integrations"]);
});
