import type { ChangeText, FileChange, ToolKind } from "../model/acquisition.ts";

/** One file of a patch in its envelope; `text` is the content of an added one, null for others. */
export interface PatchedFile {
  readonly kind: "add" | "update" | "delete";
  readonly path: string;
  readonly movedTo: string | null;
  readonly text: string | null;
}

/** What a patch does as one call: a path only where it touches one file. */
export interface PatchEffects {
  readonly kind: ToolKind;
  readonly path: string | null;
  readonly changes: readonly FileChange[];
}

const BEGIN = "*** Begin Patch";
const END = "*** End Patch";
const HEADER = /^\*\*\* (Add|Update|Delete) File: (.*\S)\s*$/;
const MOVE = /^\*\*\* Move to: (.*\S)\s*$/;
const KINDS = { Add: "add", Update: "update", Delete: "delete" } as const;

/**
 * Files that a patch in its envelope (`*** Begin Patch` to `*** End Patch`) names, in order; none where the text holds no such
 * envelope, or more than one. The grammar is the one of openai/codex, codex-rs/apply-patch/src/parser.rs.
 */
export function patchedFilesIn(text: string): readonly PatchedFile[] {
  const lines = text.split(/\r?\n/);
  const begin = lines.findIndex((line) => line.trim() === BEGIN || line.endsWith(BEGIN));
  const end = lines.findIndex((line, index) => index > begin && line.trim() === END);
  if (begin === -1 || end === -1 || lines.indexOf(BEGIN, end) !== -1) return [];
  return filesIn(lines.slice(begin + 1, end));
}

/** What the files of a patch come to, where it was applied. */
export function patchEffects(files: readonly PatchedFile[], isOk: boolean): PatchEffects {
  const [only] = files;
  const changes = isOk ? files.flatMap(changesOf) : [];
  if (files.length !== 1 || only === undefined) return { kind: "edit", path: null, changes };
  return { kind: kindOf(only), path: only.path, changes };
}

/** The content of a patch that adds one file and does nothing else; a hunk may fit in several places, so no other states all. */
export function patchText(files: readonly PatchedFile[]): ChangeText | null {
  const [only] = files;
  if (files.length !== 1 || only === undefined || only.text === null) return null;
  return { kind: "content", text: only.text, isNew: false };
}

function filesIn(lines: readonly string[]): readonly PatchedFile[] {
  const files: PatchedFile[] = [];
  for (let index = 0; index < lines.length; index++) {
    const [, verb, path] = HEADER.exec(lines[index] ?? "") ?? [];
    if (path === undefined) continue;
    const kind = verb === "Add" || verb === "Delete" ? KINDS[verb] : KINDS.Update;
    const [, movedTo = null] = kind === "update" ? (MOVE.exec(lines[index + 1] ?? "") ?? []) : [];
    files.push({ kind, path, movedTo, text: kind === "add" ? addedText(lines, index + 1) : null });
  }
  return files;
}

function addedText(lines: readonly string[], start: number): string {
  let text = "";
  for (let index = start; lines[index]?.startsWith("+") === true; index++) text += `${lines[index]?.slice(1)}\n`;
  return text;
}

function kindOf({ kind, movedTo }: PatchedFile): ToolKind {
  if (kind === "add") return "write";
  if (kind === "delete") return "delete";
  return movedTo === null ? "edit" : "rename";
}

function changesOf({ kind, path, movedTo }: PatchedFile): readonly FileChange[] {
  if (kind === "add") return [{ kind: "write", path, source: "tool" }];
  if (kind === "delete") return [{ kind: "delete", path, source: "tool" }];
  if (movedTo === null) return [{ kind: "edit", path, source: "tool" }];
  return [path, movedTo].map((one) => ({ kind: "rename", path: one, source: "tool" }));
}
