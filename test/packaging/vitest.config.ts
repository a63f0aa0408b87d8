import { defineConfig, mergeConfig } from "vitest/config";
import config from "../../vitest.config.ts";

// `npm run test:packaging`: what `npm test` runs of this folder, and what takes longer.
const longer = { extends: true as const, test: { name: "packaging", include: ["test/packaging/*.long.ts"] } };
export default mergeConfig(config, defineConfig({ test: { projects: [longer] } }));
