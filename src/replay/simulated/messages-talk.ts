import type { JsonObject } from "../../model/json.ts";
import { systemBlocksOf, textsOf } from "./content.ts";
import { objectsOf, stringOf } from "./json.ts";
import { countRuns, firstSpokenIn, lastSpokenIn, type Talk, workdirIn } from "./talk.ts";

/** What a request of the Messages API says. */
export function messagesTalk(request: JsonObject): Talk {
  const messages = objectsOf(request.messages);
  const spoken = messages.filter(({ role }) => role === "user").map(textsOf);
  return {
    firstSpoken: firstSpokenIn(spoken.slice(0, 1)),
    lastSpoken: lastSpokenIn(spoken),
    stepCount: countRuns(messages.map(({ role }) => role === "assistant")),
    tools: objectsOf(request.tools).map((tool) => ({
      name: stringOf(tool.name),
      group: null,
      schema: tool.input_schema ?? null,
      form: "arguments",
    })),
    workdir: workdirIn([
      ...systemBlocksOf(request).map((block) => stringOf(block.text)),
      ...messages.slice(0, 3).flatMap(textsOf),
    ]),
    history: request.messages ?? [],
    answerSchema: null,
  };
}
