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
    return this.page.getByRole("searchbox", { name: "Search" });
  }
  get totals(): Locator {
    return this.page.getByRole("group", { name: "Totals" }).getByRole("button");
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
    return this.detail.getByRole("list", { name: "Not available now" });
  }
  get replyBox(): Locator {
    return this.page.getByRole("main").or(this.page.getByRole("complementary")).getByRole("textbox");
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
  total(name: string): Locator {
    return this.totals.filter({ hasText: name });
  }
  /** The card of an agent that waits; its name has the agent and the window. */
  card(name: string): Locator {
    return this.page.locator("[data-card=true]").and(this.page.getByRole("group", { name }));
  }
  /** A button of a card. */
  answer(card: string, name: string): Locator {
    return this.card(card).getByRole("group", { name: "Answers" }).getByRole("button", { name });
  }
  attachButton(name: string): Locator {
    return this.page.getByRole("button", { name: `Attach to ${name}` });
  }

  tab(name: string): Locator {
    return this.page.getByRole("navigation", { name: "Views" }).getByRole("button", { name });
  }
  /** On a card, or in a detail. */
  action(name: string): Locator {
    return this.page
      .getByRole("main")
      .locator("[aria-label=Answers], [aria-label=Actions]")
      .getByRole("button", { name });
  }
  option(name: string): Locator {
    return this.page.getByRole("list", { name: "Options" }).getByRole("button", { name });
  }

  /** Waits as long as a person who reads what is selected: nothing of it moved for a while. */
  async read(): Promise<void> {
    await this.page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          const look = () => {
            const selected = document.querySelector("[data-selected=true]");
            const box = selected?.getBoundingClientRect();
            return `${selected?.textContent} ${box?.top} ${box?.height}`;
          };
          let [seen, since] = ["", 0];
          const frame = (now: number) => {
            const current = look();
            if (current !== seen) [seen, since] = [current, now];
            if (now - since > 600) resolve();
            else requestAnimationFrame(frame);
          };
          requestAnimationFrame(frame);
        }),
    );
  }
  /** Reads the selected card page by page, by the keyboard. */
  async readToEnd(): Promise<void> {
    const isAtEnd = () =>
      this.page.evaluate(() => {
        const asked = document.querySelector("[data-selected=true] [data-asked]")?.getBoundingClientRect();
        const list = document.querySelector("[data-list]")?.getBoundingClientRect();
        return (asked?.bottom ?? 0) <= (list?.bottom ?? 0) + 1;
      });
    for (let page = 0; page < 20; page += 1) {
      await this.read();
      if (await isAtEnd()) return;
      await this.press("ArrowRight");
    }
    throw new Error("the card has no end");
  }
  /** Reads, then presses. */
  async readAndPress(key: string): Promise<void> {
    await this.read();
    await this.press(key);
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
