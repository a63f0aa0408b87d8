// Reads server-sent events as tRPC writes them for a subscription: data lines carry one JSON value each, `return` ends the
// stream and `serialized-error` carries an error. Only this small part of the format is understood.

export type StreamEvent<T> = { kind: "data"; value: T } | { kind: "error"; shape: unknown } | { kind: "end" };

const toEvent = <T>(name: string, data: string, parse: (json: string) => T): StreamEvent<T> | null => {
  if (name === "return") return { kind: "end" };
  if (name === "serialized-error") return { kind: "error", shape: JSON.parse(data) };
  // `connected`, `ping` and events that a newer server adds are ignored.
  if (name !== "message") return null;
  return data === "" ? null : { kind: "data", value: parse(data) };
};

/**
 * Yields the events of a body in UTF-8, each data line through `parse`. It reads on only when asked, so that a slow reader
 * slows the writer down.
 */
export async function* readEventStream<T>(
  body: AsyncIterable<Uint8Array>,
  parse: (json: string) => T,
): AsyncGenerator<StreamEvent<T>> {
  const decoder = new TextDecoder();
  let rest = "";
  let name = "message";
  let data = "";
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("event: ")) name = line.slice(7);
      else if (line.startsWith("data: ")) data += line.slice(6);
      else if (line === "") {
        const event = toEvent(name, data, parse);
        name = "message";
        data = "";
        if (event !== null) yield event;
      }
    }
  }
}
