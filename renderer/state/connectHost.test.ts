import { TRPCClientError } from "@trpc/client";
import { describe, expect, it } from "vitest";
import { NavigationRequests, toFailure } from "./connectHost.ts";

describe("a failed call as a sentence", () => {
  it.each([
    ["the pane is gone", "the pane is gone"],
    [
      '[{"code":"custom","path":["argv"],"message":"exactly one word is {}"}]',
      "argv: exactly one word is {}",
    ],
    ["[host] did not answer", "[host] did not answer"],
    ["[]", "[]"],
    ["", "The request failed"],
  ])("'%s' reads '%s'", (message, read) =>
    expect(toFailure(new TRPCClientError(message)).message).toBe(read),
  );
});

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
