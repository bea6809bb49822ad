/** The TypeScript type of the values that a JSON Schema literal accepts, with the detail that hand-written tools need. */

/**
 * Reads `type`, `enum`, `const`, `properties`, `required` and `items`; everything else is `unknown`.
 *
 * @typeParam Schema type of a literal (`const`), such as `{ readonly type: 'string' }`
 */
export type ValueOf<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly type: readonly (infer Type)[] }
      ? Type extends string
        ? OfType<Type, Schema>
        : unknown
      : Schema extends { readonly type: infer Type }
        ? OfType<Type, Schema>
        : unknown;

type OfType<Type, Schema> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? Schema extends { readonly items: infer Items }
            ? readonly ValueOf<Items>[]
            : readonly unknown[]
          : Type extends 'object'
            ? OfObject<Schema>
            : unknown;

type OfObject<Schema> = Schema extends { readonly properties: infer Properties }
  ? { readonly [Name in keyof Properties & RequiredOf<Schema>]: ValueOf<Properties[Name]> } & {
      readonly [Name in Exclude<keyof Properties, RequiredOf<Schema>>]?: ValueOf<Properties[Name]> | undefined;
    }
  : Readonly<Record<string, unknown>>;

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Name)[] } ? Name : never;
