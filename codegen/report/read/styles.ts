/** How an emitted call writes its parameters, read from its source: in words, by address. */

import ts from 'typescript';
import { memberName, objectMembers, readLiteral } from './literal.ts';

/** Serializers of a whole place, by the option of the call that holds them. */
const PLACE_OF_OPTION: Readonly<Record<string, string>> = { pathSerializer: 'path', querySerializer: 'query' };

/** Methods of `request` that write a place, with its styles as their second argument. */
const WRITERS: Readonly<Record<string, string>> = { headerValues: 'header', cookies: 'cookie' };

/**
 * Reads `querySerializer: request.querySerializer({ ids: { style: 'form', ... } })` and its like.
 *
 * @returns Style by address, such as `query.ids`; null for an option that is nothing of the kind.
 */
export function readSerializer(option: string, value: ts.Expression): Record<string, string> | null {
  const place = PLACE_OF_OPTION[option];
  const [styles, ...others] = requestCall(value, option) ?? [];
  return place === undefined || styles === undefined || others.length > 0 ? null : readStyles(place, styles);
}

/** Reads the styles of `header: request.headerValues<Header>({ ... }, { ... })` and of cookies; null for anything else. */
export function readPlaceStyles(value: ts.Expression): Record<string, string> | null {
  for (const [method, place] of Object.entries(WRITERS)) {
    const [, styles, ...others] = requestCall(value, method) ?? [];
    if (styles !== undefined && others.length === 0) return readStyles(place, styles);
  }
  return null;
}

/** Arguments of `request.<method>(...)`. */
export function requestCall(node: ts.Expression, method: string): readonly ts.Expression[] | null {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return null;
  const { expression, name } = node.expression;
  return ts.isIdentifier(expression) && expression.text === 'request' && name.text === method ? node.arguments : null;
}

/** Words by address of `{ ids: { style: 'form', ... } }`; null where any part of it is something else. */
export function readStyles(place: string, node: ts.Expression): Record<string, string> | null {
  if (!ts.isObjectLiteralExpression(node)) return null;
  if (node.properties.some((property) => property.name === undefined || memberName(property.name) === null))
    return null;
  const styles: Record<string, string> = {};
  for (const [name, value] of objectMembers(node)) {
    const words = toWords(readLiteral(value)?.value);
    if (words === null) return null;
    styles[`${place}.${name}`] = words;
  }
  return styles;
}

/** `matrix, exploded`, `application/json` (of a parameter's `content` or a part's `contentType`); null for a style with members that nobody here knows. */
function toWords(style: unknown): string | null {
  if (typeof style !== 'object' || style === null) return null;
  const {
    content,
    contentType = content,
    style: name,
    explode,
    allowReserved = false,
    ...unknown
  } = style as Record<string, unknown>;
  if (Object.keys(unknown).length > 0) return null;
  if (typeof contentType === 'string') return name === undefined && explode === undefined ? contentType : null;
  if (typeof name !== 'string' || typeof explode !== 'boolean' || typeof allowReserved !== 'boolean') return null;
  return [name, explode ? 'exploded' : 'joined', ...(allowReserved ? ['reserved characters as they are'] : [])].join(
    ', ',
  );
}
