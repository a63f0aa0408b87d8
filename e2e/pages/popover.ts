// The popover as a person uses it: by roles and names, never by classes. Every launcher's page is driven through it.
import type { Locator, Page } from "playwright";

export class PopoverPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get list(): Locator {
    return this.page.getByRole("list", { name: "Agents" });
  }
  /** All rows in the document, headings and groups included. */
  get items(): Locator {
    return this.list.locator("> [role=listitem]");
  }
  get paneRows(): Locator {
    return this.page.locator("[data-row=pane]");
  }
  get groups(): Locator {
    return this.page.locator("[data-row=group]");
  }
  get filter(): Locator {
    return this.page.getByRole("searchbox", { name: "Filter" });
  }
  get chips(): Locator {
    return this.page.getByRole("group", { name: "States" }).getByRole("button");
  }
  get detail(): Locator {
    return this.page.getByRole("group", { name: "Detail" });
  }
  get alert(): Locator {
    return this.page.getByRole("alert");
  }
  get dialog(): Locator {
    return this.page.getByRole("dialog");
  }
  /** The result of the last action, on every row where it succeeded. */
  get status(): Locator {
    return this.page.getByRole("status");
  }
  get actions(): Locator {
    return this.detail.getByRole("group", { name: "Actions" });
  }
  get missing(): Locator {
    return this.detail.getByRole("list", { name: "Not possible now" });
  }
  get replyBox(): Locator {
    return this.detail.getByRole("textbox");
  }
  get screen(): Locator {
    return this.detail.getByLabel("Screen", { exact: true }).and(this.page.locator("pre"));
  }
  get sessions(): Locator {
    return this.page.locator("[data-row=session]");
  }
  get targets(): Locator {
    return this.page.locator("[data-row=target]");
  }
  get announcements(): Locator {
    return this.page.getByRole("log", { name: "New waits" });
  }

  /** The row whose accessible name contains the text. */
  row(name: string): Locator {
    return this.page.getByRole("button", { name }).and(this.paneRows).first();
  }
  group(name: string): Locator {
    return this.page.getByRole("button", { name }).and(this.groups).first();
  }
  chip(name: string): Locator {
    return this.chips.filter({ hasText: name });
  }
  attachButton(name: string): Locator {
    return this.page.getByRole("button", { name: `Attach to ${name}` });
  }

  tab(name: string): Locator {
    return this.page.getByRole("navigation", { name: "Views" }).getByRole("button", { name });
  }
  action(name: string): Locator {
    return this.actions.getByRole("button", { name });
  }
  option(name: string): Locator {
    return this.detail.getByRole("list", { name: "Options" }).getByRole("button", { name });
  }

  /** Accessible names of the pane rows in the document, top to bottom. */
  paneNames(): Promise<string[]> {
    return this.paneRows.evaluateAll((rows) => rows.map((row) => row.getAttribute("aria-label") ?? ""));
  }
  focusedName(): Promise<string | null> {
    return this.page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? null);
  }
  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }
  async scrollTo(offset: number): Promise<void> {
    await this.list.evaluate((list, top) => {
      const scroller = list.parentElement;
      if (scroller !== null) scroller.scrollTop = top;
    }, offset);
  }
}
