import { describe, expect, test } from "vitest";
import { headerOf } from "../../test/support/header.ts";
import { testDialect } from "../testing/test-dialect.ts";
import { createGenericDialect } from "./generic.ts";

const dialect = createGenericDialect();
const input = { path: "/w/f", command: "rm f" };

describe("the generic dialect", () => {
  const samples = ["Read", "edit", "bash"].map((tool) => {
    return {
      name: tool,
      tool,
      input,
      result: { text: "x" },
      expected: { kind: "other", outcome: "ok", path: null, changes: [] },
    } as const;
  });
  for (const check of testDialect(dialect, null, samples)) test(check.name, check.run);

  test("takes any words for a person's, those of a single element apart", () => {
    expect(dialect.isGenuineUser(["<environment>\nx\n</environment>"])).toBe(false);
    expect(dialect.isGenuineUser(["<a>x</a> is what I see"])).toBe(true);
    expect(dialect.isGenuineUser(["<a>x</b>"])).toBe(true);
    expect(dialect.isGenuineUser(["<a>x</a>", "go"])).toBe(true);
  });

  test("recognises everything and names no shell", () => {
    expect(dialect.recognises(headerOf({ toolNames: ["bash"] }), null)).toBe(true);
    expect(dialect.hasShell(["bash"])).toBe(false);
  });
});
