/** One tool as a client or a model is told of it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: "object"; readonly properties: object; readonly required: readonly string[] };
}

/** One part of an answer, in the shapes of the Model Context Protocol. */
export type ToolContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string }
  | {
      readonly type: "resource";
      readonly resource: { readonly uri: string; readonly mimeType: string; readonly blob: string };
    };

/** What a call of one of Ebb's tools is answered with. */
export interface ToolAnswer {
  readonly content: readonly ToolContent[];
  /** Name of the failure; null: the call did what it was to do. */
  readonly failure: string | null;
}
