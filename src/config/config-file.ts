import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  isAlias,
  isMap,
  isScalar,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type YAMLMap,
  type YAMLParseError,
} from "yaml";
import { EbbError } from "../lib/ebb-error.ts";
import { printable } from "../lib/printable.ts";
import { absolutePath, configFolderOf, type Place } from "./folders.ts";
import { type ConfigIssue, valueIssues } from "./issues.ts";
import { nearestName } from "./nearest-name.ts";
import { type OptionKey, optionEntries } from "./options.ts";

/** Name of the configuration file, in the working directory and in the user's configuration folder. */
export const CONFIG_FILE_NAME = "ebb.yaml";

/** What a configuration file states, by option key, and what is wrong with it. */
export interface FileLayer {
  readonly values: ReadonlyMap<OptionKey, unknown>;
  readonly issues: readonly ConfigIssue[];
}

/** The file to read: the one named, else `./ebb.yaml`, else the user's; null when there is none. */
export function findConfigFile(named: string | null, place: Place): string | null {
  if (named !== null) return absolutePath(named, place.cwd, place);
  const candidates = [join(place.cwd, CONFIG_FILE_NAME), join(configFolderOf(place), CONFIG_FILE_NAME)];
  return candidates.find((file) => existsSync(file)) ?? null;
}

/** Reads and checks one configuration file. Throws `config_invalid` when it cannot be read at all. */
export function readConfigFile(file: string): FileLayer {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
    throw new EbbError("config_invalid", `${file}: the configuration file cannot be read${code}`, cause);
  }
  return readConfigText(text, file);
}

/** Checks configuration text; `file` names it in issues. */
export function readConfigText(text: string, file: string): FileLayer {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const values = new Map<OptionKey, unknown>();
  if (document.errors.length > 0) {
    return { values, issues: syntaxIssues(document.errors, text, (at) => `${file}:${lines.linePos(at).line}`) };
  }
  const reader: Reader = { values, issues: [], whereOf: (node) => `${file}:${lineOf(node, lines)}`, document };
  const root = document.contents;
  if (isMap(root)) readMap(root, [], reader);
  else if (root !== null && !(isScalar(root) && root.value === null)) {
    const got = isScalar(root) ? "one value" : "a list";
    reader.issues.push({ where: `${file}:1`, words: `expected a map of options, got ${got}` });
  }
  return { values, issues: reader.issues };
}

/** What is no YAML: the first fault, because it causes those after it, and every key that is stated twice. */
function syntaxIssues(
  errors: readonly YAMLParseError[],
  text: string,
  whereOf: (at: number) => string,
): readonly ConfigIssue[] {
  return errors
    .filter(({ code }, index) => index === 0 || code === "DUPLICATE_KEY")
    .map(({ code, pos: [at] }) => {
      const key = /^[\w.-]+/.exec(text.slice(at))?.[0];
      const isTwice = code === "DUPLICATE_KEY" && key !== undefined;
      const words = isTwice ? `${key}: stated twice` : `not valid YAML (${code.toLowerCase().replaceAll("_", " ")})`;
      return { where: whereOf(at), words };
    });
}

interface Reader {
  readonly values: Map<OptionKey, unknown>;
  readonly issues: ConfigIssue[];
  readonly document: ReturnType<typeof parseDocument>;
  whereOf(node: unknown): string;
}

const ENTRIES = optionEntries();

function readMap(map: YAMLMap, above: readonly string[], reader: Reader): void {
  for (const pair of map.items) {
    const path = [...above, keyOf(pair)];
    const key = path.join(".");
    const entry = keyOf(pair).includes(".") ? undefined : ENTRIES.find(([name]) => name === key);
    if (entry !== undefined) readValue(pair, entry, reader);
    else if (ENTRIES.some(([name]) => name.startsWith(`${key}.`))) readSection(pair, path, reader);
    else reader.issues.push({ where: reader.whereOf(pair.key), words: unknownWords(path) });
  }
}

function readSection(pair: Pair, path: readonly string[], reader: Reader): void {
  const value = isAlias(pair.value) ? pair.value.resolve(reader.document) : pair.value;
  if (isMap(value)) readMap(value, path, reader);
  else if (!(isScalar(value) && value.value === null)) {
    const got = printable(isScalar(value) ? value.value : []);
    reader.issues.push({ where: reader.whereOf(pair.key), words: `${path.join(".")}: expected a map, got ${got}` });
  }
}

function readValue(pair: Pair, [key, option]: (typeof ENTRIES)[number], reader: Reader): void {
  let value: unknown;
  try {
    value = toPlain(pair.value, reader);
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    reader.issues.push({ where: reader.whereOf(pair.key), words: `${key}: expected a value, got an alias of nothing` });
    return;
  }
  const issues = valueIssues(key, value, option.type.schema);
  for (const issue of issues) {
    reader.issues.push({ where: reader.whereOf(nodeAt(pair, issue.path)), words: issue.words });
  }
  if (issues.length === 0) reader.values.set(key, value);
}

function toPlain(value: unknown, reader: Reader): unknown {
  return value === null ? null : (value as Node).toJS(reader.document, { maxAliasCount: 20 });
}

function nodeAt(pair: Pair, path: readonly string[]): unknown {
  let found: unknown = pair.key;
  let value = pair.value;
  for (const name of path) {
    const inner = isMap(value) ? value.items.find((item) => keyOf(item) === name) : undefined;
    if (inner === undefined) return found;
    found = inner.key;
    value = inner.value;
  }
  return found;
}

function keyOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
}

function lineOf(node: unknown, lines: LineCounter): number {
  return isScalar(node) && node.range ? lines.linePos(node.range[0]).line : 1;
}

/** Names the unknown key and the one probably meant: a sibling first, then the same last name anywhere. */
function unknownWords(path: readonly string[]): string {
  const above = path.slice(0, -1);
  const last = path.at(-1) ?? "";
  const siblings = new Set(
    ENTRIES.map(([name]) => name.split("."))
      .filter((parts) => parts.length > above.length && above.every((part, index) => parts[index] === part))
      .map((parts) => parts[above.length] ?? ""),
  );
  const sibling = nearestName(last, [...siblings]);
  const elsewhere = ENTRIES.find(([name]) => name.split(".").at(-1) === last)?.[0] ?? null;
  const meant = sibling === null ? elsewhere : [...above, sibling].join(".");
  return `${path.join(".")}: unknown key${meant === null ? "" : `, did you mean ${meant}?`}`;
}
