import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import type { RequestPart } from "../../ui/text/requestText.ts";
import { Parts } from "./CardBody.tsx";

const CHANGE = ` a\n${"+x\n".repeat(20)}+end`;

it.each([
  [true, "src/a.ts", " a", "+end"],
  [false, "src/a.ts", " a", "+x…"],
])(
  "an edit that is shown whole (%s) has its path, and what it writes from its first line to its last",
  (isWhole, ...said) => {
    const parts: RequestPart[] = [
      { kind: "path", text: "src/a.ts" },
      { kind: "change", text: CHANGE },
    ];
    const html = renderToStaticMarkup(createElement(Parts, { parts, isWhole }));
    const [path, ...lines] = html
      .replaceAll(/<\/pre>/g, "\n")
      .replaceAll(/<[^>]*>/g, "")
      .trimEnd()
      .split("\n");
    expect([path, lines[0], lines.at(-1)]).toEqual(said);
    expect(lines).toHaveLength(isWhole ? 22 : 6);
  },
);
