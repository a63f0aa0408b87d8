import { defineConfig, mergeConfig } from "vitest/config";
import config from "../../vitest.config.ts";

// `npm run test:packaging`: what `npm test` runs of this folder, and what takes longer.
export default mergeConfig(config, defineConfig({ test: { include: ["test/packaging/*.long.ts"] } }));
