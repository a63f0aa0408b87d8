// The terminal of one program in a real pane, read and drawn by the test itself: the program that tmux started only waits.
// What arrives is exact in order: `drain` takes everything that tmux had written up to then.
import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";

const BUFFER = Buffer.alloc(1 << 16);

const hasCode = (error: unknown, codes: readonly string[]): boolean =>
  error instanceof Error && "code" in error && codes.includes(String(error.code));

export class Terminal {
  private fd: number | null;

  /** `tty`: path of the pane's terminal, in raw mode already. */
  constructor(tty: string) {
    this.fd = openSync(tty, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
  }

  /** Everything that was written to the program and not taken yet; empty once the terminal is gone. */
  drain(): Buffer {
    const parts: Buffer[] = [];
    while (this.fd !== null) {
      try {
        const size = readSync(this.fd, BUFFER);
        if (size === 0) this.close();
        else parts.push(Buffer.from(BUFFER.subarray(0, size)));
      } catch (error) {
        if (hasCode(error, ["EAGAIN"])) break;
        if (!hasCode(error, ["EIO"])) throw error;
        this.close();
      }
    }
    return Buffer.concat(parts);
  }

  /** What the program would print. Lost when the terminal is gone. */
  write(text: string): void {
    if (this.fd === null) return;
    try {
      writeSync(this.fd, text);
    } catch (error) {
      if (!hasCode(error, ["EIO"])) throw error;
      this.close();
    }
  }

  close(): void {
    if (this.fd !== null) closeSync(this.fd);
    this.fd = null;
  }
}
