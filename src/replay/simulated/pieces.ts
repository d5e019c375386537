const PIECE_CODE_POINTS = 40;

/** A text in the pieces in which a stream brings it; none for an empty text. */
export function piecesOf(text: string): readonly string[] {
  const points = Array.from(text);
  const pieces: string[] = [];
  for (let start = 0; start < points.length; start += PIECE_CODE_POINTS) {
    pieces.push(points.slice(start, start + PIECE_CODE_POINTS).join(""));
  }
  return pieces;
}
