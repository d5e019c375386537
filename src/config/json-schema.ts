import { z } from "zod";
import type { JsonObject, JsonValue } from "../model/json.ts";
import { optionEntries } from "./options.ts";

/** JSON schema of the configuration file, for editors; made from the declared options. */
export function configJsonSchema(): JsonObject {
  const root = emptyMap();
  for (const [key, option] of optionEntries()) {
    const parts = key.split(".");
    const holder = parts.slice(0, -1).reduce(inside, root);
    const { $schema: _, ...shape } = z.toJSONSchema(option.type.schema, { io: "input" });
    const value = option.default === null ? {} : { default: option.default as JsonValue };
    holder.properties[parts.at(-1) ?? key] = { ...(shape as JsonObject), description: option.description, ...value };
  }
  return { $schema: "https://json-schema.org/draft/2020-12/schema", title: "Ebb configuration", ...root };
}

interface MapSchema {
  readonly type: "object";
  readonly properties: Record<string, JsonValue>;
  readonly additionalProperties: false;
}

function emptyMap(): MapSchema {
  return { type: "object", properties: {}, additionalProperties: false };
}

function inside(map: MapSchema, name: string): MapSchema {
  const known = map.properties[name] as MapSchema | undefined;
  if (known !== undefined) return known;
  const made = emptyMap();
  map.properties[name] = made as unknown as JsonObject;
  return made;
}
