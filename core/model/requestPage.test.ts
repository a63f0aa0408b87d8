// Addresses that may be opened, and all that may not, whoever gave them.
import { expect, it } from "vitest";
import { makePane, makePullRequest, makeWorkspace } from "../../test/factories/view.ts";
import { isRequestPage, pageOfPane, pageOfRequest } from "./requestPage.ts";

it("opens the pages of pull and merge requests, each on its own host", () => {
  for (const address of [
    "https://github.com/acme/shop/pull/12",
    "https://gitlab.com/acme/web/shop/-/merge_requests/7",
    "https://git.acme.example/a.b/c_d-e/pull/1",
  ]) {
    const [, host = ""] = /^https:\/\/([^/]+)/.exec(address) ?? [];
    expect([
      isRequestPage(address, null),
      isRequestPage(address, host),
      isRequestPage(address, "evil.example"),
    ]).toEqual([true, true, false]);
  }
  const workspace = makeWorkspace({ pull_request: makePullRequest() });
  expect(pageOfPane(makePane({ workspace }))).toBe("https://github.com/acme/shop/pull/12");
  expect([pageOfPane(makePane()), pageOfPane(makePane({ workspace: makeWorkspace() }))]).toEqual([
    null,
    null,
  ]);
  expect(pageOfRequest(makePullRequest({ host: "other.example" }))).toBeNull();
  expect(pageOfRequest(makePullRequest({ url: null }))).toBeNull();
});

it.each([
  "javascript:alert(1)//https://github.com/acme/shop/pull/12",
  "http://github.com/acme/shop/pull/12",
  "file:///acme/shop/pull/12",
  "HTTPS://github.com/acme/shop/pull/12",
  "https://ann:secret@github.com/acme/shop/pull/12",
  "https://github.com:443/acme/shop/pull/12",
  "https://github.com\\@evil.example/acme/shop/pull/12",
  "https://github.com/acme/../../login/pull/12",
  "https://github.com/acme/shop/pull/12?x",
  "https://github.com/acme/shop/pull/12#x",
  "https://github.com/acme/shop/pull/12 --version",
  "https://github.com/acme/shop/pull/12\n",
  "https://github.com/acme/sh\u202Eop/pull/12",
  "https://github.com/acme/shop/settings",
  "https://github.com/pull/12",
  "--help",
  "",
  `https://github.com/${"a/".repeat(600)}pull/1`,
])("opens nothing else: %j", (address) => {
  expect(isRequestPage(address, null)).toBe(false);
});
