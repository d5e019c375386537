/** Files that an SDK's tools read and change, in memory. */
export type Files = Map<string, string>;

interface ToolShape {
  readonly name: string;
  readonly description: string;
  readonly parameters: { readonly type: "object"; readonly properties: object; readonly required: readonly string[] };
}

const TEXT = { type: "string" };

/** The tools that are offered, as JSON schemas. */
export const TOOLS: readonly ToolShape[] = [
  {
    name: "read_file",
    description: "Reads a file.",
    parameters: { type: "object", properties: { path: TEXT }, required: ["path"] },
  },
  {
    name: "edit_file",
    description: "Replaces a text in a file.",
    parameters: {
      type: "object",
      properties: { path: TEXT, old_string: TEXT, new_string: TEXT },
      required: ["path", "old_string", "new_string"],
    },
  },
];

/** What a tool gives back; an unknown tool is an error in words, as agents answer it. */
export function callTool(files: Files, name: string, input: Readonly<Record<string, unknown>>): string {
  const path = String(input.path);
  const text = files.get(path);
  if (text === undefined) return `Error: no file ${path}`;
  switch (name) {
    case "read_file":
      return text;
    case "edit_file":
      files.set(path, text.replace(String(input.old_string), String(input.new_string)));
      return `Edited ${path}.`;
    default:
      return `Error: unknown tool ${name}`;
  }
}
