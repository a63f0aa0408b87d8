// Encodes a square PNG, for the scripts that draw the icons.
import { crc32, deflateSync } from "node:zlib";

const chunk = (type, data) => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
};

/** PNG's colour type, by the number of channels. */
const COLOUR_TYPES = { 2: 4, 4: 6 };

/** `pixelAt(x, y)`: the channels of a pixel, 0 to 255, alpha last: grey and alpha, or red, green, blue and alpha. */
export const encodePng = (size, channels, pixelAt) => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, COLOUR_TYPES[channels], 0, 0, 0], 8);
  const rowBytes = 1 + size * channels;
  const rows = Buffer.alloc(size * rowBytes);
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) rows.set(pixelAt(x, y), y * rowBytes + 1 + x * channels);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
};
