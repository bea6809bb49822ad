/** A client's rules as data, so that one checker for each kind serves every profile. */

/** A tool that breaks it is rejected by the client, possibly with its whole list. The kinds are the members of `Limit`. */
type Rule = Limit & {
  /** Unique in its profile, see `ruleName`. Default: the kind. */
  readonly id?: string;
  /** The reaction of the client to a tool that breaks the rule. */
  readonly because: string;
  /** Pages and threads that document it. At least one. */
  readonly sources: readonly string[];
};

export type Limit =
  | { readonly kind: 'name-pattern'; readonly pattern: RegExp }
  /** In characters. */
  | { readonly kind: 'name-length'; readonly maximum: number }
  /** In characters. */
  | { readonly kind: 'description-length'; readonly maximum: number }
  | { readonly kind: 'input-root-type' }
  | { readonly kind: 'output-root-type' }
  | { readonly kind: 'root-keywords'; readonly keywords: readonly string[] }
  /** Keys of the root's `properties`, which are the argument names. */
  | { readonly kind: 'property-keys'; readonly pattern: RegExp }
  | { readonly kind: 'array-items' }
  /** `true` or `false` in place of a property's schema, in the input or output schema. */
  | { readonly kind: 'boolean-schemas' }
  /** Forbidden in the value of a `pattern`. */
  | { readonly kind: 'pattern-syntax'; readonly forbidden: RegExp };

export type RuleKind = Limit['kind'];
export type LimitOf<Kind extends RuleKind> = Extract<Limit, { readonly kind: Kind }>;

/** One client, or one model API behind many clients. */
export interface Profile {
  readonly id: string;
  readonly title: string;
  readonly rules: readonly Rule[];
  /** Limits for which no documentation of this client was found: they are not checked, and no figure is guessed. */
  readonly notDocumented: readonly RuleKind[];
}
