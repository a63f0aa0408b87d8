import { expect, it } from "vitest";
import { outcomeText } from "./actionStatus.ts";

it("says what came of an action in words of the popover, not of the terminal", () => {
  const failure = { message: "nothing was sent: \u202eit changed", remedy: "Run 'agtmux list'.", code: null };
  expect([
    outcomeText({ kind: "sending", action: "kill" }),
    outcomeText({
      kind: "done",
      action: "send",
      outcome: "unverified",
      detail: "not seen",
      notes: ["3 left out"],
    }),
    outcomeText({ kind: "refused", action: "answer", failure: { ...failure, code: "E_STALE_SNAPSHOT" } }),
    outcomeText({ kind: "lost", action: "send", failure }),
    outcomeText({ kind: "sending", action: "answer", further: "answer" }),
    outcomeText({ kind: "refused", action: "answer", failure, further: "kill" }),
    outcomeText({ kind: "done", action: "later", outcome: "delivered", detail: "it waits", notes: [] }),
    outcomeText({ kind: "lost", action: "later", failure: { ...failure, remedy: null, message: "gone" } }),
  ]).toEqual([
    { head: "", detail: "Sending the signal…" },
    { head: "Not verified.", detail: "Not seen. 3 left out." },
    { head: "Refused.", detail: "Nothing was sent: ⟨U+202E⟩it changed. Check the pane, then try again." },
    {
      head: "Unknown.",
      detail:
        "It may or may not have arrived; check the pane first. Nothing was sent: ⟨U+202E⟩it changed. Run 'agtmux list'.",
    },
    { head: "", detail: "Answering… The second answer wasn't sent." },
    {
      head: "Refused.",
      detail:
        "Nothing was sent: ⟨U+202E⟩it changed. Run 'agtmux list'. What you chose in the meantime wasn't done.",
    },
    { head: "Scheduled.", detail: "It waits." },
    { head: "Unknown.", detail: "It may or may not be scheduled; check Automation first. Gone." },
  ]);
});
