// Gives the keyboard back to the program that had it before the popover opened. On macOS only an app that hides as a whole does
// this. It is not done when the app has brought another program to the front, or is about to: that program would be put behind.

export class FocusReturn {
  private readonly hideApp: () => void;
  private isAsked = false;
  private isElsewhere = false;

  /** `hideApp` gives the focus back. */
  constructor(hideApp: () => void) {
    this.hideApp = hideApp;
  }

  /** To be called when a person closes the popover; if it is open, it hides next. */
  ask(): void {
    this.isAsked = true;
  }

  /** Runs work that brings another program to the front; if it fails, nothing has changed. */
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
