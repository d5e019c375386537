import type { Violation } from "./source.ts";

/** A Markdown page, with its path from the repository's root. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

/**
 * Relative links that lead nowhere. `exists` tells of a path from the root, `headingsOf` gives the anchors of a page
 * there, or null where it is no page.
 */
export function deadLinks(
  page: Page,
  exists: (path: string) => boolean,
  headingsOf: (path: string) => readonly string[] | null,
): readonly Violation[] {
  return linksOf(page.text).flatMap(({ target, line }) => {
    const [file = "", anchor] = target.split("#");
    const path = file === "" ? page.path : joined(page.path, file);
    if (!exists(path)) return [{ path: page.path, line, words: `${target} leads nowhere` }];
    const headings = anchor === undefined ? null : headingsOf(path);
    if (anchor === undefined || headings === null || headings.includes(anchor)) return [];
    return [{ path: page.path, line, words: `${target} has no such heading` }];
  });
}

/** Anchors of a page's headings, as they are made from their texts. */
export function anchorsOf(text: string): readonly string[] {
  return withoutCode(text)
    .split("\n")
    .filter((line) => /^#{1,6} /.test(line))
    .map((line) =>
      line
        .replace(/^#+ /, "")
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    );
}

/** A fenced block of a page. */
export interface Block {
  /** Everything after the opening fence: language, then words. */
  readonly tag: string;
  readonly body: string;
  readonly line: number;
}

/** Fenced blocks in order. */
export function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { readonly tag: string; readonly line: number; readonly body: string[] } | null = null;
  for (const [index, line] of text.split("\n").entries()) {
    const fence = /^```(.*)$/.exec(line);
    if (fence === null) open?.body.push(line);
    else if (open === null) open = { tag: fence[1] ?? "", line: index + 1, body: [] };
    else {
      blocks.push({ tag: open.tag, line: open.line, body: `${open.body.join("\n")}\n` });
      open = null;
    }
  }
  return blocks;
}

function linksOf(text: string): readonly { readonly target: string; readonly line: number }[] {
  return withoutCode(text)
    .split("\n")
    .flatMap((line, index) =>
      [...line.matchAll(/\]\(([^)\s]+)\)/g)]
        .map((match) => ({ target: match[1] ?? "", line: index + 1 }))
        .filter(({ target }) => !/^[a-z]+:/.test(target)),
    );
}

/** Blanks fenced blocks and inline code, keeping line numbers. */
function withoutCode(text: string): string {
  return text
    .replaceAll(/^```[\s\S]*?^```/gm, (block) => block.replaceAll(/[^\n]/g, ""))
    .replaceAll(/`[^`\n]*`(?=[^\n]*\]\()/g, (code) => code.replaceAll(/[[\]()]/g, ""));
}

function joined(from: string, target: string): string {
  const parts = target.startsWith("/") ? [] : from.split("/").slice(0, -1);
  for (const part of target.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}
