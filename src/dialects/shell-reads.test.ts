import { describe, expect, test } from "vitest";
import { createShellParser } from "../keeper/shell-parser.ts";
import { shellReadOf } from "./shell-reads.ts";

const shell = createShellParser();
const THREE = "one\ntwo\nthree\n";
const NUMBERED = "     4\tone\n     5\ttwo\n     6\tthree\n";

/** `path start-end printed` of a read, `path ?` where its lines are not known, null for none. */
function readOf(command: string, output = THREE): string | null {
  const read = shellReadOf(command, output, "c1", shell);
  if (read === null) return null;
  const { path, window, printed } = read;
  if (window.part !== null) return `${path} ?`;
  return `${path} ${window.start}-${window.end ?? ""} ${printed?.start}-${printed?.end}`;
}

describe("an output that is not the file", () => {
  test.each([
    ["cat f.ts", "cat: f.ts: No such file or directory"],
    ["sed -n '4,9p' f.ts", "sed: can't read f.ts: No such file or directory\n"],
    ["cd /w && cat f.ts", "bash: line 1: cd: /w: No such file or directory\n"],
    ["cat f.ts", `bash: warning: setlocale: LC_ALL: cannot change locale (en_US.UTF-8)\n${THREE}`],
  ])("%s", (command, output) => expect(readOf(command, output)).toBeNull());

  test("is not told by words that stand in the file", () => {
    expect(readOf("cat f.yaml", "name: x\npatch: 3\n")).toBe("f.yaml 1- 1-2");
  });
});

