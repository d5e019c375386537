/** A function that hands what it is given to both, in this order. */
export function inBoth<Given extends readonly unknown[]>(
  first: (...given: Given) => void,
  second: (...given: Given) => void,
): (...given: Given) => void {
  return (...given) => {
    first(...given);
    second(...given);
  };
}
