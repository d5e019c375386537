import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { UsageError } from "../command.ts";
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

  it("takes a missing file for wrong usage", async () => {
    const scenario = join(folder, "none.json");
    await expect(simulate({ ...options, scenario })).rejects.toThrow(new UsageError(`${scenario}: no such file`));
  });

  it("names the file, the key, the expectation and the value of each fault, one a line", async () => {
    const scenario = file("two.json", '{"scripts":[{"match":"(","steps":3}]}');
    const lines = [
      "the scenario is refused",
      `${scenario}: scripts[0].match: expected a regular expression, got "("`,
      `${scenario}: scripts[0].steps: expected a list of at least one step, got 3`,
    ];
    await expect(simulate({ ...options, scenario })).rejects.toThrow(lines.join("\n"));
  });

  it.each([
    ["is no JSON", () => file("text.json", "{"), "cannot be read as JSON"],
    ["is no scenario", () => file("odd.json", '{"scripts":1}'), "the scenario is refused\n"],
  ])("refuses a file that %s", async (_name, path, words) => {
    await expect(simulate({ ...options, scenario: path() })).rejects.toMatchObject({
      code: "input_invalid",
      message: expect.stringContaining(words),
    });
  });
});
