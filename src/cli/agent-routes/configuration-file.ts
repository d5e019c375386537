import { readFileSync, statSync } from "node:fs";
import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { getStaticTOMLValue, parseTOML, ParseError as TomlError } from "toml-eslint-parser";
import { codeOf } from "../failure-code.ts";
import { UnreadableFile } from "./route.ts";

const BYTES_MAX = 4 * 1024 * 1024;

/** Text of a file; null where there is none. Throws `UnreadableFile`. */
export function textOf(file: string): string | null {
  try {
    const { size } = statSync(file);
    if (size > BYTES_MAX) throw new UnreadableFile(file, "too large");
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw new UnreadableFile(file, code);
  }
}

/** Value of a JSON file, comments and trailing commas allowed; null where there is none. Throws `UnreadableFile`. */
export function jsonOf(file: string): unknown {
  const text = textOf(file);
  return text === null ? null : parsedJson(text, file);
}

/** Value of JSON text; `from` names it in errors. Throws `UnreadableFile`. */
export function parsedJson(text: string, from: string): unknown {
  if (text.trim() === "") return null;
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) throw new UnreadableFile(from, printParseErrorCode(first.error));
  return value;
}

/** Value of a TOML file; null where there is none. Throws `UnreadableFile`. */
export function tomlOf(file: string): unknown {
  const text = textOf(file);
  if (text === null) return null;
  try {
    return getStaticTOMLValue(parseTOML(text));
  } catch (error) {
    if (error instanceof TomlError) throw new UnreadableFile(file, `line ${error.lineNumber}`);
    throw error;
  }
}

/** The member at a path of names; undefined where there is none. */
export function memberOf(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return undefined;
    found = Reflect.get(found, name);
  }
  return found;
}

/** The text at a path of names; null where there is none, or an empty one. */
export function textAt(value: unknown, ...path: readonly string[]): string | null {
  const found = memberOf(value, ...path);
  return typeof found === "string" && found !== "" ? found : null;
}
