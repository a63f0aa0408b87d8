// Which request a dialog on the screen is, to the letter, and what is then shown of it. Pure. White space counts, except where a
// wrap explains that it is missing; every row counts in its place, and a request never matches one of another kind. Several
// requests of one agent may be open at once, and the dialog of only one of them is drawn.
import type { PromptRequest } from "../model/request.ts";
import { isContentDrawn, isWithoutChange, matchPlan, matchDrawn, type Wrapping } from "./drawnText.ts";
import { compact, isBare, mayBeSamePrompt } from "./samePrompt.ts";

interface Rows extends Wrapping {
  rows: readonly string[];
  columns: number | null;
}

const rowsOf = (text: string): string[] => text.split("\n");

/** An absolute path without `.` and `..`; null where `path` is relative and nobody knows to what. */
const absolutePath = (path: string, cwd: string | null): string | null => {
  if (!path.startsWith("/") && cwd === null) return null;
  const parts: string[] = [];
  for (const part of `${path.startsWith("/") ? "" : cwd}/${path}`.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
};

const isSamePath = (announced: PromptRequest, drawn: string): boolean => {
  if (announced.body === null) return false;
  if (announced.body === drawn) return true;
  const cwd = announced.cwd ?? null;
  const path = absolutePath(announced.body, cwd);
  return path !== null && path === absolutePath(drawn, cwd);
};

const isChangeDrawn = (
  announced: PromptRequest,
  { content = null, columns, ...seen }: PromptRequest,
): boolean => content === null || isContentDrawn(announced.content ?? "", content, columns ?? null, seen);

const isSameEdit = (announced: PromptRequest, seen: PromptRequest): boolean =>
  seen.body !== null && isSamePath(announced, seen.body) && isChangeDrawn(announced, seen);

/** A dialog without the plan asks only to exit the plan mode. */
const isPlanDrawn = (announced: PromptRequest, seen: PromptRequest): boolean => {
  if (announced.title !== seen.title) return false;
  if (seen.body === null) return seen.isWhole === true;
  const drawn = matchPlan(announced.body ?? "", seen.body);
  return drawn === "all" || (drawn === "part" && seen.isWhole !== true);
};

/** A remark is drawn in its own words, wrapped in its own way and cut where it is long. */
const isSameRemark = (told: string, drawn: string): boolean => {
  const [all, seen] = [compact(told), compact(drawn)];
  return all === seen || (seen.endsWith("…") && all.startsWith(seen.slice(0, -1)));
};

/** The rows are the body, and below it the remark. */
const areBothDrawn = (body: string, remark: string, { rows, columns, ...seen }: Rows): boolean =>
  rows.some((_row, at) => {
    const above = rows.slice(0, at);
    return (
      matchDrawn(body, above, columns, seen) === "all" && isSameRemark(remark, rows.slice(at).join("\n"))
    );
  });

const isBodyDrawn = (announced: PromptRequest, seen: PromptRequest): boolean => {
  if (announced.body === null || seen.body === null)
    return announced.body === seen.body && announced.title === seen.title;
  const rows = rowsOf(seen.body);
  const columns = seen.columns ?? null;
  const remark = announced.remark?.trim() ?? "";
  // Nothing divides it from the body, so it counts only where all of both is drawn.
  if (seen.hasRemarkBelow === true && remark !== "")
    return areBothDrawn(announced.body, remark, { ...seen, rows, columns });
  if (seen.remark !== undefined && remark !== "" && !isSameRemark(remark, seen.remark ?? "")) return false;
  const drawn = matchDrawn(announced.body, rows, columns, seen);
  return drawn === "all" || (drawn === "part" && seen.isWhole !== true);
};

const areOptionsDrawn = (announced: PromptRequest, seen: PromptRequest): boolean =>
  announced.kind !== "question" ||
  announced.options.every(({ label }) => seen.options.some((option) => option.label === label));

/** Kinds never cross; `other`: the dialog's heading is not visible, but rows of its text are. */
const isSameKind = (announced: PromptRequest, seen: PromptRequest): boolean =>
  announced.kind === seen.kind ||
  (announced.kind === "command" && seen.kind === "other" && seen.body !== null && seen.isWhole !== true);

/** What is drawn of the dialog is, to the letter and in its place, a piece of what was announced, or all of it. */
const isDrawn = (announced: PromptRequest, seen: PromptRequest): boolean => {
  if (!isSameKind(announced, seen)) return false;
  if (announced.kind === "edit") return isSameEdit(announced, seen);
  if (announced.kind === "plan" && isPlanDrawn(announced, seen)) return true;
  return isBodyDrawn(announced, seen) && areOptionsDrawn(announced, seen);
};

/** The sign that some agents draw before a command. */
const withoutSigns = (text: string): string => compact(text).replaceAll("$", "");

/**
 * A remark of several rows may look like the rows that divide it from the command, so that a reader takes the one for part of the
 * other: both together are what is drawn.
 */
const isSameTogether = ({ kind, body, remark = null }: PromptRequest, seen: PromptRequest): boolean => {
  if (kind !== "command" || (remark?.trim() ?? "") === "") return false;
  const drawn = withoutSigns(`${seen.remark ?? ""}${seen.body ?? ""}`);
  return [`${remark}${body}`, `${body}${remark}`].some((told) => {
    const text = withoutSigns(told);
    return text === drawn || (seen.sight === "start" && drawn !== "" && text.startsWith(drawn));
  });
};

/** As it is drawn, white space and invisible characters aside: none of these lines is in the other edit. */
const isOtherChange = (announced: PromptRequest, seen: PromptRequest): boolean => {
  const [told, drawn] = [announced.content ?? null, seen.content ?? null];
  if (announced.isWhole !== true || told === null || drawn === null) return false;
  const lines = rowsOf(drawn).flatMap((row) => (/^[+-]/.test(row) ? [compact(row.slice(1))] : []));
  const all = compact(told.replaceAll(/^[+\- ]/gmu, ""));
  return lines.some((line) => !all.includes(line));
};

/** Nothing of what it asks is visible. */
const isEmpty = ({ kind, body, content = null }: PromptRequest): boolean =>
  kind === "edit" ? isWithoutChange(content) : body === null;

/**
 * How far a request and the dialog agree. `letter`: the dialog draws it so. `likely`: nothing that is known of the two contradicts
 * it; agents leave out in their own ways what they do not draw. `bare`: what it asks is not known, so it may be any dialog.
 */
export type Likeness = "letter" | "likely" | "bare" | "none";

export const likenessOf = (announced: PromptRequest, seen: PromptRequest): Likeness => {
  if (isBare(announced)) return mayBeSamePrompt(announced, seen) ? "bare" : "none";
  if (isDrawn(announced, seen)) return "letter";
  if (isSameTogether(announced, seen)) return "likely";
  if (!mayBeSamePrompt(announced, seen)) return "none";
  return announced.kind === "edit" && isOtherChange(announced, seen) ? "none" : "likely";
};

/**
 * An open request. `isLive`: its text is the one that an event reported, and not what the store kept of it. `hasKey`: its event
 * says which call it is of; one that does not may repeat what another event reported.
 */
export interface OpenRequest {
  request: PromptRequest;
  isLive: boolean;
  hasKey: boolean;
}

/** Everything that is known of the two is the same, so that whichever is drawn, the same is asked. */
const isTwin = (a: OpenRequest, b: OpenRequest): boolean =>
  a.isLive && b.isLive && JSON.stringify(toldOf(a.request)) === JSON.stringify(toldOf(b.request));

const toldOf = (request: PromptRequest): unknown[] => [
  request.kind,
  request.toolName,
  request.title,
  request.body,
  request.content ?? null,
  request.remark ?? null,
  request.cwd ?? null,
  request.runsIn ?? null,
  request.isWhole ?? false,
  request.hasMore ?? false,
  request.options.map(({ label, description }) => [label, description ?? null]),
];

/** An event that only says that something is asked is about a request that another event reports, if there is one. */
const isAsking = ({ request }: OpenRequest): boolean => !isBare(request) || request.toolName !== null;

/** Some agents report each request twice: with its call, and in a sentence. */
const isRepeated = ({ request, hasKey }: OpenRequest, all: readonly OpenRequest[]): boolean =>
  !hasKey &&
  all.some(
    (other) =>
      other.hasKey &&
      other.request.kind === request.kind &&
      (request.body === null
        ? other.request.toolName === request.toolName
        : other.request.body === request.body),
  );

/** A request of which only the tool is known is not drawn as what another kind of tool does. */
const mayBe = ({ request }: OpenRequest, seen: PromptRequest): boolean => {
  const likeness = likenessOf(request, seen);
  if (likeness !== "bare") return likeness !== "none";
  return request.kind === seen.kind || seen.kind === "other";
};

/**
 * It cannot be known whether the dialog is that of `owner`: another open request may be drawn so, or the dialog has nothing of what
 * it asks while others are open. `owner` null: no event reported the dialog, or none that is known.
 */
const isDisputed = (
  owner: OpenRequest | null,
  others: readonly OpenRequest[],
  seen: PromptRequest,
): boolean => {
  const all = owner === null ? others : [owner, ...others];
  const rivals = others.filter(
    (other) => isAsking(other) && !isRepeated(other, all) && (owner === null || !isTwin(owner, other)),
  );
  return rivals.some((rival) => mayBe(rival, seen)) || (rivals.length > 0 && isEmpty(seen));
};

// Shown prompt: what is shown of a request that an event announced and the screen draws, and whether that is the complete text.

/** The change that an event reported stands in for rows that the dialog does not draw; it never counts as the whole of it. */
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

/** Which of the questions that an event told together is drawn. */
const pagesOf = (announced: PromptRequest, { pages, title }: PromptRequest): PromptRequest["pages"] => {
  const texts = announced.body?.split("\n") ?? [];
  const at = texts.length === pages?.names.length ? texts.map(compact).indexOf(compact(title)) : -1;
  return pages === undefined || at < 0 ? pages : { ...pages, number: at + 1 };
};

/**
 * The prompt as surfaces show it. `announced`: as an event reported it in this run of the daemon; `seen`: the dialog on the screen,
 * null while none was read; `others`: what else is open; `told`: how it was reported. It is whole where one of the two is whole,
 * the other agrees with it, and no other request may be drawn so. Null: the screen shows another prompt.
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
  const { options, textEntry, takesSeveral, submit } = seen;
  if (announced.isWhole === true) {
    const ways = {
      ...(textEntry === undefined ? {} : { textEntry }),
      ...(takesSeveral === undefined ? {} : { takesSeveral }),
      ...(submit === undefined ? {} : { submit }),
    };
    const remark = announced.remark ?? seen.remark ?? null;
    const said = remark === null ? {} : { remark };
    return { ...announced, ...said, options, isWhole: likeness === "letter", ...ways };
  }
  const pages = pagesOf(announced, seen);
  const shown = {
    ...onlyDrawn(announced, seen),
    ...toldContent(announced, seen),
    ...(pages === undefined ? {} : { pages }),
  };
  return announced.hasMore === true ? { ...shown, isWhole: false } : shown;
};

/** The same where no event reported the dialog, or none that is known: it shows what is drawn. */
export const shownDialog = (seen: PromptRequest, open: readonly OpenRequest[]): PromptRequest => {
  const owners = open.filter(({ request }) => ["letter", "likely"].includes(likenessOf(request, seen)));
  const [owner = null] = owners;
  const others = open.filter((one) => one !== owner);
  const hasMore = owners.some(({ request }) => request.hasMore === true);
  const pages = open
    .map(({ request }) => pagesOf(request, seen))
    .find((one) => (one?.number ?? null) !== null);
  const shown = pages === undefined ? seen : { ...seen, pages };
  return hasMore || isDisputed(owner, others, seen) ? { ...shown, isWhole: false } : shown;
};
