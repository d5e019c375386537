import { baseNameOf } from "../lib/paths.ts";
import type { FileChange } from "../model/acquisition.ts";

/** A change as a program's arguments state it; the path is relative to where the program runs. */
export interface ShellChange {
  readonly kind: FileChange["kind"];
  readonly path: string;
}

type Words = readonly (string | null)[];

/** Programs that write the files their arguments name, by name. */
export const changesByProgram: ReadonlyMap<string, (args: Words) => readonly ShellChange[]> = new Map([
  ["tee", teeChanges],
  ["sed", sedChanges],
  ["gsed", sedChanges],
  ["patch", patchChanges],
  ["truncate", truncateChanges],
  ["cp", copyChanges],
  ["mv", moveChanges],
  ["rm", removeChanges],
]);

/** Options and operands apart. `values` holds the value of each option that takes one, `null` where it is no literal. */
interface Arguments {
  readonly flags: readonly string[];
  readonly values: ReadonlyMap<string, string | null>;
  readonly operands: Words;
}

function argumentsOf(args: Words, valued: readonly string[]): Arguments {
  const flags: string[] = [];
  const values = new Map<string, string | null>();
  const operands: (string | null)[] = [];
  for (let index = 0; index < args.length; index++) {
    const word = args[index] ?? null;
    if (word === "--") {
      operands.push(...args.slice(index + 1));
      break;
    }
    if (word === null || !/^-./.test(word)) {
      operands.push(word);
      continue;
    }
    flags.push(word);
    const option = valued.find((name) => isOption(word, name));
    if (option === undefined) continue;
    const attached = word.startsWith("--") ? word.slice(option.length + 1) : word.slice(option.length);
    if (attached === "") index++;
    values.set(option, attached === "" ? (args[index] ?? null) : attached);
  }
  return { flags, values, operands };
}

function isOption(word: string, name: string): boolean {
  return name.startsWith("--")
    ? word === name || word.startsWith(`${name}=`)
    : !word.startsWith("--") && word.startsWith(name);
}

function hasFlag({ flags }: Arguments, letter: string, long: string): boolean {
  return flags.some((flag) => flag === long || (!flag.startsWith("--") && flag.includes(letter)));
}

function changesOf(kind: ShellChange["kind"], paths: Words): readonly ShellChange[] {
  return paths.flatMap((path) => (path === null ? [] : [{ kind, path }]));
}

function teeChanges(args: Words): readonly ShellChange[] {
  const parsed = argumentsOf(args, []);
  return changesOf(hasFlag(parsed, "a", "--append") ? "edit" : "write", parsed.operands);
}

function truncateChanges(args: Words): readonly ShellChange[] {
  return changesOf("edit", argumentsOf(args, ["-s", "--size", "-r", "--reference"]).operands);
}

function removeChanges(args: Words): readonly ShellChange[] {
  return changesOf("delete", argumentsOf(args, []).operands);
}

/** `patch FILE`; a patch that only names its files inside says nothing here. */
function patchChanges(args: Words): readonly ShellChange[] {
  const long = ["--strip", "--input", "--directory", "--output", "--fuzz", "--reject-file"];
  const parsed = argumentsOf(args, ["-p", "-i", "-d", "-o", "-F", "-r", ...long]);
  const isElsewhere = parsed.values.has("-d") || parsed.values.has("--directory");
  if (isElsewhere || parsed.flags.includes("--dry-run")) return [];
  const output = parsed.values.get("-o") ?? parsed.values.get("--output");
  if (output !== undefined) return changesOf("write", [output]);
  return changesOf("edit", parsed.operands.slice(0, 1));
}

function copyChanges(args: Words): readonly ShellChange[] {
  const { targets } = transferOf(args);
  return changesOf("write", targets);
}

function moveChanges(args: Words): readonly ShellChange[] {
  const { sources, targets } = transferOf(args);
  return changesOf("rename", [...sources, ...targets]);
}

/** Where `cp` and `mv` put their sources. Nothing for a transfer that may leave the target alone. */
function transferOf(args: Words): { readonly sources: Words; readonly targets: Words } {
  const parsed = argumentsOf(args, ["-t", "--target-directory", "-S", "--suffix"]);
  const mayRefuse = ["n", "u", "i"].some((letter) => hasFlag(parsed, letter, "")) || hasLongRefusal(parsed);
  if (mayRefuse) return { sources: [], targets: [] };
  const folder = parsed.values.get("-t") ?? parsed.values.get("--target-directory");
  if (folder !== undefined) return intoFolder(parsed.operands, folder);
  const sources = parsed.operands.slice(0, -1);
  const target = parsed.operands.at(-1) ?? null;
  if (sources.length === 0 || target === null) return { sources, targets: [] };
  return sources.length > 1 || target.endsWith("/") ? intoFolder(sources, target) : { sources, targets: [target] };
}

function hasLongRefusal({ flags }: Arguments): boolean {
  return flags.some((flag) => /^--(no-clobber|interactive|update)/.test(flag));
}

function intoFolder(sources: Words, folder: string | null): { readonly sources: Words; readonly targets: Words } {
  if (folder === null) return { sources, targets: [] };
  const targets = sources.map((source) =>
    source === null ? null : `${folder}${folder.endsWith("/") ? "" : "/"}${baseNameOf(source)}`,
  );
  return { sources, targets };
}

/** `sed` in place, in every spelling: `-i`, `-i.bak`, `-i ''`, `-Ei`, `--in-place[=x]`. */
function sedChanges(args: Words): readonly ShellChange[] {
  const files: (string | null)[] = [];
  let isInPlace = false;
  let hasScript = false;
  let areOptionsOver = false;
  for (let index = 0; index < args.length; index++) {
    const word = args[index] ?? null;
    if (areOptionsOver || word === null || !/^-./.test(word)) {
      files.push(word);
      continue;
    }
    const option = sedOption(word);
    areOptionsOver = word === "--";
    isInPlace ||= option.isInPlace;
    hasScript ||= option.hasScript;
    const isEmptySuffix = option.isInPlace && word.endsWith("i") && args[index + 1] === "";
    if (option.takesNext || isEmptySuffix) index++;
  }
  return isInPlace ? changesOf("edit", hasScript ? files : files.slice(1)) : [];
}

interface SedOption {
  readonly isInPlace: boolean;
  readonly hasScript: boolean;
  readonly takesNext: boolean;
}

function sedOption(word: string): SedOption {
  if (word.startsWith("--")) {
    const hasScript = /^--(expression|file)(=|$)/.test(word);
    const isValued = /^--(expression|file|line-length)$/.test(word);
    return { isInPlace: /^--in-place(=|$)/.test(word), hasScript, takesNext: isValued };
  }
  const cluster = /^-([^iefl]*)([iefl]?)(.*)$/s.exec(word);
  const letter = cluster?.[2] ?? "";
  const hasScript = letter === "e" || letter === "f";
  return { isInPlace: letter === "i", hasScript, takesNext: letter !== "i" && letter !== "" && cluster?.[3] === "" };
}
