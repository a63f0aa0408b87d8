// The features that every host hands to its daemon.
import type { Feature } from "../core/ports/feature.ts";
import { createAutomation } from "./automation/automation.ts";

export const createFeatures = (): Feature[] => [createAutomation()];
