/** Members in which servers beside OpenAI's give the model's thinking, and want it back. */
export const THINKING_MEMBERS: readonly string[] = [
  "reasoning_content",
  "reasoning",
  "reasoning_text",
  "reasoning_details",
  "reasoning_opaque",
  "thinking_blocks",
];
