// Gives the keyboard back to the program that had it before the popover came. macOS does that only for an app that hides as a
// whole. Not where another program is in front by then, or about to be: it would be put behind.

export class FocusReturn {
  private readonly hideApp: () => void;
  private isAsked = false;
  private isElsewhere = false;

  /** `hideApp` gives the focus back. */
  constructor(hideApp: () => void) {
    this.hideApp = hideApp;
  }

  /** A person closes the popover; if it is open, it hides next. */
  ask(): void {
    this.isAsked = true;
  }

  /** Does what brings another program to the front; where that fails, everything is as it was. */
  async goElsewhere<T>(go: () => Promise<T>): Promise<T> {
    this.isElsewhere = true;
    try {
      return await go();
    } catch (error) {
      this.isElsewhere = false;
      throw error;
    }
  }

  shown(): void {
    this.isAsked = false;
    this.isElsewhere = false;
  }

  hidden(): void {
    const isDue = this.isAsked && !this.isElsewhere;
    this.shown();
    if (isDue) this.hideApp();
  }
}
