// A channel of the ssh2 library that survives the end of its connection. With compression the library cannot write any more
// then, and throws from wherever it is called, from the event loop too, which would end this process: there is nothing left
// that could be said over there.
import type { ClientChannel } from "ssh2";

const quiet =
  <T extends unknown[]>(call: (...words: T) => unknown): ((...words: T) => void) =>
  (...words) => {
    try {
      call(...words);
    } catch {
      // That the connection is gone is told by the channel's closing.
    }
  };

/** Changes the channel itself; to be called before anything else uses it. */
export const quietenChannel = (stream: ClientChannel): void => {
  const write = stream._write.bind(stream);
  Object.assign(stream, {
    eof: quiet(stream.eof.bind(stream)),
    close: quiet(stream.close.bind(stream)),
    _read: quiet(stream._read.bind(stream)),
    _write: (...words: Parameters<typeof write>) => {
      try {
        write(...words);
      } catch (error) {
        words[2](error instanceof Error ? error : new Error(String(error)));
      }
    },
  });
};
