import type { WireName } from "../../support/wires/writers.ts";
import { type WireWorld, worldOn } from "./world.ts";

/** Ebb on one wire with one thing broken on purpose. */
export interface WireMutant {
  readonly name: string;
  readonly law: string;
  worldOn(name: WireName): WireWorld;
}

/** Changes what leaves behind the back of the keeper, which has checked it. `count` tells requests apart. */
function afterCheck(change: (text: string, wire: WireName, count: number) => string): WireMutant["worldOn"] {
  return (name) => {
    const world = worldOn(name);
    let count = 0;
    return {
      ...world,
      createKeeper(settings) {
        const keeper = world.createKeeper(settings);
        return {
          ...keeper,
          async prepare(request) {
            const prepared = await keeper.prepare(request);
            if (prepared.kind === "refuse") return prepared;
            const text = Buffer.concat(prepared.body).toString("utf8");
            return { ...prepared, body: [Buffer.from(change(text, name, ++count))] };
          },
        };
      },
    };
  };
}

const MARKER = /\[ebb (\w{12})([^"\\]*)/g;

/** Every mutant, for every format. */
export const wireMutants: readonly WireMutant[] = [
  {
    name: "writes every body again",
    law: "untouched",
    worldOn: afterCheck((text) => JSON.stringify(JSON.parse(text), null, 1)),
  },
  {
    name: "corrects what a person said",
    law: "untouched",
    worldOn: afterCheck((text) => text.replace("Begin with task", "Go on with task")),
  },
  { name: "loses a result", law: "paired", worldOn: afterCheck(withoutLastResult) },
  { name: "gives two results one call", law: "paired", worldOn: afterCheck(withOneCall) },
  {
    name: "tidies what the model thought",
    law: "(?:paired|untouched)",
    worldOn: afterCheck((text) => text.replace(PRIVATE, "$1TIDY")),
  },
  {
    name: "counts its requests in its markers",
    law: "steady",
    worldOn: afterCheck((text, _wire, count) => text.replace(MARKER, `[ebb $1$2 ${count}`)),
  },
  {
    name: "lets what was held leave late",
    law: "steady",
    worldOn: afterCheck((text, wire, count) => (count < 4 ? text : withFirstMarked(text, wire))),
  },
  {
    name: "names other addresses",
    law: "recoverable",
    worldOn: afterCheck((text) => text.replace(MARKER, "[ebb 000000000000$2")),
  },
  {
    name: "says more than it spares",
    law: "never worse",
    worldOn: afterCheck((text) => text.replace(MARKER, `[ebb $1$2 ${"and more ".repeat(2_000)}`)),
  },
];

/** The opaque part of what the model thought, in each format's own member. */
const PRIVATE = /("(?:signature|reasoning_content|encrypted_content|thoughtSignature)"\s*:\s*")[^"\\]/;

type Node = { [name: string]: unknown };

function withoutLastResult(text: string, wire: WireName): string {
  const body: Node = JSON.parse(text);
  const lists = resultLists(body, wire);
  const list = lists.findLast((one) => one.some((node) => isResult(node, wire)));
  if (list === undefined) return text;
  list.splice(
    list.findLastIndex((node) => isResult(node, wire)),
    1,
  );
  return JSON.stringify(body);
}

const CALL_ID: Readonly<Record<WireName, string>> = {
  "anthropic-messages": "tool_use_id",
  "openai-chat": "tool_call_id",
  "openai-responses": "call_id",
  gemini: "name",
};

function withOneCall(text: string, wire: WireName): string {
  const body: Node = JSON.parse(text);
  const results = resultLists(body, wire).flatMap((list) => list.filter((node) => isResult(node, wire)));
  const [first, second] = [results[0], results.at(-1)];
  if (first === undefined || second === undefined || first === second) return text;
  const [one, other] = wire === "gemini" ? [first.functionResponse, second.functionResponse] : [first, second];
  if (isNode(one) && isNode(other)) {
    other[CALL_ID[wire]] = one[CALL_ID[wire]] ?? null;
    other.id = one.id ?? null;
  }
  return JSON.stringify(body);
}

/** The first result that is long gives way to a marker that nobody decided. */
function withFirstMarked(text: string, wire: WireName): string {
  const place = /"(?:content|output|text)"\s*:\s*"((?:[^"\\]|\\.){300,})"/.exec(text);
  return place?.[1] === undefined || wire.length === 0 ? text : text.replace(place[1], "[ebb 0123456789ab] left");
}

function resultLists(body: Node, wire: WireName): readonly Node[][] {
  const top = listIn(body, { "openai-responses": "input", gemini: "contents" }[wire as string] ?? "messages");
  if (wire === "openai-chat" || wire === "openai-responses") return [top];
  return top.map((message) => listIn(message, wire === "gemini" ? "parts" : "content"));
}

function isResult(node: Node, wire: WireName): boolean {
  switch (wire) {
    case "anthropic-messages":
      return node.type === "tool_result";
    case "openai-chat":
      return node.role === "tool";
    case "openai-responses":
      return node.type === "function_call_output";
    case "gemini":
      return "functionResponse" in node;
  }
}

function listIn(node: Node, name: string): Node[] {
  const list = node[name];
  return Array.isArray(list) ? (list as Node[]) : [];
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
