// What acts says in JSON which pane it acted on, as every item of a list does, so that a script has not to take a reference apart.
import { afterEach, beforeEach, expect, test } from "vitest";
import { DOCUMENTS } from "../core/model/documents.ts";
import { makePane } from "../test/factories/view.ts";
import { AnsweringDaemon } from "../test/fakes/answeringDaemon.ts";
import { makeFakeHome, type FakeHome } from "./testing/fakeHome.ts";

const FINGERPRINT = "9c1e5f0a7b3d2468";

let home: FakeHome;
beforeEach(async () => {
  home = makeFakeHome();
  await home.serve(
    new AnsweringDaemon([makePane({ state: "running", fingerprint: FINGERPRINT, version: 3 })]),
  );
});
afterEach(() => home.close());

test.each([
  ["send", "--text", "x"],
  ["kill", "--yes"],
  ["interrupt"],
  ["answer", "--if-prompt", FINGERPRINT, "--deny"],
])("%s tells as JSON which pane it acted on, in the words of list panes", async (verb, ...options) => {
  const { code, stdout } = await home.run([verb, "runtime:rt1", ...options, "--json"]);
  const document = DOCUMENTS[verb]?.parse(JSON.parse(stdout));
  expect([code, document]).toMatchObject([0, { identity: makePane().identity, outcome: "delivered" }]);
});
