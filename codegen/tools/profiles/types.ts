/** What a client's rules look like as data, so that one checker a kind proves them for every profile. */

/** `refuses`: the client rejects the tool, or with it the whole list. `degrades`: it works, with something lost. */
export type Effect = 'refuses' | 'degrades';

/** One rule of one client. The kinds are the members of `Limit`. */
type Rule = Limit & {
  /** Unique in its profile. `<profile>/<id>` names the rule in diagnostics and in `profiles.accept`. */
  readonly id: string;
  readonly effect: Effect;
  /** What the client does with a tool that breaks the rule, and why that is the effect. */
  readonly because: string;
  /** Pages and threads that say so. At least one. */
  readonly sources: readonly string[];
};

export type Limit =
  | { readonly kind: 'name-pattern'; readonly pattern: RegExp }
  /** In characters. */
  | { readonly kind: 'name-length'; readonly maximum: number }
  /** The name that a model sees, in characters: `before`, the user's name for this server, `after`, the tool's name. */
  | { readonly kind: 'full-name-length'; readonly before: string; readonly after: string; readonly maximum: number }
  /** In characters. */
  | { readonly kind: 'description-length'; readonly maximum: number }
  | { readonly kind: 'input-root-type' }
  | { readonly kind: 'output-root-type' }
  | { readonly kind: 'root-keywords'; readonly keywords: readonly string[] }
  /** Keys of the root's `properties`, which are the argument names. */
  | { readonly kind: 'property-keys'; readonly pattern: RegExp }
  /** Anywhere in the input schema. */
  | { readonly kind: 'keywords'; readonly keywords: readonly string[] }
  | { readonly kind: 'array-items' }
  /** `true` or `false` where a property's schema belongs, in the input or output schema. */
  | { readonly kind: 'boolean-schemas' }
  /** What the value of a `pattern` must not contain. */
  | { readonly kind: 'pattern-syntax'; readonly forbidden: RegExp }
  | { readonly kind: 'enum-strings' }
  /** Objects inside objects, the root included, a circle counted once. */
  | { readonly kind: 'schema-depth'; readonly maximum: number }
  | { readonly kind: 'property-count'; readonly maximum: number }
  /** Values of all `enum`s of a tool together. */
  | { readonly kind: 'enum-count'; readonly maximum: number }
  /** Tools in one list. */
  | { readonly kind: 'tool-count'; readonly maximum: number };

export type RuleKind = Limit['kind'];
export type LimitOf<Kind extends RuleKind> = Extract<Limit, { readonly kind: Kind }>;

/** One client, or one model API behind many clients. */
export interface Profile {
  readonly id: string;
  readonly title: string;
  readonly rules: readonly Rule[];
  /** Limits that this client was not found to document: nothing is checked for them, and no figure is guessed. */
  readonly notDocumented: readonly RuleKind[];
}
