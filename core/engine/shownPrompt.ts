// What is shown of a prompt that an event announced and the screen draws, and whether that is the complete text. Pure. Which request
// the dialog is, is found out in dialogOwner.ts.
import type { PromptRequest } from "../model/request.ts";
import { isDisputed, likenessOf, type OpenRequest } from "./dialogOwner.ts";

/** What an event told of an edit's change stands in for rows that the dialog does not draw: to look at, never for all of it. */
const toldContent = (announced: PromptRequest, seen: PromptRequest): Partial<PromptRequest> => {
  const told = announced.content ?? null;
  return told === null || (seen.content ?? null) !== null ? {} : { content: told, isWhole: false };
};

/** As it is drawn, which is not all that is known to be asked, or may be another's. */
const onlyDrawn = ({ toolName, expiresAt }: PromptRequest, seen: PromptRequest): PromptRequest => ({
  ...seen,
  toolName: toolName ?? seen.toolName,
  expiresAt: expiresAt ?? seen.expiresAt,
});

/**
 * The prompt as surfaces show it. `announced`: as an event told it in this life of the daemon; `seen`: the dialog on the
 * screen, null while none was read; `others`: what else is open; `told`: how it was told. It is whole where one of the two is whole, the other agrees with it,
 * and no other request may be drawn so. Null: the screen shows another prompt.
 */
export const shownPrompt = (
  announced: PromptRequest,
  seen: PromptRequest | null,
  others: readonly OpenRequest[] = [],
  told: Omit<OpenRequest, "request"> = { isLive: true, hasKey: true },
): PromptRequest | null => {
  if (seen === null) return { ...announced, isWhole: false };
  const likeness = likenessOf(announced, seen);
  if (likeness === "none") return null;
  // The text of one request must never stand above the keys of another.
  if (isDisputed({ request: announced, ...told }, others, seen))
    return { ...onlyDrawn(announced, seen), toolName: seen.toolName, isWhole: false };
  const { options, textEntry, takesSeveral } = seen;
  if (announced.isWhole === true) {
    const ways = {
      ...(textEntry === undefined ? {} : { textEntry }),
      ...(takesSeveral === undefined ? {} : { takesSeveral }),
    };
    const remark = announced.remark ?? seen.remark ?? null;
    const said = remark === null ? {} : { remark };
    return { ...announced, ...said, options, isWhole: likeness === "letter", ...ways };
  }
  const shown = { ...onlyDrawn(announced, seen), ...toldContent(announced, seen) };
  return announced.hasMore === true ? { ...shown, isWhole: false } : shown;
};

/** The same where no event told the dialog, or none that is known: it shows what is drawn. */
export const shownDialog = (seen: PromptRequest, open: readonly OpenRequest[]): PromptRequest => {
  const owners = open.filter(({ request }) => ["letter", "likely"].includes(likenessOf(request, seen)));
  const [owner = null] = owners;
  const others = open.filter((one) => one !== owner);
  const hasMore = owners.some(({ request }) => request.hasMore === true);
  return hasMore || isDisputed(owner, others, seen) ? { ...seen, isWhole: false } : seen;
};
