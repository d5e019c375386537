import type { Outcome } from "../../model/acquisition.ts";
import type { JsonValue } from "../../model/json.ts";
import { patchEffects, patchedFilesIn, patchText } from "../patch-envelope.ts";
import type { Tool } from "./tool.ts";
import { firstText } from "./values.ts";

/** A tool that applies a patch in its envelope, which is the input itself or one of the named arguments. */
export function patchTool(names: readonly string[], outcomeOf: (text: string) => Outcome): Tool {
  const filesOf = (input: JsonValue) =>
    patchedFilesIn((typeof input === "string" ? input : firstText(input, names)) ?? "");
  return {
    meaningOf: ({ input, text }) => ({ ...patchEffects(filesOf(input), true), outcome: outcomeOf(text) }),
    changeText: (input) => patchText(filesOf(input)),
  };
}
