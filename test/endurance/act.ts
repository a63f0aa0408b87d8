// What people do to the agents of a soak that ask something: every action, rightly and wrongly guarded, all at once.
import { AgtmuxError } from "../../core/model/errors.ts";
import { actionGuardsSchema } from "../../core/model/action.ts";
import type { PaneView } from "../../core/model/view.ts";
import type { DaemonClient } from "../../core/rpc/socketClient.ts";
import type { SoakHarness } from "./soakHarness.ts";

const tallied = async (actions: Map<string, number>, name: string, work: Promise<unknown>): Promise<void> => {
  const word = await work.then(
    (result) =>
      typeof result === "object" && result !== null && "outcome" in result ? String(result.outcome) : "done",
    (error: unknown) => {
      if (!(error instanceof AgtmuxError) || error.code === "E_INTERNAL") throw error;
      return error.code;
    },
  );
  actions.set(`${name} ${word}`, (actions.get(`${name} ${word}`) ?? 0) + 1);
};

/** On rows that wait: each may be refused, none may break anything. */
export const act = async (
  harness: SoakHarness,
  rows: readonly PaneView[],
  actions: Map<string, number>,
): Promise<void> => {
  const surface = "soak";
  const guards = (row: PaneView, isRight: boolean) =>
    actionGuardsSchema.parse({ ifPrompt: isRight ? row.prompt_fingerprint : "0".repeat(16) });
  await Promise.all(
    rows.flatMap((row, index) => {
      const ref = row.identity.pane_ref;
      const plain = { ref, guards: actionGuardsSchema.parse({}), surface };
      const call = (name: string, run: Parameters<DaemonClient["call"]>[0]) =>
        tallied(actions, name, harness.client.call(run));
      return [
        call("output", (api) => api.viewOutput.mutate({ ...plain, lines: 100 })),
        call("attach", (api) => api.prepareAttach.mutate(plain)),
        call("send", (api) => api.send.mutate({ ...plain, text: "hello", idempotencyKey: `key ${index}` })),
        call("answer", (api) =>
          api.answer.mutate({
            ref,
            surface,
            guards: guards(row, index % 2 === 0),
            choice: { kind: "approve" },
          }),
        ),
      ];
    }),
  );
};
