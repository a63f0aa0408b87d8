// A list and a menu of an agent: no text is typed into it. All of them: views.slow.test.ts.
import { describeViews } from "./views.ts";

describeViews("claude", ["permissions", "slash_menu", "agents"]);
describeViews("codex", ["permissions", "find"]);
describeViews("omp", ["settings"]);
describeViews("pi", ["model"]);
