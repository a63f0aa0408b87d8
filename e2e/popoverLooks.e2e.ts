// The list and what a row of it shows, each view once; light and dark, large and small are for the slow ones.
import { openOnce } from "./looks/openedOnce.ts";

openOnce(["empty", "agents", "many", "why", "output", "reply", "refused", "disconnected"]);
