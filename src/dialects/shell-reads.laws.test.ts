import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createShellParser } from "../keeper/shell-parser.ts";
import { type ShellRead, shellReadOf } from "./shell-reads.ts";

/** Commands of each run: the same in every run; `EBB_TEST_LAW_RUNS` and `EBB_TEST_LAW_SEED` draw more, and others. Each starts a shell. */
const RUNS = Math.max(200, Number(process.env.EBB_TEST_LAW_RUNS ?? 200) / 4);
const SEED = Number(process.env.EBB_TEST_LAW_SEED ?? 41_410_117);
const TIMEOUT_MS = 600_000;
const shell = createShellParser();
const FILES = {
  "a.txt": "one\n\n  three\n4:four\nfive\n     6\tsix\nseven\n--\nnine\nten\neleven\ntwelve\nthirteen",
  "b c.txt": "only\n",
  "empty.txt": "",
  "sub/a.txt": "first\nsecond\nthird\n",
};

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ebb-shell-"));
  mkdirSync(join(folder, "sub"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The usual ones most of the time, and an odd one now and then. */
function mostly<T>(usual: readonly T[], odd: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...usual) },
    { weight: 2, arbitrary: fc.constantFrom(...odd) },
  );
}

const name = mostly(
  ["a.txt", "./a.txt", "'b c.txt'", '"b c.txt"', "b\\ c.txt", "sub/a.txt"],
  ["empty.txt", "sub", "*.txt", "$X", "none.txt", "~/a.txt", "a.txt b.txt"],
);
const line = fc.integer({ min: 0, max: 15 });
const range = fc.tuple(line, line).map(([first, last]) => `${first},${last}p`);
const script = fc.oneof(
  range,
  line.map((at) => `${at}p`),
  line.map((at) => `${at},$p`),
  fc.tuple(line, line).map(([at, more]) => `${at},+${more}p`),
  fc.tuple(range, range).map((both) => both.join(";")),
  mostly(
    ["/three/,/five/p", "/e/p"],
    ["s/e/E/p", "2,3d", "p", "$p", "1~2p", "2{p;p}", "2,3p;w out", "3q", "0,/e/p", "3!p", "2,3l"],
  ),
);
const PROGRAMS = [
  [
    ["cat", "nl", "nl -ba", "nl -b a", "cat -n", "cat --"],
    ["cat -b", "cat -A", "cat -ns", "tac", "wc -l", "sort"],
  ],
  [
    ["head", "head -n 3", "head -3", "head -n3", "head --lines=2"],
    ["head -c 9", "head -n -2", "head -n 0", "head -v"],
  ],
  [
    ["tail", "tail -n 3", "tail -3", "tail -n +4", "tail -n +0"],
    ["tail -c 4", "tail -v", "tail -n -0"],
  ],
  [
    ["grep e", "grep -n e", "grep -nA1 e", "grep -n -B 1 'th.*e'", "grep -m1 e", "grep -v e"],
    ["grep -c e", "grep -l e", "grep -o e", "grep -rn e", "grep -q e", "grep -H e", "grep -b e", "grep -nT e"],
  ],
] as const;
const program = fc.oneof(
  ...PROGRAMS.map(([usual, odd]) => fc.tuple(mostly<string>(usual, odd), name)),
  fc.tuple(
    mostly(["sed -n", "sed -nE", "sed -n -e"], ["sed", "sed -nz", "sed --quiet -s", "sed -n -u"]),
    script.map((one) => `'${one}'`),
    name,
  ),
  fc.tuple(fc.constantFrom("cat", "grep e"), name, name),
);
const simple = program.map((words) => words.join(" "));
const filter = mostly(
  ["", "", " | head -n 2", " | sed -n '2,4p'", " | tail -n +2", " | grep e"],
  [" | tail -n 2", " | grep -c e", " | nl -ba", " | cat -n", " | wc -l", " | tac", " | cat - a.txt", " | tee out"],
);
const end = mostly(
  ["", "", " 2>/dev/null", " 2>&1"],
  [
    "; echo hi",
    " && echo hi",
    " || true",
    " || echo hi",
    " > out",
    " >&2",
    " &",
    "\necho hi",
    " # hi",
    " < sub/a.txt",
    " ;",
  ],
);
const front = mostly(
  ["", "", "", "cd sub && ", "cd . && "],
  [
    "cd sub; ",
    "cd sub || ",
    "cd none && ",
    "echo hi && ",
    "! ",
    "time ",
    "LC_ALL=C ",
    "X=a.txt; ",
    "set -x && ",
    "exec ",
    "command ",
  ],
);
const around = mostly<(text: string) => string>(
  [(text) => text, (text) => text, (text) => `bash -c ${quoted(text)}`],
  [
    (text) => `bash -xc ${quoted(text)}`,
    (text) => `bash -c ${quoted(`bash -c ${quoted(text)}`)}`,
    (text) => `(${text})`,
    (text) => `{ ${text}; }`,
    (text) => `if true; then ${text}; fi`,
    (text) => `for i in 1 2; do ${text}; done`,
    (text) => `echo "$(${text})"`,
  ],
);
const commands = fc
  .tuple(around, front, simple, filter, end)
  .map(([wrap, before, middle, behind, after]) => wrap(`${before}${middle}${behind}${after}`));

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** What a command printed, errors among it; null where it failed. */
function outputOf(command: string): string | null {
  for (const [file, text] of Object.entries(FILES)) writeFileSync(join(folder, file), text);
  rmSync(join(folder, "out"), { force: true });
  const script = `exec 2>&1\n${command}\n`;
  try {
    return execFileSync("bash", ["-c", script], { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch {
    return null;
  }
}

/** Words for what a claim says wrongly; null where it is true. */
function untruth({ path, printed }: ShellRead, output: string): string | null {
  if (!existsSync(join(folder, path))) return "there is no such file";
  const file = readFileSync(join(folder, path), "utf8").replace(/\n$/, "").split("\n");
  const shown = output === "" ? [] : output.replace(/\n$/, "").split("\n");
  const bare = (one: string) => one.replace(/^ *\d+\t/, "").replace(/^ {7}(?= *$)/, "");
  if (printed === null) {
    const isOf = (one: string) =>
      one === "--" || [one, bare(one), one.replace(/^\d+[:-]/, "")].some((form) => file.includes(form));
    return shown.every(isOf) ? null : "a line that is not the file's";
  }
  const claimed = printed.end < printed.start ? [] : file.slice(printed.start - 1, printed.end);
  const isEqual = (form: (one: string) => string) => JSON.stringify(shown.map(form)) === JSON.stringify(claimed);
  return isEqual((one) => one) || isEqual(bare)
    ? null
    : `lines ${printed.start}-${printed.end} are not what was printed`;
}

describe("a shell read", () => {
  test(
    "prints the very lines it claims, whatever command it is part of",
    () => {
      let claims = 0;
      fc.assert(
        fc.property(commands, (command) => {
          const output = outputOf(command);
          const read = output === null ? null : shellReadOf(command, output, "c1", shell);
          if (read === null || output === null) return;
          claims++;
          expect(untruth(read, output), `${command}\n${output}`).toBeNull();
        }),
        { numRuns: RUNS, seed: SEED },
      );
      expect(claims).toBeGreaterThan(RUNS / 20);
    },
    TIMEOUT_MS,
  );
});
