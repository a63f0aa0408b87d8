// Draws the app's own icon, the product's mark on a rounded square: app.icns for macOS and app/<size>x<size>.png for Linux
// desktops. Run it after changing the drawing and commit the images; nothing at build or run time draws.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodePng } from "./encodePng.mjs";

const OUT = join(import.meta.dirname, "..", "resources", "icons");
/** Samples per pixel and axis. */
const SAMPLES = 4;
const LINUX_SIZES = [16, 32, 48, 64, 128, 256, 512];
/** Entry of an .icns file → pixels of the PNG in it: 16 to 512 points, single and double. */
const ICNS_ENTRIES = {
  icp4: 16,
  icp5: 32,
  ic07: 128,
  ic08: 256,
  ic09: 512,
  ic10: 1024,
  ic11: 32,
  ic12: 64,
  ic13: 256,
  ic14: 512,
};

const BACKGROUND = [0x1d, 0x23, 0x2e];
const LINE = [0xe8, 0xec, 0xf2];
/** The colour of the waiting agent. */
const DOT = [0xf2, 0xa9, 0x3b];

// The grid is 1024 × 1024; as in Apple's template, the square is the middle 824 of it.
const inRounded = (x, y, left, top, right, bottom, radius) => {
  const dx = Math.max(left + radius - x, x - (right - radius), 0);
  const dy = Math.max(top + radius - y, y - (bottom - radius), 0);
  return x >= left && x < right && y >= top && y < bottom && Math.hypot(dx, dy) <= radius;
};

/** The colour at a point, or null outside of the icon. */
const colourAt = (x, y) => {
  if (!inRounded(x, y, 100, 100, 924, 924, 185)) return null;
  if (Math.hypot(x - 652, y - 512) <= 66) return DOT;
  const isWindow = inRounded(x, y, 232, 272, 792, 752, 56);
  const isPane = inRounded(x, y, 280, 320, 488, 704, 16) || inRounded(x, y, 536, 320, 744, 704, 16);
  if (isWindow && !isPane) return LINE;
  // A prompt in the left pane.
  if (inRounded(x, y, 328, 612, 440, 652, 8)) return LINE;
  return BACKGROUND;
};

/** The mean colour of a pixel's samples, and the share of them that is inside. */
const pixelAt = (size, px, py) => {
  const sum = [0, 0, 0];
  let hits = 0;
  for (let i = 0; i < SAMPLES; i++)
    for (let j = 0; j < SAMPLES; j++) {
      const at = (pixel, sample) => ((pixel + (sample + 0.5) / SAMPLES) * 1024) / size;
      const colour = colourAt(at(px, i), at(py, j));
      if (colour === null) continue;
      hits++;
      for (const [index, value] of colour.entries()) sum[index] += value;
    }
  return [
    ...sum.map((value) => (hits === 0 ? 0 : Math.round(value / hits))),
    Math.round((255 * hits) / SAMPLES ** 2),
  ];
};

const toPng = (size) => encodePng(size, 4, (x, y) => pixelAt(size, x, y));

const icnsPart = (type, data) => {
  const head = Buffer.alloc(8);
  head.write(type, 0, "latin1");
  head.writeUInt32BE(data.length + 8, 4);
  return Buffer.concat([head, data]);
};

const pngs = new Map(
  [...new Set([...LINUX_SIZES, ...Object.values(ICNS_ENTRIES)])].map((size) => [size, toPng(size)]),
);
mkdirSync(join(OUT, "app"), { recursive: true });
for (const size of LINUX_SIZES) writeFileSync(join(OUT, "app", `${size}x${size}.png`), pngs.get(size));
const parts = Object.entries(ICNS_ENTRIES).map(([type, size]) => icnsPart(type, pngs.get(size)));
writeFileSync(join(OUT, "app.icns"), icnsPart("icns", Buffer.concat(parts)));
