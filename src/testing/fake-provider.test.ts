import { expect, it } from "vitest";
import { startFakeProvider } from "./fake-provider.ts";

const ask = (url: string) =>
  fetch(`${url}/v1/messages`, {
    method: "POST",
    body: JSON.stringify({
      model: "claude-sonnet-4-5",
      max_tokens: 5,
      tools: [{ name: "Read" }],
      messages: [{ role: "user", content: "hi" }],
    }),
  });

it("answers without any options, shows what came, and closes with its block", async () => {
  let url = "";
  {
    await using provider = await startFakeProvider();
    url = provider.url;
    expect(await (await ask(url)).json()).toMatchObject({ content: [{ text: expect.stringContaining("No script") }] });
    expect(provider.requests()).toMatchObject([{ method: "POST", status: 200 }]);
  }
  await expect(ask(url)).rejects.toThrow();
});

it("plays a scenario on a clock of the test's own", async () => {
  await using provider = await startFakeProvider({
    scenario: { scripts: [{ match: "hi", steps: [{ text: "Hello.", advanceMs: 7 }] }] },
    clock: () => 100,
  });
  expect(await (await ask(provider.url)).json()).toMatchObject({ content: [{ text: "Hello." }] });
  provider.advanceClock(3);
  expect(provider.nowMs()).toBe(110);
});
