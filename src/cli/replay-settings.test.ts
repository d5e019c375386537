import { expect, test } from "vitest";
import { resolveFrom } from "../config/resolve.ts";
import type { Io } from "./io.ts";
import { replaySettingsOf } from "./replay-settings.ts";

test("what every replayed keeper would say of a model is said once, every error each time", () => {
  const said: string[] = [];
  const place = { env: {}, cwd: "/none", home: "/none", platform: "linux" } as const;
  const io = { place, err: (text: string) => said.push(text) } as unknown as Io;
  const { onError } = replaySettingsOf(resolveFrom(null, new Map(), place), io).keeper;
  for (const words of ["a is unknown", "b is unknown", "a is unknown"]) onError("unknown_model", words);
  for (const words of ["c", "c"]) onError("internal", words);
  expect(said).toEqual([
    "ebb: a is unknown (unknown_model)\n",
    "ebb: b is unknown (unknown_model)\n",
    "ebb: c (internal)\n",
    "ebb: c (internal)\n",
  ]);
});
