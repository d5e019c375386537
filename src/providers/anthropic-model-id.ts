/** A model as families and numbers tell it apart; `version` is `major.minor`, minor 0 where the id names none. */
export interface ModelName {
  readonly family: string;
  readonly version: string;
}

const VENDOR = /^(?:[a-z-]+\.)?anthropic\./;
/** Date (dash or at sign), `latest`, Bedrock revision, router variant, window marker; nothing else may follow. */
const ENDING = "(?:-latest)?(?:[-@]\\d{8})?(?:-v\\d+(?::\\d+)?)?(?::[a-z]+)?(?:\\[1m\\])?$";
const FAMILY_FIRST = new RegExp(`^claude-(opus|sonnet|haiku|fable|mythos)-(\\d+)(?:[-.](\\d{1,2}))?(?!\\d)${ENDING}`);
const VERSION_FIRST = new RegExp(`^claude-(\\d)(?:[-.](\\d))?-(opus|sonnet|haiku)${ENDING}`);
const PREVIEW = new RegExp(`^claude-(mythos)-preview${ENDING}`);

/** Reads a model id, dated or with a vendor's prefix or ending; null when it is not one of a known shape. */
export function readModelId(id: string): ModelName | null {
  const bare = id
    .slice(id.lastIndexOf("/") + 1)
    .trim()
    .toLowerCase()
    .replace(VENDOR, "");
  const modern = FAMILY_FIRST.exec(bare);
  if (modern !== null) return { family: modern[1] ?? "", version: `${modern[2]}.${modern[3] ?? "0"}` };
  const old = VERSION_FIRST.exec(bare);
  if (old !== null) return { family: old[3] ?? "", version: `${old[1]}.${old[2] ?? "0"}` };
  const preview = PREVIEW.exec(bare);
  return preview === null ? null : { family: preview[1] ?? "", version: "preview" };
}
