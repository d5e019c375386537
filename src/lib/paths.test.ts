import { describe, expect, test } from "vitest";
import { baseNameOf, isAbsolutePath, resolvePath } from "./paths.ts";

describe("resolvePath", () => {
  test.each([
    ["/a/./b//c/../d", null, "/a/b/d"],
    ["/../a", null, "/a"],
    ["/", null, "/"],
    ["/a/", null, "/a"],
    ["f.ts", "/w", "/w/f.ts"],
    ["./f.ts", "/w/", "/w/f.ts"],
    ["../f.ts", "/w/sub", "/w/f.ts"],
    [".", "/w", "/w"],
    ["a\\b", "/w", "/w/a\\b"],
  ])("resolves %s against %s", (path, directory, expected) => {
    expect(resolvePath(path, directory)).toBe(expected);
  });

  test.each([
    ["c:/a/../b.ts", null, "C:\\b.ts"],
    ["C:\\a\\.\\b.ts", null, "C:\\a\\b.ts"],
    ["src/b.ts", "C:\\a", "C:\\a\\src\\b.ts"],
    ["..\\b.ts", "C:/a/x", "C:\\a\\b.ts"],
    ["\\\\host\\share\\a\\..\\b", null, "\\\\host\\share\\b"],
    ["..\\..\\b", "\\\\host\\share\\a", "\\\\host\\share\\b"],
  ])("reads the Windows path %s against %s on any host", (path, directory, expected) => {
    expect(resolvePath(path, directory)).toBe(expected);
  });

  test("keeps a relative path as text where no directory is stated, a leading ./ apart", () => {
    expect(resolvePath("./a/f.ts", null)).toBe("a/f.ts");
    expect(resolvePath("././f.ts", null)).toBe("f.ts");
    expect(resolvePath("a/../f.ts", null)).toBe("a/../f.ts");
    expect(resolvePath("../f.ts", null)).toBe("../f.ts");
  });

  test("joins to a relative directory without losing the way up", () => {
    expect(resolvePath("f.ts", "sub")).toBe("sub/f.ts");
    expect(resolvePath("../../f.ts", "sub")).toBe("../f.ts");
    expect(resolvePath("..", "sub")).toBe(".");
  });

  test("answers the same for its own answer", () => {
    for (const path of ["/a/b", "C:\\a\\b", "\\\\h\\s\\a", "/"]) expect(resolvePath(path, "/elsewhere")).toBe(path);
  });
});

describe("isAbsolutePath and baseNameOf", () => {
  test("tell absolute from relative", () => {
    expect(["/a", "C:\\a", "c:/a", "\\\\h\\s"].every(isAbsolutePath)).toBe(true);
    expect(["a", "./a", "~", "C:", ""].some(isAbsolutePath)).toBe(false);
  });

  test("answer the last name", () => {
    expect(baseNameOf("/a/b.ts")).toBe("b.ts");
    expect(baseNameOf("b.ts")).toBe("b.ts");
    expect(baseNameOf("C:\\a\\b.ts")).toBe("b.ts");
    expect(baseNameOf("/a/")).toBe("");
  });
});
