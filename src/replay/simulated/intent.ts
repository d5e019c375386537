import { isAbsolute, join } from "node:path";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { withAddresses } from "./intent-address.ts";
import { isObject, objectsOf, stringOf } from "./json.ts";
import type { StepTool } from "./scenario.ts";

export interface PlannedCall {
  readonly name: string;
  readonly input: JsonObject;
}

/** The call a step asks for, in the terms of the tools this request offers; null when none of them can do it. */
export function resolveCall(wanted: StepTool, request: JsonObject, workdir: string | null): PlannedCall | null {
  const call = callOf(wanted, request, workdir);
  return call === null ? null : { ...call, input: withAddresses(call.input, request) };
}

function callOf(wanted: StepTool, request: JsonObject, workdir: string | null): PlannedCall | null {
  if ("name" in wanted) return { name: wanted.name, input: wanted.input ?? {} };
  const offered = objectsOf(request.tools);
  for (const candidate of candidatesOf(wanted, workdir)) {
    const tool = offered.find((one) => candidate.fits(stringOf(one.name)));
    if (tool !== undefined) return { name: stringOf(tool.name), input: known(candidate.input, tool) };
  }
  return null;
}

type Intent = Exclude<StepTool, { readonly name: string }>;

interface Candidate {
  fits(name: string): boolean;
  readonly input: Readonly<Record<string, JsonValue | undefined>>;
}

/** Claude Code's names first, then pi's. */
function candidatesOf(wanted: Intent, workdir: string | null): readonly Candidate[] {
  switch (wanted.do) {
    case "read": {
      const path = absolute(wanted.path, workdir);
      const { offset, limit } = wanted;
      return [named("Read", { file_path: path, offset, limit }), named("read", { path, offset, limit })];
    }
    case "write": {
      const path = absolute(wanted.path, workdir);
      const { content } = wanted;
      return [named("Write", { file_path: path, content }), named("write", { path, content })];
    }
    case "edit": {
      const path = absolute(wanted.path, workdir);
      return [
        named("Edit", { file_path: path, old_string: wanted.old, new_string: wanted.new }),
        named("edit", {
          path,
          edits: [{ oldText: wanted.old, newText: wanted.new }],
          oldText: wanted.old,
          newText: wanted.new,
        }),
      ];
    }
    case "bash": {
      const { command } = wanted;
      return [named("Bash", { command, description: "Run a command" }), named("bash", { command })];
    }
    case "mcp":
      return [
        { fits: (name) => name.startsWith("mcp__") && name.endsWith(`__${wanted.tool}`), input: wanted.input ?? {} },
        named(`ebb_${wanted.tool}`, wanted.input ?? {}),
        named(wanted.tool, wanted.input ?? {}),
      ];
  }
}

function named(name: string, input: Candidate["input"]): Candidate {
  return { fits: (offered) => offered === name, input };
}

/** Only the arguments that the tool's own schema knows, and none without a value. */
function known(input: Candidate["input"], tool: JsonObject): JsonObject {
  const properties = isObject(tool.input_schema) ? tool.input_schema.properties : undefined;
  const fields: [string, JsonValue][] = [];
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue;
    if (!isObject(properties) || name in properties) fields.push([name, value]);
  }
  return Object.fromEntries(fields);
}

function absolute(path: string, workdir: string | null): string {
  return isAbsolute(path) || workdir === null ? path : join(workdir, path);
}
