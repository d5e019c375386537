/**
 * How a provider is asked to delete results from its own cache. No provider documents such a form: every name comes from
 * configuration.
 */
export interface CacheEditsAdapter {
  /** Type of the block that asks. */
  readonly blockType: string;
  /** Member of that block with the list of what is asked. */
  readonly editsMember: string;
  /** Type of an entry of that list. */
  readonly deleteType: string;
  /** Member of a result and of an entry: the name by which they meet. */
  readonly referenceMember: string;
  /** A text must stand behind the block. */
  readonly needsTextBehind: boolean;
  /** Value of the header `anthropic-beta` that allows the block; null where it needs none. */
  readonly betaHeader: string | null;
}
