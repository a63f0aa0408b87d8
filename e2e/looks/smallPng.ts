// A screenshot as a PNG with a palette: a third of the bytes, and what a person sees is the same. Windows have few colours; if
// there are more than a palette holds, rare ones are replaced by the nearest one.
import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MAX_COLOURS = 256;
/** How many places the most frequent colours get; the rest are for colours that are far from all of these. */
const MOST_USED = 64;
const RGB = 2;
const RGBA = 6;

interface Picture {
  readonly width: number;
  readonly height: number;
  /** One number per pixel, 0xRRGGBB. */
  readonly pixels: Uint32Array;
}

const chunksOf = function* (png: Buffer): Generator<{ type: string; data: Buffer }> {
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    yield {
      type: png.toString("latin1", at + 4, at + 8),
      data: png.subarray(at + 8, at + 8 + length),
    };
    at += length + 12;
  }
};

const paeth = (left: number, up: number, corner: number): number => {
  const estimate = left + up - corner;
  const [toLeft, toUp, toCorner] = [left, up, corner].map((one) => Math.abs(estimate - one)) as [
    number,
    number,
    number,
  ];
  return toLeft <= toUp && toLeft <= toCorner ? left : toUp <= toCorner ? up : corner;
};

/** Undoes the filters of the lines, in place of a copy. */
const unfilter = (raw: Buffer, height: number, stride: number, size: number): Buffer => {
  const out = Buffer.alloc(height * stride);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x += 1) {
      const at = y * stride + x;
      const left = x < size ? 0 : (out[at - size] ?? 0);
      const up = y === 0 ? 0 : (out[at - stride] ?? 0);
      const corner = x < size || y === 0 ? 0 : (out[at - stride - size] ?? 0);
      const by = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      out[at] = ((raw[y * (stride + 1) + 1 + x] ?? 0) + by) & 0xff;
    }
  }
  return out;
};

const decode = (png: Buffer): Picture => {
  const chunks = [...chunksOf(png)];
  const header = chunks.find(({ type }) => type === "IHDR")?.data ?? Buffer.alloc(13);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [depth, kind, , , interlaced] = header.subarray(8);
  if (depth !== 8 || (kind !== RGB && kind !== RGBA) || interlaced !== 0)
    throw new Error("this is no plain screenshot");
  const size = kind === RGB ? 3 : 4;
  const raw = inflateSync(
    Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map(({ data }) => data)),
  );
  const bytes = unfilter(raw, height, width * size, size);
  const pixels = Uint32Array.from({ length: width * height }, (_one, index) =>
    bytes.readUIntBE(index * size, 3),
  );
  return { width, height, pixels };
};

const distance = (a: number, b: number): number =>
  ((a >> 16) - (b >> 16)) ** 2 +
  (((a >> 8) & 0xff) - ((b >> 8) & 0xff)) ** 2 +
  ((a & 0xff) - (b & 0xff)) ** 2;

/**
 * The most frequent colours first; then always the colour that is farthest from all chosen ones, so that a small mark keeps its
 * colour too.
 */
const pickColours = (uses: ReadonlyMap<number, number>): number[] => {
  const byUse = [...uses].toSorted(([, a], [, b]) => b - a).map(([colour]) => colour);
  const picked = byUse.slice(0, MOST_USED);
  const misses = new Map(
    byUse.slice(MOST_USED).map((colour) => [colour, Math.min(...picked.map((one) => distance(one, colour)))]),
  );
  while (misses.size > 0 && picked.length < MAX_COLOURS) {
    let [worst, worstCost] = [0, -1];
    for (const [colour, miss] of misses) {
      const cost = miss * Math.sqrt(uses.get(colour) ?? 0);
      if (cost > worstCost) [worst, worstCost] = [colour, cost];
    }
    picked.push(worst);
    misses.delete(worst);
    for (const [colour, miss] of misses) misses.set(colour, Math.min(miss, distance(worst, colour)));
  }
  return picked;
};

const paletteOf = (pixels: Uint32Array): { colours: number[]; indexOf: (colour: number) => number } => {
  const uses = new Map<number, number>();
  for (const colour of pixels) uses.set(colour, (uses.get(colour) ?? 0) + 1);
  const colours = pickColours(uses);
  const indices = new Map(colours.map((colour, index) => [colour, index]));
  for (const colour of uses.keys()) {
    if (indices.has(colour)) continue;
    const nearest = colours.reduce((best, one) =>
      distance(one, colour) < distance(best, colour) ? one : best,
    );
    indices.set(colour, indices.get(nearest) ?? 0);
  }
  return { colours, indexOf: (colour) => indices.get(colour) ?? 0 };
};

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
};

/** The same picture with a palette. Throws for anything but an 8-bit screenshot in true colour. */
export const smallPng = (png: Buffer): Buffer => {
  const { width, height, pixels } = decode(png);
  const { colours, indexOf } = paletteOf(pixels);
  const lines = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) lines[y * (width + 1) + 1 + x] = indexOf(pixels[y * width + x] ?? 0);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const palette = Buffer.alloc(colours.length * 3);
  for (const [index, colour] of colours.entries()) palette.writeUIntBE(colour, index * 3, 3);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", palette),
    chunk("IDAT", deflateSync(lines, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
};
