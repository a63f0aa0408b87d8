// Draws the menu-bar icons: one shape per urgency, black with alpha (macOS template images), at 16 and 32 pixels. Run it
// after changing a shape and commit the images; nothing at run time draws.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodePng } from "./encodePng.mjs";

const OUT = join(import.meta.dirname, "..", "resources", "icons");
/** Samples per pixel and axis: edges get 16 levels of alpha. */
const SAMPLES = 4;

/** An 8-bit grey + alpha PNG whose grey is black everywhere. */
const toPng = (size, alphaAt) => encodePng(size, 2, (x, y) => [0, Math.round(255 * alphaAt(x, y))]);

// Shapes are predicates on a 16 × 16 grid, so that every size shows the same.
const inRect = (x, y, left, top, right, bottom) => x >= left && x < right && y >= top && y < bottom;
const distance = (x, y, cx, cy) => Math.hypot(x - cx, y - cy);
const nearSegment = (x, y, [ax, ay], [bx, by], radius) => {
  const along = Math.max(
    0,
    Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2)),
  );
  return distance(x, y, ax + along * (bx - ax), ay + along * (by - ay)) <= radius;
};

/** Two panes side by side, the product's own mark: the outline of a window with a divider. */
const panes = (x, y) =>
  inRect(x, y, 1, 2, 15, 14) && !(inRect(x, y, 2.4, 3.4, 7.3, 12.6) || inRect(x, y, 8.7, 3.4, 13.6, 12.6));
const dot = (x, y) => distance(x, y, 8, 8) <= 4;
const ring = (x, y) => distance(x, y, 8, 8) <= 7 && distance(x, y, 8, 8) >= 5.7;
/** Filled triangle with the exclamation mark cut out. */
const triangle = (x, y) =>
  y >= 1.5 &&
  y <= 14.5 &&
  Math.abs(x - 8) <= (y - 0.8) * 0.54 &&
  !nearSegment(x, y, [8, 6], [8, 9.4], 0.9) &&
  distance(x, y, 8, 12) > 1;
/** Filled disc with the question mark cut out. */
const question = (x, y) => {
  const isArc =
    Math.abs(distance(x, y, 8, 6.1) - 2.1) <= 0.75 && !(x < 8 && y > 6.1) && !(x > 8.8 && y > 8.3);
  const isMark = isArc || nearSegment(x, y, [8, 8.2], [8, 9.4], 0.75) || distance(x, y, 8, 11.7) <= 0.95;
  return distance(x, y, 8, 8) <= 7 && !isMark;
};
const cross = (x, y) => nearSegment(x, y, [3, 3], [13, 13], 1.5) || nearSegment(x, y, [13, 3], [3, 13], 1.5);

const SHAPES = {
  none: panes,
  running: (x, y) => dot(x, y) || ring(x, y),
  waiting_approval: triangle,
  waiting_input: question,
  error: cross,
};

for (const [urgency, isInside] of Object.entries(SHAPES))
  for (const scale of [1, 2]) {
    const alphaAt = (px, py) => {
      let hits = 0;
      for (let i = 0; i < SAMPLES; i++)
        for (let j = 0; j < SAMPLES; j++)
          if (isInside((px + (i + 0.5) / SAMPLES) / scale, (py + (j + 0.5) / SAMPLES) / scale)) hits++;
      return hits / SAMPLES ** 2;
    };
    const suffix = scale === 2 ? "@2x" : "";
    writeFileSync(join(OUT, `${urgency}Template${suffix}.png`), toPng(16 * scale, alphaAt));
  }
