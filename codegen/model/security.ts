/** Security Scheme and Security Requirement Objects (OpenAPI 3.1 §4.8.27, §4.8.30). */

import { toRecord } from '../json.ts';
import type { ModelContext } from './context.ts';
import { below, entriesBelow, follow, itemsBelow, type Place, toText } from './place.ts';
import type { SecurityAlternative, SecuritySchemeModel } from './types.ts';

/** The descriptor's security schemes, sorted by id. */
export function buildSecuritySchemes(context: ModelContext, root: Place): SecuritySchemeModel[] {
  return entriesBelow(below(below(root, 'components'), 'securitySchemes'))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .map(({ name, place }) => buildScheme(name, follow(context.document, place)));
}

function buildScheme(id: string, { value, pointer }: Place): SecuritySchemeModel {
  const source = toRecord(value);
  const type = toText(source.type);
  const common = { id, description: toText(source.description), pointer };
  if (type === 'http') {
    const scheme = toText(source.scheme).toLowerCase();
    if (scheme === 'bearer' || scheme === 'basic') return { ...common, type: scheme };
    return { ...common, type: 'unsupported', kind: `http ${scheme}`.trim() };
  }
  const where = source.in;
  if (type === 'apiKey' && (where === 'header' || where === 'query' || where === 'cookie')) {
    return { ...common, type, in: where, name: toText(source.name) };
  }
  return { ...common, type: 'unsupported', kind: type };
}

/** The alternatives of a `security` array, or null where there is none. `{}` is the alternative of no scheme. */
export function buildSecurity(
  context: ModelContext,
  owner: Place,
  schemes: readonly SecuritySchemeModel[],
): SecurityAlternative[] | null {
  const place = below(owner, 'security');
  if (!Array.isArray(place.value)) return null;
  return itemsBelow(place).map((item) =>
    entriesBelow(item).map(({ name, place: requirement }) => {
      if (!schemes.some(({ id }) => id === name)) {
        const message = `${JSON.stringify(name)} is not one of components.securitySchemes.`;
        context.report('security-scheme-unknown', requirement.pointer, message);
      }
      return name;
    }),
  );
}
