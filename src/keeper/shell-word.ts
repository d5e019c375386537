import type { CommandArgument, DoubleQuotedChild, WordPart } from "unbash";

/** The text a word stands for, quotes resolved; null where the shell would expand anything in it. */
export function literalOf(word: CommandArgument): string | null {
  if (word.type !== "Word" || word.text.startsWith("~")) return null;
  return word.parts === undefined || word.parts.every(isLiteral) ? word.value : null;
}

function isLiteral(part: WordPart | DoubleQuotedChild): boolean {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return true;
    case "DoubleQuoted":
      return part.parts.every(isLiteral);
    case "Glob":
    case "LocaleString":
    case "SimpleExpansion":
    case "ParameterExpansion":
    case "CommandExpansion":
    case "ArithmeticExpansion":
    case "ProcessSubstitution":
    case "ExtendedGlob":
    case "BraceExpansion":
      return false;
  }
}
