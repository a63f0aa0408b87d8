// A stand with agtmux: its daemon, which watches the stand's tmux server, and what `agtmux watch` tells.
import type { LiveAgent } from "../agents/liveAgent.ts";
import { join } from "node:path";
import { openLiveFeed, type LiveFeed } from "./liveFeed.ts";
import { openStand, type Stand, type StandOptions } from "./openStand.ts";
import { createProduct, type Product } from "./product.ts";

export interface Rig extends Stand {
  readonly product: Product;
  readonly feed: LiveFeed;
}

export const openRig = async (options: StandOptions): Promise<Rig> => {
  const stand = await openStand(options);
  try {
    const { agent, companion, mode, place, root, socketPath } = stand;
    const product = createProduct({ home: place.home, agtmuxHome: join(root, "a"), socketPath });
    stand.own(() => product.stop());
    const agents = companion === null ? [agent] : [agent, companion];
    if (mode === "integrated") for (const one of agents) await integrate(product, one);
    const feed = await openLiveFeed(product.env);
    stand.own(() => feed.close());
    return { ...stand, product, feed };
  } catch (error) {
    await stand[Symbol.asyncDispose]();
    throw error;
  }
};

const integrate = async (product: Product, agent: LiveAgent): Promise<void> => {
  const { code, stdout, stderr } = await product.run("integrate", agent.id, "--yes");
  if (code !== 0) throw new Error(`agtmux integrate ${agent.id} ended with ${code}: ${stderr || stdout}`);
};
