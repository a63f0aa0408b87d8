import { expect, it } from "vitest";
import { AgtmuxError } from "../core/model/errors.ts";
import { renderFailure } from "./command/document.ts";

it("tells a detail that the sentence has already only in the JSON document", () => {
  const failure = new AgtmuxError("E_STALE_SNAPSHOT", "Nothing was done: no prompt is open", {
    details: ["no prompt is open", "the state is idle"],
    remedy: "Look again",
  });
  expect(renderFailure(failure, false, 0)).toBe(
    "agtmux: Nothing was done: no prompt is open [E_STALE_SNAPSHOT]. Look again.\n  the state is idle\n",
  );
  expect(JSON.parse(renderFailure(failure, true, 0))).toMatchObject({ error: { details: failure.details } });
});

it("prints nothing of a remedy that a terminal would obey", () => {
  const failure = new AgtmuxError("E_USAGE", "no", { remedy: "Run\u001b[2J this\u0007" });
  expect(renderFailure(failure, false, 0)).toBe("agtmux: no [E_USAGE]. Run this.\n");
});
