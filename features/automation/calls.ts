// What surfaces ask of automation, as `automation.<name>`: each call once, with its input and its answer.
import { z } from "zod";
import { mutation, query, type Call } from "../../core/api/calls.ts";
import type { ChannelList, ChannelTest } from "../../core/model/channel.ts";

export const AUTOMATION_CALLS = {
  /** The channels in force, how their last messages went, and what is wrong with the others. */
  channelList: query(z.void())<ChannelList>(),
  /** Sends a test message now and says how that went. Fails with E_USAGE for a name that no channel in force has. */
  channelTest: mutation(z.object({ name: z.string().min(1).max(100) }))<ChannelTest>(),
};

export type AutomationCalls = typeof AUTOMATION_CALLS;
export type AutomationCall = keyof AutomationCalls;
export type AutomationInput<Name extends AutomationCall> = z.input<AutomationCalls[Name]["input"]>;
export type AutomationAnswer<Name extends AutomationCall> =
  AutomationCalls[Name] extends Call<"query" | "mutation", z.ZodType, infer Answer> ? Answer : never;

/** What answers them. */
export type AutomationService = {
  [Name in AutomationCall]: (
    input: z.output<AutomationCalls[Name]["input"]>,
  ) => Promise<AutomationAnswer<Name>>;
};