describe("a command that prints lines of one file", () => {
  test.each([
    ["cat f.ts", "f.ts 1- 1-3"],
    ["/bin/cat -- f.ts", "f.ts 1- 1-3"],
    ["cat 'my file.ts'", "my file.ts 1- 1-3"],
    ["cat f.ts 2>/dev/null", "f.ts 1- 1-3"],
    ["cat f.ts 2>&1", "f.ts 1- 1-3"],
    ["nl f.ts", "f.ts 1- 1-3"],
    ["sed -n '4,9p' f.ts", "f.ts 4-9 4-6"],
    ["sed -n 4,9p f.ts", "f.ts 4-9 4-6"],
    ["sed -n -e '4,+5p' f.ts", "f.ts 4-9 4-6"],
    ["sed -nE '4,$p' f.ts", "f.ts 4- 4-6"],
    ["head -n 5 f.ts", "f.ts 1-5 1-3"],
    ["head -5 f.ts", "f.ts 1-5 1-3"],
    ["head f.ts", "f.ts 1-10 1-3"],
    ["tail -n +4 f.ts", "f.ts 4- 4-6"],
    ["cd src && cat f.ts", "src/f.ts 1- 1-3"],
    ["cd /w && sed -n '1,3p' f.ts", "/w/f.ts 1-3 1-3"],
    ["bash -lc \"sed -n '1,3p' f.ts\"", "f.ts 1-3 1-3"],
    ["bash -lc 'cd /w && cat f.ts'", "/w/f.ts 1- 1-3"],
    ["cat f.ts | sed -n '4,9p'", "f.ts 4-9 4-6"],
    ["cat f.ts | head -n 3", "f.ts 1-3 1-3"],
    ["sed -n '4,9p' f.ts | head -n 4", "f.ts 4-7 4-6"],
  ])("%s", (command, expected) => expect(readOf(command)).toBe(expected));

  test.each([
    ["nl -ba f.ts | sed -n '4,9p'", "f.ts 4-9 4-6"],
    ["nl -b a f.ts | sed -n '4,9p'", "f.ts 4-9 4-6"],
    ["cat -n f.ts | sed -n '4,6p'", "f.ts 4-6 4-6"],
    ["nl -ba f.ts | sed -n '5,9p'", null],
    ["cat -n f.ts", null],
  ])("that numbers them counts by its numbers: %s", (command, expected) => {
    expect(readOf(command, NUMBERED)).toBe(expected);
  });

  test.each([
    "rg -n 'a|b' f.ts",
    "rg needle f.ts -n",
    "grep -n -C 2 needle f.ts",
    "grep -nE -A3 -e needle f.ts",
    "tail -n 5 f.ts",
    "tail f.ts",
    "sed -n '/a/,/b/p' f.ts",
    "sed -n '1,3p;7,9p' f.ts",
    "cat f.ts | grep -n needle",
    "cat f.ts | tail -n 3",
  ])("is a read of lines that only the output tells: %s", (command) => expect(readOf(command)).toBe("f.ts ?"));

  test("is another part of its file each time where only the output tells the lines", () => {
    const parts = ["c1", "c2"].map((id) => shellReadOf("tail f.ts", THREE, id, shell)?.window.part);
    expect(new Set(parts).size).toBe(2);
  });

  test.each([
    "cat a.ts b.ts",
    "cat",
    "cat -",
    "cat < f.ts",
    "cat *.ts",
    "cat $F",
    "cat ~/f.ts",
    "cat f.ts; ls",
    "cat f.ts\nls",
    "cat f.ts && ls",
    "ls && cat f.ts",
    "cat f.ts || true",
    "! cat f.ts",
    "cat f.ts &",
    "if true; then cat f.ts; fi",
    "for i in 1 2; do cat f.ts; done",
    "(cat f.ts)",
    "cat f.ts > g.ts",
    "cat f.ts | tee g.ts",
    "cat f.ts | wc -l",
    "cat f.ts | sed 's/a/b/'",
    "cat f.ts | head -n 3 | tail -n 1",
    "cat f.ts |& head",
    "cat -A f.ts",
    "cat /proc/self/environ",
    "head -c 20 f.ts",
    "head -n -2 f.ts",
    "head a.ts b.ts",
    "tail -f f.ts",
    "sed '4,9p' f.ts",
    "sed -n '4,9d' f.ts",
    "sed -n '4,9p;w g' f.ts",
    "sed -ni '4,9p' f.ts",
    "sed -n '0,9p' f.ts",
    "sed -n '4,9p' a.ts b.ts",
    "rg needle",
    "rg -l needle f.ts",
    "rg -c needle f.ts",
    "rg -o needle f.ts",
    "rg -r x needle f.ts",
    "rg needle a.ts b.ts",
    "rg needle src/",
    "rg --files f.ts",
    "grep -q needle f.ts",
    "grep -H needle f.ts",
    "grep --color=always needle f.ts",
    "time cat f.ts",
    "LC_ALL=C cat f.ts",
    "grep -rn needle f.ts",
    "git show HEAD:f.ts",
    "cd - && cat f.ts",
    "cd $D && cat f.ts",
    "bash -c 'cat f.ts; ls'",
    "cat 'f.ts",
    "",
  ])("is none where it prints anything else, or may: %s", (command) => expect(readOf(command)).toBeNull());

  test("is none where the output has more lines than it asked for", () => {
    expect(readOf("sed -n '4,5p' f.ts")).toBeNull();
    expect(readOf("head -n 2 f.ts")).toBeNull();
  });

  test("is none behind a pipe where the first program may have failed", () => {
    expect(readOf("sed -n '1,9p' f.ts | head -n 5", "sed: can't read f.ts: No such file or directory\n")).toBeNull();
    expect(readOf("cat f.ts 2>/dev/null | head -n 5", "")).toBeNull();
  });

  test("is none where what matched stands in other files", () => {
    expect(readOf("rg -n needle src", "src/a.ts:1:needle\n")).toBeNull();
    expect(readOf("cd /w && rg -n needle src", "src/a.ts:1:needle\n")).toBeNull();
    expect(readOf("rg needle src", "\nsrc/a.ts\n1:needle\n")).toBeNull();
  });

  test("printed nothing of a file, or of a range, that is empty", () => {
    expect(readOf("cat f.ts", "")).toBe("f.ts 1- 1-0");
    expect(readOf("sed -n '4,9p' f.ts", "")).toBe("f.ts 4-9 4-3");
  });

  test("is none without a parser", () => expect(shellReadOf("cat f.ts", THREE, "c1", null)).toBeNull());
});
