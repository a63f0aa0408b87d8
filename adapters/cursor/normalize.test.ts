import { describe, expect, it } from "vitest";
import { eventsOf } from "../testkit/events.ts";
import { normalizeCursor } from "./normalize.ts";

const { normalized } = eventsOf("cursor", normalizeCursor);
const signalOf = (name: string, payload: Record<string, unknown>) => normalized(name, payload).signals[0];

describe("Cursor's documented events", () => {
  it.each([
    [{ status: "completed" }, "completed/turn_ended"],
    [{ status: "aborted" }, "idle/interrupted"],
    [{ status: "error" }, "error/api_error"],
  ])("reads how the loop stopped from %j", (payload, expected) => {
    const signal = signalOf("stop", payload);
    const status = signal?.kind === "activity" ? signal.status : null;
    expect(`${status?.state}/${status?.reasonCode}`).toBe(expected);
  });

  it("only knows that it stopped when it does not say how", () => {
    expect(signalOf("stop", { status: "other" })?.kind).toBe("settled");
  });
});
