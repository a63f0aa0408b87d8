// Whether a text that an agent draws twice, once to be approved and once in its conversation, is the same both times. Where
// only one of the places shows that characters were left out, this is how it comes to light. Pure.

type Gap = "blank" | "none" | "row";

interface Unit {
  char: string;
  /** What stands before it; where a row begins nobody can tell. */
  gap: Gap;
}

const unitsOf = (rows: readonly string[]): Unit[] =>
  rows.flatMap((row, index) => {
    let gap: Gap = index === 0 ? "none" : "row";
    const units: Unit[] = [];
    for (const char of row.trim())
      if (/\s/u.test(char)) gap = "blank";
      else {
        units.push({ char, gap });
        gap = "none";
      }
    return units;
  });

/** Both show the same characters, and blanks at the same places. How many blanks is not asked: they are drawn for tabs too. */
export const tellsSame = (told: readonly string[], drawn: readonly string[]): boolean => {
  const [one, other] = [unitsOf(told), unitsOf(drawn)];
  return (
    one.length === other.length &&
    one.every(({ char, gap }, index) => {
      const { char: same, gap: between } = other[index] ?? { char: "", gap };
      return char === same && (gap === between || gap === "row" || between === "row");
    })
  );
};
