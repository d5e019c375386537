/** US dollars for people; below half of the last digit it is nothing, and has no sign. */
export function usdWords(usd: number | null): string {
  if (usd === null) return "unknown";
  const words = usd.toFixed(4);
  return Number(words) === 0 ? "0.0000 USD" : `${words} USD`;
}
