// Evaluates the tmux formats that the gate uses, for the model server. A format that it does not know is a failure of the
// race, never a silent false: the model has to follow the gate.
import { cursorOf, screenOf, type ModelPane } from "./tmuxModel.ts";

const variable = (pane: ModelPane, name: string): string => {
  const flag = (isSet: boolean): string => (isSet ? "1" : "0");
  switch (name) {
    case "pane_pid":
      return String(pane.first.pid);
    case "pane_dead":
      return flag(pane.isDead);
    case "pane_in_mode":
      return flag(pane.inMode);
    case "pane_synchronized":
    case "pane_input_off":
    case "alternate_on":
      return "0";
    case "cursor_x":
      return String(cursorOf(pane).x);
    case "cursor_y":
      return String(cursorOf(pane).y);
    case "pane_width":
      return "100";
    case "pane_height":
      return "30";
    case "pane_current_command":
      return pane.front.command;
    case "pane_title":
      return "title";
    default:
      throw new Error(`the model does not know the variable ${name}`);
  }
};

/** `##`, `#,` and `#}` stand for their second sign. */
const isEscape = (format: string, at: number): boolean => /^#[#,}]/.test(format.slice(at, at + 2));

/** Where the part that begins at `from` ends: at a comma or a brace of its own level. */
const endOfPart = (format: string, from: number): number => {
  let depth = 0;
  for (let at = from; at < format.length; at += 1) {
    if (isEscape(format, at)) at += 1;
    else if (format.startsWith("#{", at)) depth += 1;
    else if (format[at] === "}" && depth > 0) depth -= 1;
    else if (depth === 0 && (format[at] === "," || format[at] === "}")) return at;
  }
  return format.length;
};

const split = (text: string): string[] => {
  const parts: string[] = [];
  for (let from = 0; from <= text.length;) {
    const end = endOfPart(text, from);
    parts.push(text.slice(from, end));
    from = end + 1;
  }
  return parts;
};

const isTrue = (value: string): boolean => value !== "" && value !== "0";

const operate = (pane: ModelPane, inner: string): string => {
  const [, operator, rest = ""] = /^(&&|\|\||==|!=|m\/r|C\/r|\?)(?::|(?<=\?))(.*)$/s.exec(inner) ?? [];
  if (operator === undefined) return variable(pane, inner);
  const [one = "", two = "", three = ""] = split(rest);
  const value = (part: string): string => expandFormat(pane, part);
  switch (operator) {
    case "&&":
      return isTrue(value(one)) && isTrue(value(two)) ? "1" : "0";
    case "||":
      return isTrue(value(one)) || isTrue(value(two)) ? "1" : "0";
    case "==":
      return value(one) === value(two) ? "1" : "0";
    case "!=":
      return value(one) === value(two) ? "0" : "1";
    case "m/r":
      return new RegExp(value(one), "u").test(value(two)) ? "1" : "0";
    case "C/r":
      return String(screenOf(pane).findIndex((row) => new RegExp(value(one), "u").test(row.trimEnd())) + 1);
    case "?":
      return value(isTrue(expandFormat(pane, `#{${one}}`)) ? two : three);
    default:
      throw new Error(`the model does not know the format ${inner}`);
  }
};

export const expandFormat = (pane: ModelPane, format: string): string => {
  let out = "";
  for (let at = 0; at < format.length;) {
    if (isEscape(format, at)) {
      out += format[at + 1];
      at += 2;
    } else if (format.startsWith("#{", at)) {
      const end = matching(format, at);
      out += operate(pane, format.slice(at + 2, end));
      at = end + 1;
    } else {
      out += format[at];
      at += 1;
    }
  }
  return out;
};

/** Index of the brace that closes the one that opens at `from`. */
const matching = (format: string, from: number): number => {
  let depth = 0;
  for (let at = from; at < format.length; at += 1) {
    if (isEscape(format, at)) at += 1;
    else if (format.startsWith("#{", at)) depth += 1;
    else if (format[at] === "}" && (depth -= 1) === 0) return at;
  }
  throw new Error(`unbalanced format ${format}`);
};
