// Of several open requests only the one whose dialog is drawn is approved, and each check that tells it is needed. More of them:
// model.slow.test.ts.
import { expect, test } from "vitest";
import { REQUEST_FAMILIES, surveyRequests, type RequestCheck } from "./model/openRequests.ts";

/** Open requests of which the wrong one is approved where a check is missing. */
const NEEDED_TO_TELL: Record<RequestCheck, string> = {
  "other requests": "common tails",
  "place of rows": "common tails",
  "place of the remark": "remarks that equal bodies",
  "whole change": "changes of one file",
  "whole text": "empty contents",
};

test.each(Object.entries(NEEDED_TO_TELL) as [RequestCheck, string][])(
  "without the check of the %s another one is approved of '%s'",
  (without, family) => {
    expect(() => surveyRequests(2_000, 1, without, [family])).toThrow("Property failed");
  },
);

test("of pairs and triples of open requests only the one that is drawn is approved", () => {
  const tallies = surveyRequests(1_400, 20_263);
  expect(tallies.map(({ name, outcomes }) => [name, outcomes.WRONG, outcomes.approved > 0])).toEqual(
    REQUEST_FAMILIES.map((name) => [name, 0, true]),
  );
});
