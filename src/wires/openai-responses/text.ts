/** Types of parts that are a text. */
export const TEXT_TYPES: ReadonlySet<string> = new Set(["input_text", "output_text", "text"]);
