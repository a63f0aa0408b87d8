// The settings as a person uses them: by roles and names.
import type { Locator, Page } from "playwright";

export class SettingsPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get sections(): Locator {
    return this.page.getByRole("navigation", { name: "Sections" }).getByRole("button");
  }
  get alert(): Locator {
    return this.page.getByRole("alert");
  }
  toggle(name: string): Locator {
    return this.page.getByRole("switch", { name, exact: true });
  }
  /** The entry of a list whose accessible name begins so. */
  card(list: string, name: string): Locator {
    return this.page.getByRole("list", { name: list, exact: true }).locator(`> li[aria-label^="${name},"]`);
  }
  /** Opens the settings by the key, once the page handles keys. */
  async enter(): Promise<void> {
    await this.page.getByRole("button", { name: "Settings" }).waitFor();
    await this.page.keyboard.press(",");
    await this.isAt("Settings");
  }
  async open(section: string): Promise<void> {
    await this.sections.and(this.page.locator(`:has(:text-is("${section}"))`)).click();
  }
  async back(): Promise<void> {
    await this.page.keyboard.press("Escape");
  }
  /** Resolves when the view with that name has the focus on its heading. */
  async isAt(title: string): Promise<void> {
    await this.page
      .getByRole("heading", { name: title, level: 1 })
      .and(this.page.locator(":focus"))
      .waitFor();
  }
}
