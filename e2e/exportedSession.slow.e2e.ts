// A session that an agent filled with attacks, exported and opened in Chromium: it makes no element and no request.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sessionHtml } from "../cli/render/sessionHtml.ts";
import type { HistoryEntry, HistorySession } from "../core/model/history.ts";
import { takeChromium } from "./launchers/workerBrowser.ts";
import { recordLook } from "./looks/look.ts";

const ATTACKS = [
  "<script>document.title = 'owned'; fetch('http://127.0.0.1:9/x')</script>",
  "<img src=http://127.0.0.1:9/a.png onerror=alert(1)>",
  "<svg/onload=fetch('http://127.0.0.1:9/s')><style>@import url(http://127.0.0.1:9/c.css);</style>",
  "</div></section></main></body><iframe src=http://127.0.0.1:9/f></iframe><base href=http://127.0.0.1:9/>",
  "<link rel=prefetch href=http://127.0.0.1:9/p><meta http-equiv=refresh content='0;url=http://127.0.0.1:9/r'>",
  "![x](http://127.0.0.1:9/m.png) [click](javascript:alert(1)) <a href='javascript:alert(1)'>a</a>",
  "\"'><object data=http://127.0.0.1:9/o></object>&lt;script&gt;alert(1)&lt;/script&gt;&#60;script&#62;",
  "--><!-- ]]> <![CDATA[<script>alert(1)</script>]]> <?xml-stylesheet href=http://127.0.0.1:9/?>",
  "\u202Egnp.exe \u200B\u0000\u001B[2J \uD800 \uFFFE",
  "a".repeat(50_000),
];

const session: HistorySession = {
  identity: { target: "host", agent: "codex", session_id: ATTACKS[0] ?? "" },
  agent_name: ATTACKS[1] ?? "",
  short_ref: "x",
  title: ATTACKS[3] ?? "",
  first_prompt: ATTACKS[4] ?? "",
  folder: ATTACKS[6] ?? "",
  branch: ATTACKS[7] ?? "",
  started_at: "2026-11-22T10:00:00.000Z",
  last_at: `2026-11-22T10:00:00.000Z"><script>alert(1)</script>`,
  size: 1,
  parent_id: null,
  pane_ref: null,
};
const roles = ["user", "agent", "tool", "note"] as const;
const entries: HistoryEntry[] = ATTACKS.flatMap((text) =>
  roles.map((role) => ({ role, text, at: `2026-11-22T10:00${text.slice(0, 40)}` })),
);

let browser: Browser;
let folder: string;

takeChromium((given) => (browser = given));
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-export-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
});

describe("an exported session", () => {
  it("shows every attack as text, asks for nothing, runs nothing, and can be read by everybody", async () => {
    const file = join(folder, "attacks.html");
    writeFileSync(file, sessionHtml(session, entries, [ATTACKS[0] ?? ""]));
    const context = await browser.newContext({
      bypassCSP: true,
      viewport: { width: 900, height: 800 },
    });
    const page = await context.newPage();
    const requests: string[] = [];
    const dialogs: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    page.on("dialog", (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    // Without its policy, so that the escaping alone is what holds.
    const url = pathToFileURL(file).href;
    await page.goto(url, { waitUntil: "load" });
    await page.waitForTimeout(300);
    expect(requests).toEqual([url]);
    expect(dialogs).toEqual([]);
    const found = await page.evaluate(() => {
      const count = (names: string): number => document.querySelectorAll(names).length;
      const names = [...new Set([...document.querySelectorAll("*")].map(({ localName }) => localName))];
      return {
        names: names.toSorted(),
        sections: count("section"),
        mains: count("main"),
        attributes: count("[onerror],[onload],[href],[src]"),
      };
    });
    expect(found).toEqual({
      names: [
        "body",
        "dd",
        "div",
        "dl",
        "dt",
        "h1",
        "h2",
        "head",
        "html",
        "main",
        "meta",
        "p",
        "section",
        "style",
        "time",
        "title",
      ],
      sections: entries.length,
      mains: 1,
      attributes: 0,
    });
    const shown = await page.locator("section.agent .text").nth(1).textContent();
    expect(shown).toBe(ATTACKS[1]);
    await recordLook(page, { name: "exportedSession", isPictured: false });
    await context.close();
  });

  it("is kept from loading anything by its own policy, too", async () => {
    const file = join(folder, "policy.html");
    const html = sessionHtml(session, [], []).replace(
      "</main>",
      "<img src=http://127.0.0.1:9/a.png><script>document.title='owned'</script></main>",
    );
    writeFileSync(file, html);
    const page = await browser.newPage();
    const refused: string[] = [];
    page.on("requestfailed", (request) => refused.push(request.failure()?.errorText ?? ""));
    await page.goto(pathToFileURL(file).href);
    expect(await page.title()).not.toBe("owned");
    expect(refused.every((why) => why === "csp")).toBe(true);
    const size = await page.evaluate(() => getComputedStyle(document.body).maxWidth);
    expect(size, "its own style is allowed").toBe("832px");
    await page.close();
  });
});
