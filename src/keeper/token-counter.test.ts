import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { recordedSessions } from "../../test/support/shared.ts";
import { createTokenCounter } from "./token-counter.ts";

const PLAIN = { disallowedSpecial: new Set<string>() };
const counter = createTokenCounter();

describe("token counter", () => {
  it("counts nothing for nothing and the names of special tokens as plain text", () => {
    expect(counter.count("")).toBe(0);
    expect(counter.count("a <|endoftext|> b")).toBeGreaterThan(3);
  });

  it("counts an over-long run in parts of 512, because merging costs the square of a run's length", () => {
    const run = "understanding".repeat(100);
    const parts = [0, 512, 1024].map((start) => countTokens(run.slice(start, start + 512)));
    const inParts = parts.reduce((sum, tokens) => sum + tokens, 0);
    expect(inParts).not.toBe(countTokens(run));
    expect(counter.count(run)).toBe(inParts);
    expect(counter.count(" ".repeat(100_000))).toBeGreaterThan(0);
    expect(counter.count("=".repeat(100_000))).toBeGreaterThan(0);
  });

  it("finds an over-long run wherever it stands, and no other", () => {
    const plain = fc.string({ maxLength: 900 }).map((text) => text.replace(/(.{20})/gu, "$1 9"));
    fc.assert(
      fc.property(
        plain,
        fc.constantFrom("x", "xé", " ", "\n ", "=-", "€+"),
        fc.integer({ min: 505, max: 530 }),
        plain,
        (head, unit, length, tail) => {
          const run = unit.repeat(length).slice(0, length);
          const inParts = [`${head}5${run.slice(0, 512)}`, `${run.slice(512)}5${tail}`].map((part) =>
            countTokens(part, PLAIN),
          );
          const whole = countTokens(`${head}5${run}5${tail}`, PLAIN);
          const expected = length > 512 ? (inParts[0] ?? 0) + (inParts[1] ?? 0) : whole;
          expect(counter.count(`${head}5${run}5${tail}`)).toBe(expected);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("never cuts a pair of surrogates, and bears lone ones", () => {
    const text = "𠮷".repeat(2_000);
    expect(Math.abs(counter.count(text) - countTokens(text))).toBeLessThan(20);
    expect(counter.count(`\ud800${"x".repeat(600)}`)).toBeGreaterThan(0);
  });

  it("equals the plain encoder right around the longest run", () => {
    for (const length of [511, 512]) {
      const text = `${"ab ".repeat(300)}${"xy".repeat(length / 2)} tail\n`;
      expect(counter.count(text)).toBe(countTokens(text));
    }
  });
});

describe.skipIf(recordedSessions === null)("token counter on recorded sessions", () => {
  it("equals the plain encoder on every line without an over-long run", () => {
    const folder = join(recordedSessions ?? "", "sessions", "claude-code");
    let exact = 0;
    for (const name of ["entire-cjk2.jsonl", "vct.jsonl", "kiliman-test2.jsonl"].filter((n) =>
      readdirSync(folder).includes(n),
    )) {
      for (const line of readFileSync(join(folder, name), "utf8").split("\n")) {
        if (/[\p{L}\p{M}]{513}|\s{513}|[^\s\p{L}\p{N}]{513}/u.test(line)) continue;
        if (line.length > 200_000) continue;
        expect(counter.count(line)).toBe(countTokens(line, { disallowedSpecial: new Set() }));
        exact += 1;
      }
    }
    expect(exact).toBeGreaterThan(500);
  });
});
