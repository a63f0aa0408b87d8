// The cards of agents that ask, each kind once.
import { openOnce } from "./looks/openedOnce.ts";

openOnce(["diff", "folded", "part", "plan", "answer", "question", "long", "edit-40"]);
