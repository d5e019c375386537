import { describe, expect, test } from "vitest";
import { cleanText } from "./clean-text.ts";

const LONG = "words of the client ".repeat(20);

describe("cleaning recorded texts", () => {
  test("replaces what stands in a reminder by a note of its length, and keeps the tags", () => {
    expect(cleanText(`<system-reminder>\n${LONG}</system-reminder>`, "user")).toBe(
      `<system-reminder>\n(client text, ${LONG.length + 1} characters)\n</system-reminder>`,
    );
  });

  test("takes a reminder out of a tool's result and leaves the result alone", () => {
    const text = `     1→one\n\n<system-reminder>\n${LONG}</system-reminder>\n`;
    expect(cleanText(text, "tool")).toBe(
      `     1→one\n\n<system-reminder>\n(client text, ${LONG.length + 1} characters)\n</system-reminder>\n`,
    );
  });

  test("keeps the sentence that says a file is empty", () => {
    const text = "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>";
    expect(cleanText(text, "tool")).toBe(text);
  });

  test("keeps the working directory that an environment text states and nothing else of it", () => {
    const text = `# Environment\n${LONG}\n - Primary working directory: /home/user/ws\n${LONG}`;
    expect(cleanText(text, "system")).toBe(
      `# Environment\n(client text, ${text.length - 14} characters)\n - Primary working directory: /home/user/ws`,
    );
  });

  test("replaces a long prompt of the client and keeps what a person typed", () => {
    expect(cleanText(LONG, "user")).toBe(`(client text, ${LONG.length} characters)`);
    expect(cleanText("[go] read it twice", "user")).toBe("[go] read it twice");
  });
});
