// The calls of automation over the socket.
import type { AutomationCalls } from "../features/automation/calls.ts";
import { createAsk } from "./askFeature.ts";

export const askAutomation = createAsk<AutomationCalls>("automation");
