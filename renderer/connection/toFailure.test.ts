import { TRPCClientError } from "@trpc/client";
import { describe, expect, it } from "vitest";
import { toFailure } from "./connectHost.ts";

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
