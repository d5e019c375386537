import type { JsonNode } from "../../laws/client/json-text.ts";

/** A conversation as an agent has it, before a client writes it in the format of an API. */
export interface WireTalk {
  readonly system: string;
  readonly messages: readonly WireMessage[];
}

export type WireMessage =
  | { readonly role: "user"; readonly text: string; readonly picture: Buffer | null }
  | {
      readonly role: "assistant";
      /** Null only where it calls. */
      readonly text: string | null;
      readonly thought: string | null;
      readonly calls: readonly WireCall[];
    }
  /** What answers all calls of the message in front of it, in the order of the calls. */
  | { readonly role: "results"; readonly results: readonly WireResult[] };

export interface WireCall {
  readonly id: string;
  readonly name: string;
  readonly input: readonly WireMember[];
}

export type WireMember = readonly [string, JsonNode];

export interface WireResult {
  readonly callId: string;
  readonly name: string;
  readonly text: string;
  readonly picture: Buffer | null;
  readonly isError: boolean;
}

/** Tools of the agent of these conversations, in order. */
export const WIRE_TOOLS = ["read", "bash", "edit", "write"] as const;
/** What its system prompt says. */
export const WIRE_SYSTEM = "You are an agent.\nCurrent working directory: /w";
