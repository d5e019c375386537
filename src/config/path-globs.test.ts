import { describe, expect, test } from "vitest";
import { OPTIONS } from "./options.ts";
import { createPathMatcher } from "./path-globs.ts";

function matching(glob: string, paths: readonly string[]): readonly string[] {
  return paths.filter(createPathMatcher([glob]));
}

describe("path globs", () => {
  test("without a slash match the file's name in any folder", () => {
    const paths = ["/a/.env", "/a/.env.local", ".env", "/a/x.env", "/.env/x"];
    expect(matching(".env*", paths)).toEqual(["/a/.env", "/a/.env.local", ".env"]);
  });

  test("with a slash match the end of the path, with a leading slash the whole", () => {
    const paths = ["/a/secrets/b", "/secrets/b", "/secrets/c/b", "/a/mysecrets/b"];
    expect(matching("secrets/*", paths)).toEqual(["/a/secrets/b", "/secrets/b"]);
    expect(matching("/secrets/**", paths)).toEqual(["/secrets/b", "/secrets/c/b"]);
    expect(matching("secrets/**/b", paths)).toEqual(["/a/secrets/b", "/secrets/b", "/secrets/c/b"]);
  });

  test("take choices, single letters and every other sign as itself", () => {
    expect(matching("[ab]?.k+y", ["/a1.k+y", "/c1.k+y", "/a1.kky"])).toEqual(["/a1.k+y"]);
    expect(matching("[!ab].x", ["/a.x", "/c.x"])).toEqual(["/c.x"]);
    expect(matching("a[", ["/a["])).toEqual(["/a["]);
  });

  test("do not look at letter case or at the kind of slash", () => {
    expect(matching("*.PEM", ["C:\\keys\\Server.pem"])).toEqual(["C:\\keys\\Server.pem"]);
  });

  test("of the default list cover environment files and private keys, and no sources", () => {
    const isSecret = createPathMatcher(OPTIONS.never_store.default);
    for (const path of ["/p/.env", "/p/.env.production", "/h/.ssh/id_rsa", "/h/.ssh/id_ed25519", "/p/tls/server.key"]) {
      expect(isSecret(path), path).toBe(true);
    }
    for (const path of ["/p/src/env.ts", "/p/src/keys.ts", "/p/README.md", "/p/keyboard.js"]) {
      expect(isSecret(path), path).toBe(false);
    }
  });
});
