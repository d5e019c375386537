import fc from "fast-check";
import { parse as parseOther } from "smol-toml";
import { describe, expect, test } from "vitest";
import { anyJsonObject } from "../../../test/support/init/any-json.ts";
import { anyToml } from "../../../test/support/init/any-toml.ts";
import { jsonSyntax } from "./json-syntax.ts";
import { isSame, valueAt, withoutEmptyAt, withValueAt } from "./plain-value.ts";
import type { Json, KeyPath, Placed, Syntax } from "./syntax.ts";
import { spliced } from "./text-lines.ts";
import { tomlSyntax } from "./toml-syntax.ts";

const RUNS = { numRuns: 200 };

const SERVER = { command: "/usr/bin/node", args: ["/opt/ebb.mjs", "mcp"] };

type Entry = readonly [KeyPath, Json];

const JSON_ENTRIES: readonly Entry[] = [
  [["env", "ENABLE_TOOL_SEARCH"], "true"],
  [["env", "ANTHROPIC_BASE_URL"], "http://127.0.0.1:4141"],
  [["mcpServers", "ebb"], SERVER],
  [["provider", "anthropic", "options", "baseURL"], "http://127.0.0.1:4141/v1"],
];
const JSON_MAPS = ["env", "mcpServers", "provider"];

const TOML_ENTRIES: readonly Entry[] = [
  [["openai_base_url"], "http://127.0.0.1:4141/v1"],
  [["mcp_servers", "ebb"], SERVER],
];

interface Put {
  readonly text: string;
  readonly placed: readonly Placed[];
}

function putAll(syntax: Syntax, given: string, entries: readonly Entry[]): Put {
  const placed: Placed[] = [];
  let text = given;
  for (const [path, value] of entries) {
    const edited = syntax.put(text, path, value);
    if (!edited.ok) throw new Error(`${edited.fault.line}: ${edited.fault.words}`);
    placed.push(edited.made);
    text = edited.text;
  }
  return { text, placed };
}

function takeAll(syntax: Syntax, given: string, placed: readonly Placed[]): string {
  return placed.toReversed().reduce((text, one) => {
    const edited = syntax.take(text, one);
    if (!edited.ok) throw new Error(`${edited.fault.line}: ${edited.fault.words}`);
    return edited.text;
  }, given);
}

/** True where `long` is `short` with text put in between. */
function isSubsequence(short: string, long: string): boolean {
  let at = 0;
  for (const character of long) if (character === short[at]) at += 1;
  return at === short.length;
}

/** What a person types between two tokens: a property, a comment, white space. */
const anyEdit = fc.constantFrom(
  ' "mine": 1,',
  '\n  "mine": {"a": [2]}, // why\n',
  " // mine\n",
  "/* mine */",
  " ",
  "\n",
);

