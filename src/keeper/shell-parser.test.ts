import { describe, expect, test } from "vitest";
import type { ShellCommand } from "../model/ports.ts";
import { createShellParser } from "./shell-parser.ts";

const shell = createShellParser();

function commandsOf(text: string): readonly ShellCommand[] {
  const commands = shell.parse(text);
  if (commands === null) throw new Error(`not understood: ${text}`);
  return commands;
}

function writesOf(text: string): readonly string[] {
  return commandsOf(text).flatMap(({ redirects, directory }) =>
    redirects.map(({ operator, target }) => `${operator} ${target} in ${directory}`),
  );
}

function namesOf(text: string): readonly string[] {
  return commandsOf(text).map(({ words }) => words.join(" "));
}

describe("the shell parser", () => {
  test("takes words apart and resolves quotes", () => {
    expect(commandsOf(`sed -i 's/a b/c/' "x y.ts" a\\ b $'c'`)).toEqual([
      { words: ["sed", "-i", "s/a b/c/", "x y.ts", "a b", "c"], redirects: [], directory: null },
    ]);
  });

  test("answers null for words the shell would expand", () => {
    expect(commandsOf('rm "$x" *.ts {a,b} ~/f $(ls) "q$(y)" a')[0]?.words).toEqual(["rm", ...Array(6).fill(null), "a"]);
    expect(commandsOf('echo > "$f"')[0]?.redirects).toEqual([{ operator: ">", target: null }]);
  });

  test("never takes here-document bodies and quoted strings for commands", () => {
    expect(namesOf("cat <<'EOF' > f\nrm x; echo y > z\nEOF\nls")).toEqual(["cat", "ls"]);
    expect(writesOf("cat <<EOF > f\necho y > z\nEOF")).toEqual(["> f in null"]);
    expect(writesOf('git commit -m "a; echo y > f"')).toEqual([]);
  });

  test("follows a literal cd through a list, and no further than its subshell or pipeline", () => {
    expect(writesOf("cd /w && echo > a; cd sub; echo > b; (cd x; echo > c); echo > d; cd y | cat; echo > e")).toEqual([
      "> a in /w",
      "> b in /w/sub",
      "> c in /w/sub/x",
      "> d in /w/sub",
      "> e in /w/sub",
    ]);
    expect(writesOf("cd ..; cd a; echo > f")).toEqual(["> f in ../a"]);
  });

  test.each([
    "cd $x; echo > f",
    "cd -; echo > f",
    "cd; echo > f",
    "popd; echo > f",
    "cd ~/a && echo > f",
    "exit; echo > f",
  ])("claims nothing after %s", (text) => expect(writesOf(text)).toEqual([]));

  test("finds redirects of a bare redirect, a group and a loop", () => {
    expect(writesOf(">f")).toEqual(["> f in null"]);
    expect(writesOf("{ echo a; } >> g 2>&1")).toEqual([">> g in null", ">& 1 in null"]);
    expect(writesOf("for i in 1 2; do echo $i >> h; done")).toEqual([">> h in null"]);
  });

  test.each([
    ["a || echo > f", ["a"]],
    ["a && b || c", ["a"]],
    ["if a; then rm f; else rm g; fi", ["a"]],
    ["while a; do rm f; done", ["a"]],
    ["for i in $x; do rm f; done", []],
    ["case x in x) rm f;; esac", []],
    ["f() { rm x; }", []],
    ["! rm f", []],
    ["time rm f", ["rm f"]],
    ["a && b; c | d", ["a", "b", "c", "d"]],
  ])("leaves out of %s what may not have run", (text, names) => expect(namesOf(text)).toEqual(names));

  test("looks into bash -c, one level deep", () => {
    expect(namesOf("bash -lc 'rm a; rm b'")).toEqual(["bash -lc rm a; rm b", "rm a", "rm b"]);
    expect(namesOf("/bin/sh -eo pipefail -c 'rm a'").at(-1)).toBe("rm a");
    expect(namesOf(`bash -c "bash -c 'rm a'"`)).not.toContain("rm a");
    expect(namesOf("bash script.sh -c 'rm a'")).not.toContain("rm a");
    expect(writesOf("cd /w; bash -c 'cd sub; echo > a'; echo > b")).toEqual(["> a in /w/sub", "> b in /w"]);
  });

  test.each(['echo "x', "echo $(", "if a; then", "(a"])("answers null for %s, which does not parse", (text) => {
    expect(shell.parse(text)).toBeNull();
  });

  test("never throws, however deep or long the text is", () => {
    expect(() => shell.parse("(".repeat(200_000))).not.toThrow();
    expect(() => shell.parse(`${"{ ".repeat(50_000)}a; ${"}; ".repeat(50_000)}`)).not.toThrow();
    expect(shell.parse("a".repeat(1_000_001))).toBeNull();
  });
});
