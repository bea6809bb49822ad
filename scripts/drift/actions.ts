/** Changes a schema with an overlay so that it allows what upstreams answer. */

/** One action (OpenAPI Overlay 1.0.0, Action Object). */
export interface OverlayAction {
  readonly target: string;
  readonly description: string;
  readonly update?: Readonly<Record<string, unknown>>;
  readonly remove?: true;
}

interface Change {
  /** The names that lead from the root of the descriptor to the schema. */
  readonly path: readonly string[];
  readonly schema: Readonly<Record<string, unknown>>;
  /** Whether the descriptor is OpenAPI 3.0, whose `type` is one name. */
  readonly isOpenApi30: boolean;
  readonly keyword: string;
  /** Types that were found, sorted. */
  readonly found: readonly string[];
  /** The reason, as text. */
  readonly because: string;
}

/**
 * The actions that make the schema allow the found types, or remove a keyword that responses violate.
 *
 * A keyword is removed before it is written again, because tools differ in how they merge a string with a list.
 *
 * @returns an empty list if the schema does not have the keyword: then a schema around it refuses the response.
 */
export function toActions({ path, schema, isOpenApi30, keyword, found, because }: Change): OverlayAction[] {
  const target = toJsonPath(path);
  const action = { target, description: because };
  const remove = { target: `${target}['${keyword}']`, description: because, remove: true as const };
  if (schema[keyword] === undefined) return [];
  if (keyword !== 'type') return [remove];
  const types = typesOf(schema.type);
  const missing = found.filter((type) => !types.includes(type));
  if (missing.length === 0) return [];
  if (!isOpenApi30) return [remove, { ...action, update: { type: [...types, ...missing] } }];
  if (missing.every((type) => type === 'null')) return [{ ...action, update: { nullable: true } }];
  // A schema in OpenAPI 3.0 has one type; without it, any value is allowed.
  return [remove];
}

/** Removes a missing member from the list of required ones. @param path of the object that requires it. */
export function toRequiredAction(path: readonly string[], name: string, because: string): OverlayAction {
  return { target: `${toJsonPath(path)}['required'][?@ == ${quoted(name)}]`, description: because, remove: true };
}

function typesOf(type: unknown): readonly string[] {
  return Array.isArray(type) ? type.filter((one) => typeof one === 'string') : typeof type === 'string' ? [type] : [];
}

/** A normalized path (RFC 9535 §2.7). */
export function toJsonPath(path: readonly string[]): string {
  return `$${path.map((name) => (/^\d+$/.test(name) ? `[${name}]` : `[${quoted(name)}]`)).join('')}`;
}

function quoted(name: string): string {
  return `'${name.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
