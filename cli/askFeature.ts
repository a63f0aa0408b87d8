// Asks a feature of the daemon by the name of its call: what it answers is what the feature's table says.
import type { AnswerFrom, SentTo } from "../core/api/calls.ts";
import type { DaemonClient } from "../core/rpc/socketClient.ts";

/** `feature`: the first part of its calls. */
export const createAsk =
  <Table extends Record<string, { kind: "query" | "mutation" }>>(feature: string) =>
  async <Name extends keyof Table & string>(
    client: DaemonClient,
    name: Name,
    kind: Table[Name]["kind"],
    input: SentTo<Table[Name]>,
  ): Promise<AnswerFrom<Table[Name]>> =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
    (await client.forward(`${feature}.${name}`, kind, input)) as AnswerFrom<Table[Name]>;
