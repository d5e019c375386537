import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { simulate } from "./simulate.ts";

const folder = mkdtempSync(join(tmpdir(), "ebb-simulate-"));
afterAll(() => rmSync(folder, { recursive: true }));
const options = { port: 0, scenario: null, captureFolder: null, signatures: true };
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

describe("simulate", () => {
  it("plays the scenario of a file", async () => {
    const scenario = file("ok.json", JSON.stringify({ scripts: [{ match: "", steps: [{ text: "From the file." }] }] }));
    const provider = await simulate({ ...options, scenario });
    const body = { model: "m", max_tokens: 5, tools: [{ name: "Read" }], messages: [{ role: "user", content: "hi" }] };
    const response = await fetch(`${provider.url}/v1/messages`, { method: "POST", body: JSON.stringify(body) });
    expect(await response.json()).toMatchObject({ content: [{ text: "From the file." }] });
    await provider.close();
  });

  it.each([
    ["is missing", () => join(folder, "none.json"), "cannot be read as JSON"],
    ["is no JSON", () => file("text.json", "{"), "cannot be read as JSON"],
    ["is no scenario", () => file("odd.json", '{"scripts":1}'), "is not a scenario"],
  ])("refuses a file that %s", async (_name, path, words) => {
    await expect(simulate({ ...options, scenario: path() })).rejects.toMatchObject({
      code: "input_invalid",
      message: expect.stringContaining(words),
    });
  });
});
