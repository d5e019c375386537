import fc from "fast-check";
import { type Flavour, linesOf } from "../../laws/client/texts.ts";
import { picture } from "../pictures.ts";
import type { WireCall, WireMember, WireResult } from "./talk.ts";

/** One use of a tool of the agent, before it has an id. */
export type WireUse =
  | {
      readonly tool: "read";
      readonly path: number;
      readonly window: 0 | 1;
      readonly size: number;
      readonly flavour: Flavour;
      readonly end: "ok" | "failed" | "empty" | "picture";
    }
  | { readonly tool: "edit" | "write"; readonly path: number; readonly end: "ok" | "failed" | "exotic" }
  | {
      readonly tool: "bash";
      readonly size: number;
      readonly flavour: Flavour;
      readonly end: "ok" | "failed" | "empty" | "picture";
    };

const PATHS = ["/w/a.ts", "src/größe.ts", "/w/c d.ts"] as const;
/** Other spellings of the same files. */
const SPELLINGS = ["a.ts", "/w/src/../src/größe.ts", "./c d.ts"] as const;

/** Anything a model may put into a call: numbers no double can hold, and deep nesting. */
const EXOTIC: readonly WireMember[] = [
  ["big", { verbatim: "123456789012345678901234567890.10" }],
  ["\ud83d\ude00", null],
  ["lone", "a \ud83d b"],
  ["deep", { verbatim: `${"[".repeat(20)}${"]".repeat(20)}` }],
];

const flavour = fc.constantFrom<Flavour[]>("plain", "plain", "scripts", "hostile");
const path = fc.constantFrom(0, 0, 0, 1, 2);
/** Some results pass the bound of the laws' keepers. */
const size = fc.oneof(fc.constant(18), fc.integer({ min: 0, max: 32 }));

/** Reads, edits, writes and commands, some of which fail, return nothing, or a picture. */
export const wireUses: fc.Arbitrary<readonly WireUse[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        tool: fc.constant("read" as const),
        path,
        window: fc.constantFrom(0, 0, 1),
        size,
        flavour,
        end: fc.constantFrom("ok", "ok", "ok", "ok", "failed", "empty", "picture"),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        tool: fc.constantFrom("edit", "edit", "write"),
        path,
        end: fc.constantFrom("ok", "ok", "ok", "exotic", "failed"),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        tool: fc.constant("bash" as const),
        size,
        flavour,
        end: fc.constantFrom("ok", "ok", "failed", "empty", "picture"),
      }),
    },
  ),
  { minLength: 1, maxLength: 3, size: "max" },
);

/** The call and the result of one use; `version` makes contents and ids differ from one use to the next. */
export function wireExchange(use: WireUse, version: number): { readonly call: WireCall; readonly result: WireResult } {
  const callId = `call_${version}`;
  const answer = answerOf(use, version);
  return {
    call: { id: callId, name: use.tool, input: inputOf(use, version) },
    result: { callId, name: use.tool, ...answer, isError: use.end === "failed" },
  };
}

function inputOf(use: WireUse, version: number): readonly WireMember[] {
  if (use.tool === "bash") return [["command", `npm test -- ${version % 3} && echo "é"`]];
  const name = (version % 4 === 0 ? SPELLINGS : PATHS)[use.path] ?? PATHS[0];
  const exotic = use.end === "exotic" ? EXOTIC : [];
  switch (use.tool) {
    case "read":
      return use.window === 0
        ? [["path", name]]
        : [
            ["path", name],
            ["offset", 10],
            ["limit", 60],
          ];
    case "edit":
      return [["path", name], ["oldText", `old ${version}`], ["newText", `new ${version} \ud83d`], ...exotic];
    case "write":
      return [["path", name], ["content", `written ${version}\n`], ...exotic];
  }
}

function answerOf(use: WireUse, version: number): Pick<WireResult, "text" | "picture"> {
  switch (use.tool) {
    case "edit":
    case "write":
      return { text: changeAnswer(use.tool, PATHS[use.path] ?? PATHS[0], use.end === "failed"), picture: null };
    case "read":
    case "bash":
      return textAnswer(use, version);
  }
}

function changeAnswer(tool: "edit" | "write", name: string, isFailed: boolean): string {
  if (isFailed) {
    return `Could not find the exact text in ${name}. The old text must match exactly including all whitespace and newlines.`;
  }
  return tool === "edit" ? `Successfully replaced 1 block(s) in ${name}.` : `Successfully wrote 9 bytes to ${name}`;
}

function textAnswer(
  use: Extract<WireUse, { tool: "read" | "bash" }>,
  version: number,
): Pick<WireResult, "text" | "picture"> {
  const lines = linesOf(use.flavour, version, use.size + 1).join("\n");
  switch (use.end) {
    case "ok":
      return { text: lines, picture: null };
    case "empty":
      return { text: "", picture: null };
    case "picture": {
      const bytes = version % 5 === 0 ? 60 : 900;
      return { text: `Read image file [image/png] ${version}`, picture: picture(version, { bytes }) };
    }
    case "failed": {
      const missing = "ENOENT: no such file or directory, access 'a.ts'";
      return { text: use.tool === "read" ? missing : `${lines}\n\nCommand exited with code 1`, picture: null };
    }
  }
}
