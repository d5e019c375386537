/**
 * True where `whole` is `text` with each of the pieces put in somewhere, in their order. Looks at each place where a
 * piece stands, and at each only once.
 */
export function isWoven(whole: string, text: string, pieces: readonly string[]): boolean {
  const added = pieces.reduce((total, piece) => total + piece.length, 0);
  if (whole.length !== text.length + added) return false;
  // How much of the text may stand before the next piece: up to there everything fits.
  let places: readonly number[] = [0];
  let before = 0;
  for (const piece of pieces) {
    places = placesBehind(whole, text, { piece, before, places });
    before += piece.length;
  }
  return places.some((place) => whole.endsWith(text.slice(place)));
}

interface Step {
  readonly piece: string;
  /** Length of the pieces put in so far. */
  readonly before: number;
  readonly places: readonly number[];
}

function placesBehind(whole: string, text: string, { piece, before, places }: Step): readonly number[] {
  const found = new Set<number>();
  for (const from of places) {
    for (let at = whole.indexOf(piece, from + before); at !== -1; at = whole.indexOf(piece, at + 1)) {
      const place = at - before;
      if (whole.slice(from + before, at) !== text.slice(from, place)) break;
      found.add(place);
    }
  }
  return Array.from(found);
}
