import { describe, expect, test } from "vitest";
import { createShellParser } from "../keeper/shell-parser.ts";
import { leadingDirectoryOf, shellChangesOf } from "./shell-changes.ts";

const shell = createShellParser();

function changesOf(text: string): readonly string[] {
  return shellChangesOf(shell.parse(text) ?? []).map(({ kind, path }) => `${kind} ${path}`);
}

describe("changes in shell text", () => {
  test.each([
    ["echo a > f", ["write f"]],
    ["echo a >f", ["write f"]],
    ["echo a >> f", ["edit f"]],
    ["echo a >| f; echo b &> g; echo c &>> h; echo d >& i", ["write f", "write g", "edit h", "write i"]],
    ["cat <<EOF > f\na > b\nEOF", ["write f"]],
    ["cat > f <<'EOF'\nsed -i s/a/b/ g\nEOF", ["write f"]],
    ["ls | tee f g", ["write f", "write g"]],
    ["ls | tee -a f", ["edit f"]],
    ["truncate -s 0 f", ["edit f"]],
    ["truncate --size=0 f", ["edit f"]],
    ["cp a b", ["write b"]],
    ["cp -r a b c/", ["write c/a", "write c/b"]],
    ["cp -t d a", ["write d/a"]],
    ["mv a b", ["rename a", "rename b"]],
    ["mv a d/", ["rename a", "rename d/a"]],
    ["rm -rf a b", ["delete a", "delete b"]],
    ["rm -- -x", ["delete -x"]],
    ["patch f fix.diff", ["edit f"]],
    ["patch -p1 f < fix.diff", ["edit f"]],
    ["sudo tee f", ["write f"]],
    ["/usr/bin/sed -i s/a/b/ f", ["edit f"]],
  ])("sees %s", (text, expected) => expect(changesOf(text)).toEqual(expected));

  test.each([
    "sed -i s/a/b/ f",
    "sed -i.bak s/a/b/ f",
    "sed -i '' s/a/b/ f",
    "sed -Ei s/a/b/ f",
    "sed -E -i s/a/b/ f",
    "sed -ni.orig s/a/b/p f",
    "sed --in-place s/a/b/ f",
    "sed --in-place=.bak s/a/b/ f",
    "sed -i -e s/a/b/ -e s/c/d/ f",
    "sed -ie s/a/b/ f",
    "sed -es/a/b/ -i f",
    "sed --expression=s/a/b/ -i f",
    "sed -i -- s/a/b/ f",
    "sed -i $script f",
    "gsed -i s/a/b/ f",
  ])("sees the file in %s", (text) => expect(changesOf(text)).toEqual(["edit f"]));

  test.each([
    "sed s/a/b/ f",
    "sed -n -e 1p -f i f",
    'git commit -m "a; echo y > f"',
    "git commit -m 'x' -m \"$(cat <<'EOF'\necho y > f\nEOF\n)\"",
    "echo 'sed -i s/a/b/ f'",
    "echo a > $f",
    "rm *.ts",
    "ls 2>&1 >/dev/null",
    "patch -p1 < fix.diff",
    "patch --dry-run f fix.diff",
    "cp -n a b",
    "git apply fix.diff",
    "make install",
    "test -f f || echo a > f",
  ])("claims nothing for %s", (text) => expect(changesOf(text)).toEqual([]));

  test("joins targets to the directory of a cd before them", () => {
    expect(changesOf("cd /w/a && sed -i s/a/b/ f && rm ../g")).toEqual(["edit /w/a/f", "delete /w/g"]);
    expect(changesOf("cd sub && echo > f")).toEqual(["write sub/f"]);
    expect(changesOf("cd sub && echo > /abs/f")).toEqual(["write /abs/f"]);
    expect(changesOf("cd $where && echo > f")).toEqual([]);
  });

  test("answers the directory of a leading cd alone", () => {
    expect(leadingDirectoryOf(shell.parse("cd /w && ls") ?? [])).toBe("/w");
    expect(leadingDirectoryOf(shell.parse("ls && cd /w && ls") ?? [])).toBeNull();
    expect(leadingDirectoryOf(shell.parse("cd sub && ls") ?? [])).toBeNull();
    expect(leadingDirectoryOf([])).toBeNull();
  });
});
