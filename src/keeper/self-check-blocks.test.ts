import { describe, expect, it } from "vitest";
import {
  assistant,
  type Block,
  bodyOf,
  call,
  EMPTY_TALK,
  result,
  results,
  text,
  user,
} from "../../test/support/conversation.ts";
import { wire } from "../../test/support/keeper.ts";
import { imageBlock, picture } from "../../test/support/pictures.ts";
import type { ItemKey } from "../model/item.ts";
import type { WireSource } from "../model/ports.ts";
import { readBack } from "./self-check.ts";
import type { Meant } from "./self-check-blocks.ts";

const one = imageBlock(picture(1));
const two = imageBlock(picture(2));
const HELD = [text("a"), one, text("b"), two];

function bodyWith(content: readonly Block[], own: Block = imageBlock(picture(3))): Uint8Array {
  const called = assistant(user(EMPTY_TALK, "go"), call("r1", "Read", { file_path: "/w/a.png" }));
  return bodyOf(results(called, result("r1", content), own), { ttl: null });
}

function read(body: Uint8Array): WireSource {
  const outcome = wire.read(body, new Map());
  if (!outcome.ok) throw new Error(outcome.words);
  return outcome.source;
}

const before = read(bodyWith(HELD));
const media = before.transcript.items.filter(({ kind }) => kind === "media").map(({ key }) => key);
const held = before.transcript.items.find(({ kind }) => kind === "result")?.key ?? "";
const [first = "", second = "", own = ""] = media;

function fault(written: Uint8Array, meant: Meant): string | null {
  return readBack({ wire, route: null, slices: [written], before, memo: new Map() }, meant);
}

const markers = (...pairs: readonly (readonly [ItemKey, string])[]): Meant => ({
  kind: "markers",
  markers: new Map(pairs),
});
const texts = (...left: string[]): Meant => ({ kind: "texts", left });

describe("a written body with media", () => {
  it.each([
    ["that all stand", bodyWith(HELD), markers(), texts()],
    ["one gone", bodyWith([text("a"), text("m"), text("b"), two]), markers([first, "m"]), texts("m")],
    ["the other gone", bodyWith([text("a"), one, text("b"), text("m")]), markers([second, "m"]), texts("m")],
    [
      "all of them and the text gone",
      bodyWith([text("r"), text("m"), text("n")], text("o")),
      markers([held, "r"], [first, "m"], [second, "n"], [own, "o"]),
      texts("r", "m", "n", "o"),
    ],
    ["the text alone gone", bodyWith([text("r"), one, two]), markers([held, "r"]), texts("r")],
    ["its own gone", bodyWith(HELD, text("o")), markers([own, "o"]), texts("o")],
  ])("of which %s is sound", (_, written, known, found) => {
    expect(fault(written, known)).toBeNull();
    expect(fault(written, found)).toBeNull();
  });

  it.each([
    ["that is gone and should stand", bodyWith([text("a"), text("m"), text("b"), two]), markers(), "other media"],
    ["that stands and should be gone", bodyWith(HELD), markers([first, "m"]), "other media"],
    ["whose marker is another", bodyWith(HELD, text("x")), markers([own, "o"]), "its marker"],
    ["that stands in a message and should be gone", bodyWith(HELD), markers([own, "o"]), "what was meant"],
    ["that turned into another", bodyWith(HELD, two), markers(), "what was meant"],
    ["beside another text", bodyWith([text("x"), text("m"), text("b"), two]), markers([first, "m"]), "what came"],
    ["gone without a marker", bodyWith([text("a"), text("b"), two]), markers([first, "m"]), "what came"],
    ["of the other", bodyWith([text("a"), text("m"), text("b"), one]), markers([first, "m"]), "other media"],
  ])("%s is not sound", (_, written, meant, words) => {
    expect(fault(written, meant)).toContain(words);
  });

  it.each([
    ["of which no text is known", bodyWith([text("a"), text("m"), text("b"), two]), texts(), "lost its media"],
    ["in another order", bodyWith([text("a"), two, text("b"), one]), texts(), "other media"],
    ["more of them", bodyWith([...HELD, one]), texts(), "other media"],
    ["with another text put in", bodyWith(HELD, text("x")), texts("o"), "its marker"],
  ])("%s is not sound where only texts are known", (_, written, meant, words) => {
    expect(fault(written, meant)).toContain(words);
  });
});
