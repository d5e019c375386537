/** The known name that `given` most likely meant, or null when none is near. Case, `-` and `_` do not count. */
export function nearestName(given: string, known: readonly string[]): string | null {
  const wanted = folded(given);
  let best: { readonly name: string; readonly distance: number } | null = null;
  for (const name of known) {
    const distance = editDistance(wanted, folded(name));
    if (best === null || distance < best.distance) best = { name, distance };
  }
  return best !== null && best.distance <= Math.max(2, Math.floor(wanted.length / 4)) ? best.name : null;
}

function folded(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, "");
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
