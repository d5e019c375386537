/** What a request that no wire reads is, as far as its path tells. */
export type PassedKind = "bedrock" | "vertex" | "other";

/**
 * Bedrock's clients sign the body, and Vertex names model and publisher in its paths: neither is read. Sources: the API references of
 * `InvokeModel`, `Converse` and `rawPredict`.
 */
export function passedKindOf(path: string): PassedKind {
  if (BEDROCK.test(path)) return "bedrock";
  return VERTEX.test(path) ? "vertex" : "other";
}

const BEDROCK = /^\/model\/[^/]+\/(?:invoke|converse)(?:-|$)/;
const VERTEX = /\/(?:publishers|projects)\//;