describe("JSON with comments", () => {
  const texts = anyJsonObject(JSON_MAPS);

  test("takes what is wanted as pure insertions, and gives the very text back", () => {
    fc.assert(
      fc.property(texts, fc.subarray([...JSON_ENTRIES], { minLength: 1 }), (text, entries) => {
        fc.pre(jsonSyntax.faultOf(text) === null);
        const put = putAll(jsonSyntax, text, entries);
        expect(jsonSyntax.faultOf(put.text)).toBeNull();
        for (const [path, value] of entries) expect(valueAt(jsonSyntax.valueOf(put.text), path)).toEqual(value);
        expect(isSubsequence(text.replaceAll(/\s/g, ""), put.text)).toBe(true);
        expect(takeAll(jsonSyntax, put.text, put.placed)).toBe(text);
      }),
      RUNS,
    );
  });

  test("adds no comma, no comment and no line end that a strict reader refuses", () => {
    fc.assert(
      fc.property(fc.json({ depthSize: "small" }), (text) => {
        fc.pre(jsonSyntax.faultOf(text) === null);
        const put = putAll(jsonSyntax, text, JSON_ENTRIES);
        expect(JSON.parse(put.text)).toEqual(jsonSyntax.valueOf(put.text));
      }),
      RUNS,
    );
  });

  test("leaves a text with edits of its user as if it had never been there", () => {
    fc.assert(
      fc.property(texts, fc.constantFrom(...JSON_ENTRIES), fc.nat(), anyEdit, (text, entry, seed, added) => {
        fc.pre(jsonSyntax.faultOf(text) === null);
        const put = putAll(jsonSyntax, text, [entry]);
        const piece = put.placed[0]?.text ?? "";
        const start = put.text.indexOf(piece);
        fc.pre(put.placed[0]?.inside === null && piece.endsWith(","));
        const places = [...text.matchAll(/[{,]|$/g)].map((found) => found.index + found[0].length);
        const at = places[seed % places.length] ?? 0;
        fc.pre(text.slice(Math.min(at, start), Math.max(at, start)).trim() !== "");
        const theirs = spliced(text, at, at, added);
        const both = spliced(put.text, at < start ? at : at + piece.length, at < start ? at : at + piece.length, added);
        fc.pre(jsonSyntax.faultOf(theirs) === null && jsonSyntax.faultOf(both) === null);
        fc.pre(!jsonSyntax.hasComments(both, entry[0]));
        expect(takeAll(jsonSyntax, both, put.placed)).toBe(theirs);
      }),
      RUNS,
    );
  });

  test("goes without any comment and any value of others, wherever they were put in between", () => {
    fc.assert(
      fc.property(texts, fc.array(fc.tuple(fc.nat(), anyEdit), { minLength: 1, maxLength: 3 }), (text, edits) => {
        fc.pre(jsonSyntax.faultOf(text) === null);
        const put = putAll(jsonSyntax, text, JSON_ENTRIES);
        const edited = edits.reduce((now, [seed, added]) => {
          const places = [...now.matchAll(/[{},]|$/g)].map(
            (found) => found.index + (found[0] === "}" ? 0 : found[0].length),
          );
          const at = places[seed % places.length] ?? 0;
          const next = spliced(now, at, at, added);
          return jsonSyntax.faultOf(next) === null ? next : now;
        }, put.text);
        fc.pre(edited !== put.text);
        fc.pre(JSON_ENTRIES.every(([path, value]) => isSame(valueAt(jsonSyntax.valueOf(edited), path), value)));
        fc.pre(JSON_ENTRIES.every(([path]) => !jsonSyntax.hasComments(edited, path)));
        const out = takeAll(jsonSyntax, edited, put.placed);
        expect(jsonSyntax.faultOf(out)).toBeNull();
        expect(commentsOf(out)).toEqual(commentsOf(edited));
        const expected = JSON_ENTRIES.reduce(
          (value, [path]) => withValueAt(value, path, undefined),
          jsonSyntax.valueOf(edited),
        );
        const made = JSON_ENTRIES.flatMap(([path]) => path.map((_, index) => path.slice(0, index)).slice(1));
        expect(isSame(withoutEmptyAt(jsonSyntax.valueOf(out), made), withoutEmptyAt(expected, made))).toBe(true);
      }),
      RUNS,
    );
  });

  test("is taken out of a text that its client wrote anew", () => {
    fc.assert(
      fc.property(texts, fc.constantFrom(0, 2, 4), (text, indent) => {
        fc.pre(jsonSyntax.faultOf(text) === null);
        const put = putAll(jsonSyntax, text, JSON_ENTRIES);
        const anew = JSON.stringify({ ...Object(jsonSyntax.valueOf(put.text)), numStartups: 2 }, null, indent);
        const out = takeAll(jsonSyntax, anew, put.placed);
        expect(JSON.parse(out)).toEqual({ ...Object(jsonSyntax.valueOf(text)), numStartups: 2 });
      }),
      RUNS,
    );
  });
});

describe("TOML", () => {
  test("takes what is wanted as pure insertions, and gives the very text back", () => {
    fc.assert(
      fc.property(anyToml, (text) => {
        fc.pre(tomlSyntax.faultOf(text) === null);
        const put = putAll(tomlSyntax, text, TOML_ENTRIES);
        expect(put.text).toContain(text);
        expect(parseOther(put.text)).toMatchObject({
          openai_base_url: TOML_ENTRIES[0]?.[1],
          mcp_servers: { ebb: SERVER },
        });
        expect(takeAll(tomlSyntax, put.text, put.placed)).toBe(text);
      }),
      RUNS,
    );
  });

  test("means the old values and the new ones, as another parser reads them", () => {
    fc.assert(
      fc.property(anyToml, (text) => {
        fc.pre(tomlSyntax.faultOf(text) === null);
        const put = putAll(tomlSyntax, text, TOML_ENTRIES);
        const { openai_base_url: _, mcp_servers, ...others } = parseOther(put.text);
        const { ebb: __, ...servers } = Object(mcp_servers);
        const { mcp_servers: before = {}, ...rest } = parseOther(text);
        expect([others, servers]).toEqual([rest, before]);
      }),
      RUNS,
    );
  });

  test("keeps edits made in between, and their comments", () => {
    const note = fc.constantFrom("# mine\n", "\n", "mine = 1\n", "[mine]\nx = 1\n");
    fc.assert(
      fc.property(anyToml, fc.nat(), note, (text, seed, added) => {
        fc.pre(tomlSyntax.faultOf(text) === null);
        const put = putAll(tomlSyntax, text, TOML_ENTRIES);
        const starts = [0, ...[...put.text.matchAll(/\n/g)].map(({ index }) => index + 1)];
        const at = starts[seed % starts.length] ?? 0;
        const edited = put.text.slice(0, at) + added + put.text.slice(at);
        fc.pre(tomlSyntax.faultOf(edited) === null);
        fc.pre(
          TOML_ENTRIES.every(
            ([path, value]) => JSON.stringify(valueAt(tomlSyntax.valueOf(edited), path)) === JSON.stringify(value),
          ),
        );
        const out = takeAll(tomlSyntax, edited, put.placed);
        expect(tomlSyntax.faultOf(out)).toBeNull();
        for (const [path] of TOML_ENTRIES) expect(valueAt(tomlSyntax.valueOf(out), path)).toBeUndefined();
        expect(out.split("# mine").length).toBe(edited.split("# mine").length);
        const { openai_base_url: _, mcp_servers = {}, ...others } = parseOther(edited);
        const { ebb: __, ...servers } = Object(mcp_servers);
        const { mcp_servers: left = {}, ...rest } = parseOther(out);
        expect([rest, left]).toEqual([others, servers]);
      }),
      RUNS,
    );
  });
});

function commentsOf(text: string): readonly string[] {
  return [...text.matchAll(/"(?:\\.|[^"\\])*"|\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g)]
    .map(([found]) => found.trim())
    .filter((found) => !found.startsWith('"'));
}
