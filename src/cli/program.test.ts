import { expect, test } from "vitest";
import type { Io } from "./io.ts";
import { main } from "./main.ts";

test.each([[["prox"]], [["recall"]], [["stats", "--nonsense"]]])(
  "wrong usage is said by the program's own name: %j",
  async (argv) => {
    let err = "";
    const io: Io = {
      out: () => {},
      err: (text) => {
        err += text;
      },
      place: { env: {}, cwd: "/", home: "/", platform: "linux" },
      isInteractive: false,
      progress: process.stderr,
      ask: async () => "",
      untilStopped: async () => {},
    };
    expect(await main(argv, io)).toBe(2);
    expect(err).toMatch(/^ebb: \S/);
    expect(err).not.toContain("error:");
  },
);

test("help names what each option takes, by its type", async () => {
  let out = "";
  const io: Io = {
    out: (text) => {
      out += text;
    },
    err: () => {},
    place: { env: {}, cwd: "/", home: "/", platform: "linux" },
    isInteractive: false,
    progress: process.stderr,
    ask: async () => "",
    untilStopped: async () => {},
  };
  expect(await main(["proxy", "--help"], io)).toBe(0);
  for (const notation of [
    "--mode <enforce|observe|off>",
    "--port <number>",
    "--config <file>",
    "--data-folder <folder>",
    "--upstream <url>",
    "--bound <off|pair>",
  ]) {
    expect(out).toContain(notation);
  }
  expect(out).not.toContain("<value>");
});
