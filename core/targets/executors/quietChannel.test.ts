// What the library does once its connection is gone, played by a stream: it throws from everything that writes.
import { Duplex } from "node:stream";
import type { ClientChannel } from "ssh2";
import { expect, it } from "vitest";
import { quietenChannel } from "./ssh2Transport.ts";

class DeadChannel extends Duplex {
  calls: string[] = [];
  private fail(call: string): never {
    this.calls.push(call);
    throw new Error("Invalid Zlib instance");
  }
  eof(): void {
    this.fail("eof");
  }
  close(): void {
    this.fail("close");
  }
  override _read(): void {
    this.fail("read");
  }
  override _write(): void {
    this.fail("write");
  }
}

it("neither throws nor hangs when its connection is gone, and tells a failed write as an error", async () => {
  const stream = new DeadChannel();
  stream.on("prefinish", () => stream.eof());
  // oxlint-disable-next-line no-unsafe-type-assertion -- the parts of a channel that matter here
  quietenChannel(stream as unknown as ClientChannel);
  const failed = new Promise<Error>((resolve) => stream.once("error", resolve));
  stream.read();
  stream.close();
  stream.write("x");
  expect((await failed).message).toBe("Invalid Zlib instance");
  expect(stream.calls.toSorted()).toEqual(["close", "read", "write"]);
  const other = new DeadChannel();
  other.on("prefinish", () => other.eof());
  // oxlint-disable-next-line no-unsafe-type-assertion -- as above
  quietenChannel(other as unknown as ClientChannel);
  await new Promise<void>((resolve) => other.end(resolve));
  expect(other.calls).toEqual(["eof"]);
});
