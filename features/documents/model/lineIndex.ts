// Where a text has which lines, so that many blocks are counted in it without reading it again for each.

export class LineIndex {
  private readonly lines: readonly string[];
  private readonly places = new Map<string, number[]>();

  constructor(lines: readonly string[]) {
    this.lines = lines;
    for (const [at, line] of lines.entries()) {
      const known = this.places.get(line);
      if (known === undefined) this.places.set(line, [at]);
      else known.push(at);
    }
  }

  /** How often the lines stand there one after the other, each time in lines of its own. */
  count(block: readonly string[]): number {
    let rarest = { offset: 0, places: this.placesOf(block[0]) };
    for (const [offset, line] of block.entries()) {
      const places = this.placesOf(line);
      if (places.length < rarest.places.length) rarest = { offset, places };
    }
    let [found, next] = [0, 0];
    for (const place of rarest.places) {
      const from = place - rarest.offset;
      if (from < next || !block.every((line, offset) => this.lines[from + offset] === line)) continue;
      found += 1;
      next = from + block.length;
    }
    return found;
  }

  private placesOf(line: string | undefined): readonly number[] {
    return (line === undefined ? undefined : this.places.get(line)) ?? [];
  }
}
