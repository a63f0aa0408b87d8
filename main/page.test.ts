import { describe, expect, it } from "vitest";
import { answerPage, isFromPage, isPageUrl, PAGE_URL } from "./pageAnswer.ts";

const files = new Map([
  ["/", { contentType: "text/html; charset=utf-8", body: Buffer.from("<p>popover</p>") }],
]);

describe("the popover's address", () => {
  it("answers a listed file with a policy that allows nothing from elsewhere", async () => {
    const answer = answerPage(files, new Request(PAGE_URL));
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe("<p>popover</p>");
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(answer.headers.get("content-security-policy")).not.toContain("unsafe");
  });

  it.each([
    `${PAGE_URL}../package.json`,
    `${PAGE_URL}%2e%2e/package.json`,
    `${PAGE_URL}none.js`,
    "agtmux://other/",
  ])("has nothing at %s", (url) => expect(answerPage(files, new Request(url)).status).toBe(404));

  it("takes no writes", () => {
    expect(answerPage(files, new Request(PAGE_URL, { method: "POST" })).status).toBe(404);
  });

  it.each(["https://popover/", "agtmux://popover.evil/", "agtmux://popover@evil/", "not a url", ""])(
    "is not %j",
    (url) => expect(isPageUrl(url)).toBe(false),
  );
});

describe("the sender check", () => {
  const mainFrame = { url: PAGE_URL };
  const contents = { mainFrame };

  it("hears the main frame of its own window at the popover's address", () => {
    expect(isFromPage({ sender: contents, senderFrame: mainFrame }, contents)).toBe(true);
  });

  it.each([
    ["another window", { sender: {}, senderFrame: mainFrame }],
    ["a frame inside", { sender: contents, senderFrame: { url: PAGE_URL } }],
    ["a frame that is gone", { sender: contents, senderFrame: null }],
  ])("does not hear %s", (_who, event) => expect(isFromPage(event, contents)).toBe(false));

  it("does not hear its own window at another address", () => {
    const frame = { url: "https://evil.test/" };
    const elsewhere = { mainFrame: frame };
    expect(isFromPage({ sender: elsewhere, senderFrame: frame }, elsewhere)).toBe(false);
  });
});
